import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CellName, MAIN } from "../../domain/cells/Cells.ts"
import type { StoreId } from "../../domain/Store.ts"
import { HashCost, makeDummyHash } from "../access/Passwords.ts"
import { SERVED } from "../access/Stores.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { type Fragment, sql as fragment } from "../sql/Statement.ts"
import { copyTokens } from "./TokenStores.ts"

/*
 * Adopts a store that a cell has and the directory does not name there, as after a restore of `main` to an earlier moment.
 * The cell still has copies of the global rows that the store refers to, until it copies them again.
 */

/** The store cannot be adopted. */
export class AdoptionRefused extends Data.TaggedError("AdoptionRefused")<{ readonly message: string }> {}

const readCount = requiredRowReader(Schema.Struct({ count: Schema.Int }))
const readPlace = requiredRowReader(Schema.Struct({ cell: Schema.NullOr(Schema.String), isMoving: Schema.Boolean }))
const readRows = rowsReader(Schema.Struct({ row: Schema.String }))
const readIds = rowsReader(Schema.Struct({ id: Schema.String }))

const appsOf = (store: StoreId) => fragment`select app_id from installations where store_id = ${store}`

/** Accounts of a store: its members, the authors of its agents, and the developers of its apps. */
const accountsOf = (store: StoreId) => fragment`
  select merchant_id from members where store_id = ${store}
  union select created_by from agents where store_id = ${store}
  union select developer_id from apps where id in (${appsOf(store)}) and developer_id is not null
`

/** Global rows of a store in the order of their foreign keys. */
const globalRows = (store: StoreId): ReadonlyArray<readonly [table: string, where: Fragment]> => [
  ["plans", fragment`name = (select plan from stores where id = ${store})`],
  ["merchants", fragment`id in (${accountsOf(store)})`],
  ["apps", fragment`id in (${appsOf(store)})`],
  ["client_secrets", fragment`app_id in (${appsOf(store)})`],
  ["app_plans", fragment`app_id in (${appsOf(store)})`],
  ["webhooks", fragment`app_id in (${appsOf(store)})`]
]

/**
 * Names the cell of this database in the directory for a store that it has, and restores in `main` what the cell still has of
 * its plan, accounts and apps. Accounts get no password. Lists the apps and accounts that are lost. Can be repeated.
 */
export const adoptStore = Effect.fn("adoptStore")(function* (store: StoreId, name: CellName, isForced: boolean) {
  const cell = yield* SqlClient.SqlClient
  const { sql: main } = yield* GlobalDatabase
  if (name === MAIN) {
    return yield* new AdoptionRefused({
      message: "The cell main has all stores that the directory does not name; use the cell that has the store"
    })
  }
  const { count } = yield* readCount(
    cell`select count(*)::integer as count from stores s where s.id = ${store} and ${SERVED}`
  )
  if (count === 0) {
    return yield* new AdoptionRefused({
      message: `The cell ${name} has no store ${store}; find the stores and their cells with: doctor`
    })
  }
  const place = yield* readPlace(main`
    select (select cell from directory where store_id = ${store}) as cell,
      exists (select from store_moves where store_id = ${store} and state <> 'cleaned') as "isMoving"
  `)
  if (place.isMoving) {
    return yield* new AdoptionRefused({
      message: `A move of store ${store} is under way: run it to its end, or abort it with: stores move --store ${store} --abort`
    })
  }
  if (place.cell !== null && place.cell !== name && !isForced) {
    return yield* new AdoptionRefused({
      message: `The directory names the cell ${place.cell} for the store. If that cell does not have it any more, run the command with --force`
    })
  }

  const restored: Record<string, number> = {}
  const passwordHash = makeDummyHash(yield* HashCost)
  yield* main.withTransaction(
    Effect.gen(function* () {
      for (const [table, where] of globalRows(store)) {
        const rows = yield* readRows(cell`select to_jsonb(t)::text as row from ${cell(table)} t where ${where}`)
        const changes =
          table === "merchants" ? main`jsonb_build_object('password_hash', ${passwordHash}::text)` : main`'{}'::jsonb`
        const inserted = yield* main`
          insert into ${main(table)}
          select filled.* from unnest(${textArray(rows.map(({ row }) => row))}::text[]) as given (line),
            jsonb_populate_record(null::${main(table)}, line::jsonb || ${changes}) filled
          on conflict do nothing returning 1
        `
        if (inserted.length > 0) restored[table] = inserted.length
      }
      yield* main`
        insert into merchant_call_windows (merchant_id)
        select id from merchants m where not exists (select from merchant_call_windows w where w.merchant_id = m.id)
        on conflict do nothing
      `
      const members = yield* readIds(cell`select merchant_id::text as id from members where store_id = ${store}`)
      yield* main`
        insert into merchant_stores (merchant_id, store_id)
        select member, ${store} from unnest(${textArray(members.map(({ id }) => id))}::uuid[]) as member
        on conflict do nothing
      `
      yield* copyTokens(cell, main, store)
      // Rows of before a move that is forgotten: main must not work on them.
      yield* main`
        insert into store_fences (store_id, state) select id, 'leaving' from stores where id = ${store}
        on conflict do nothing
      `
      yield* main`update stores set moved_at = coalesce(moved_at, clock_timestamp()) where id = ${store}`
      yield* main`
        insert into directory (store_id, cell) values (${store}, ${name})
        on conflict (store_id) do update set cell = excluded.cell, epoch = directory.epoch + 1
      `
      yield* main`insert into cells (name) values (${name}) on conflict do nothing`
    })
  )

  const lost = Effect.fnUntraced(function* (table: string, ids: ReadonlyArray<{ readonly id: string }>) {
    const found = yield* readIds(main`
      select wanted::text as id from unnest(${textArray(ids.map(({ id }) => id))}::uuid[]) as wanted
      where not exists (select from ${main(table)} t where t.id = wanted)
    `)
    return found.map(({ id }) => id)
  })
  return {
    storeId: store,
    cell: name,
    restored,
    lostApps: yield* lost("apps", yield* readIds(cell`select app_id::text as id from (${appsOf(store)}) a`)),
    lostAccounts: yield* lost(
      "merchants",
      yield* readIds(cell`select merchant_id::text as id from members where store_id = ${store}`)
    )
  }
}, orDefect)
