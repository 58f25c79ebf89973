import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { limitLockWaits } from "./IndexMigration.ts"

/** Seconds of a week. Weeks are counted from 1970. */
export const WEEK = 604_800

/** Returns the least id of a week. */
export const startOfWeek = (week: number): string => leastUuidOf(new Date(week * WEEK * 1000))

/** Table whose rows belong to the weeks of their events. */
interface Divided {
  readonly table: string
  /** Column with the id of the event. */
  readonly id: string
  /** Columns of the primary key. */
  readonly key: ReadonlyArray<string>
}

/**
 * Partitions a table by weeks. The table of before becomes the first partition without being copied: PostgreSQL knows from a
 * constraint, which is validated beside writers, that its rows belong there. It keeps its indexes. The default partition
 * gets the same ones and the same storage parameters, later partitions only the primary key.
 */
export const partitionByWeeks = Effect.fnUntraced(function* ({ id, key, table }: Divided) {
  const sql = yield* SqlClient.SqlClient
  if ((yield* sql`select from pg_class where oid = ${table}::regclass and relkind = 'p'`).length > 0) return
  // The table of before holds this week and the next one. The housekeeping makes partitions of the following ones.
  const [{ storage, week } = { week: 0, storage: "" }] = yield* sql<{
    readonly week: number
    readonly storage: string
  }>`
    select floor(extract(epoch from now()) / ${WEEK}::integer)::integer + 2 as week,
      coalesce('with (' || array_to_string(reloptions, ', ') || ')', '') as storage
    from pg_class where oid = ${table}::regclass
  `
  const until = sql.literal(`'${startOfWeek(week)}'`)
  const [whole, other, limit] = [sql(table), sql(`${table}_default`), sql(`${table}_until`)]
  const first = sql(`${table}_${week - 1}`)

  // Rows for whose week there is no partition. Those of events of the future, made by a wrong clock, move there.
  yield* sql`
    create table if not exists ${other} (like ${whole} including defaults including constraints including indexes)
    ${sql.literal(storage)}
  `
  yield* sql`alter table ${whole} drop constraint if exists ${limit}`
  // After an interruption in another week, some of them are not early any more.
  yield* sql`
    with early as (delete from ${other} returning *)
    insert into ${whole} select * from early on conflict do nothing
  `
  yield* sql`alter table ${whole} add constraint ${limit} check (${sql(id)} < ${until}) not valid`
  yield* sql`
    with early as (delete from ${whole} where ${sql(id)} >= ${until} returning *)
    insert into ${other} select * from early
  `
  yield* sql`set lock_timeout = 0`
  yield* sql`alter table ${whole} validate constraint ${limit}`
  yield* limitLockWaits

  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`alter table ${whole} rename to ${first}`
      yield* sql`alter index ${sql(`${table}_pkey`)} rename to ${sql(`${table}_${week - 1}_pkey`)}`
      yield* sql`
        create table ${whole} (
          like ${first} including defaults including constraints, primary key (${sql.literal(key.join(", "))})
        ) partition by range (${sql(id)})
      `
      yield* sql`alter table ${whole} drop constraint ${limit}`
      yield* sql`alter table ${whole} attach partition ${first} for values from (minvalue) to (${until})`
      yield* sql`alter table ${first} drop constraint ${limit}`
      yield* sql`alter table ${whole} attach partition ${other} default`
    })
  )
})
