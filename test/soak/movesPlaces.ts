import { Effect } from "effect"
import type pg from "pg"
import { openConnection } from "../bench/database.ts"
import type { Written } from "./movesLoad.ts"

interface Place {
  readonly name: string
  readonly url: string
}

/** Triggers, publications, subscriptions, slots and rows of a move. */
const LEFT = `
  select distinct 'trigger ' || tgname as what from pg_trigger where starts_with(tgname, 'store_move')
  union all select 'publication ' || pubname from pg_publication where starts_with(pubname, 'store_move')
  union all select 'subscription ' || subname from pg_subscription where starts_with(subname, 'store_move')
  union all select 'slot ' || slot_name from pg_replication_slots where not starts_with(slot_name, 'partner_api_global')
  union all select 'origin ' || roname from pg_replication_origin
    where roname <> all (select 'pg_' || oid from pg_subscription)
  union all select 'fence ' || state from store_fences
  union all select distinct 'changes of ' || table_name from store_changes
  union all select 'move ' || state from store_moves where state <> 'cleaned'
`

/** Tables with a column `store_id` whose rows are of a store. */
const TABLES = `
  select table_name as name from information_schema.columns join pg_class on relname = table_name
  where table_schema = 'public' and column_name = 'store_id' and relkind in ('r', 'p') and not relispartition
    and table_name not in ('directory', 'merchant_stores', 'store_moves', 'store_fences', 'store_changes')
`

const query = (db: pg.Client, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.promise(async () => (await db.query<Record<string, unknown>>(text, [...values])).rows)

const inEach = (places: ReadonlyArray<Place>, find: (db: pg.Client, name: string) => Effect.Effect<Array<string>>) =>
  Effect.map(
    Effect.forEach(places, ({ name, url }) =>
      Effect.scoped(Effect.flatMap(openConnection(url), (db) => find(db, name))).pipe(
        Effect.map((found) => found.map((what) => `${what} in ${name}`))
      )
    ),
    (found) => found.flat()
  )

/** Tables of other cells that have rows of a store, and its cell if it does not serve the store. */
export const findMisplaced = (places: ReadonlyArray<Place>, store: string, cell: string) =>
  inEach(places, (db, name) =>
    Effect.gen(function* () {
      const stores = yield* query(db, "select moved_at from stores where id = $1", [store])
      if (name === cell) return stores.length === 1 && stores[0]?.["moved_at"] === null ? [] : ["no served store"]
      const tables = yield* query(db, TABLES)
      const found = stores.length > 0 ? ["stores"] : []
      for (const { name: table } of tables) {
        const rows = yield* query(db, `select 1 from ${String(table)} where store_id = $1 limit 1`, [store])
        if (rows.length > 0) found.push(String(table))
      }
      return found
    })
  )

/** What an ended move should have removed. */
export const findLeftBehind = (places: ReadonlyArray<Place>, store: string, cell: string) =>
  Effect.zipWith(
    inEach(places, (db) => Effect.map(query(db, LEFT), (rows) => rows.map(({ what }) => String(what)))),
    findMisplaced(places, store, cell),
    (left, misplaced) => [...left, ...misplaced]
  )

/** Products of a store that differ from the last write of each: id, version, and whether it exists. */
export const findWrongProducts = Effect.fnUntraced(function* (
  db: pg.Client,
  written: ReadonlyArray<Written>,
  store: string
) {
  const last = new Map(written.map((one) => [one.id, one] as const))
  const expected = [...last.values()]
    .filter(({ kind }) => kind !== "deleted")
    .map(({ id, version }) => `${id} ${version}`)
  const rows = yield* query(db, "select id || ' ' || version as what from products where store_id = $1", [store])
  const seen = new Set(rows.map(({ what }) => String(what)))
  return [...expected.filter((one) => !seen.delete(one)), ...seen]
})
