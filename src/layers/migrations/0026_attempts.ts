import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { limitLockWaits, OutsideTransaction } from "../sql/IndexMigration.ts"

/** Least id of an event of a week since 1970. */
const startOf = (week: number) => {
  const time = (week * 604_800_000).toString(16).padStart(12, "0")
  return `'${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000'`
}

/**
 * Partitions the attempts of deliveries by the weeks of their events. The table of before becomes the first partition
 * without being copied: PostgreSQL knows from a constraint, which is validated beside writers, that its rows belong there.
 */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if ((yield* sql`select from pg_class where oid = 'delivery_attempts'::regclass and relkind = 'p'`).length > 0)
      return
    // The table of before holds this week and the next one. The housekeeping makes partitions of the following ones.
    const [{ week } = { week: 0 }] = yield* sql<{ readonly week: number }>`
      select floor(extract(epoch from now()) / 604800)::integer + 2 as week
    `
    const until = sql.literal(startOf(week))
    const first = sql(`delivery_attempts_${week - 1}`)

    // Attempts for whose week there is no partition. Those of events of the future, made by a wrong clock, move there.
    yield* sql`create table if not exists delivery_attempts_default (like delivery_attempts including indexes)`
    yield* sql`alter table delivery_attempts drop constraint if exists delivery_attempts_until`
    // After an interruption in another week, some of them are not early any more.
    yield* sql`
      with early as (delete from delivery_attempts_default returning *)
      insert into delivery_attempts select * from early on conflict do nothing
    `
    yield* sql`alter table delivery_attempts add constraint delivery_attempts_until check (event_id < ${until}) not valid`
    yield* sql`
      with early as (delete from delivery_attempts where event_id >= ${until} returning *)
      insert into delivery_attempts_default select * from early
    `
    yield* sql`set lock_timeout = 0`
    yield* sql`alter table delivery_attempts validate constraint delivery_attempts_until`
    yield* limitLockWaits

    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`alter table delivery_attempts rename to ${first}`
        yield* sql`alter index delivery_attempts_pkey rename to ${sql(`delivery_attempts_${week - 1}_pkey`)}`
        yield* sql`
          create table delivery_attempts (
            like ${first}, primary key (store_id, event_id, installation_id, attempt)
          ) partition by range (event_id)
        `
        yield* sql`alter table delivery_attempts attach partition ${first} for values from (minvalue) to (${until})`
        yield* sql`alter table ${first} drop constraint delivery_attempts_until`
        yield* sql`alter table delivery_attempts attach partition delivery_attempts_default default`
      })
    )
  })
})
