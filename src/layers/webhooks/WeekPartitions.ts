import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { startOfWeek, WEEK } from "../sql/Weeks.ts"

/** Weeks after this one that have partitions. */
const WEEKS_AHEAD = 2

/** Deliveries whose rows move to the default partition while writers wait for the table. */
const MAX_NEEDED = 1000

/** Table whose rows belong to the weeks of their events. */
interface WeekTable {
  readonly table: "events" | "delivery_attempts"
  /** Column with the id of the event. */
  readonly id: "id" | "event_id"
}

const readWeeks = requiredRowReader(
  Schema.Struct({
    now: Schema.Int,
    expired: Schema.Int,
    existing: Schema.Array(Schema.Int),
    storage: Schema.String
  })
)

const readNeeded = requiredRowReader(Schema.Struct({ count: Schema.Int, isMoving: Schema.Boolean }))

/**
 * Partitions of a table. Each holds the rows of the events of a week, so that they are dropped and not deleted one by one.
 * The first one also holds all older rows.
 *
 * A week is dropped when it is older than `DELIVERY_DAYS`, and few deliveries of it are left: sent again, or resumed after
 * weeks. Their rows move to the default partition, so that one delivery does not keep a week of all stores. A week with
 * more deliveries waits until they are finished and purged.
 */
export const makeWeekPartitions = Effect.fnUntraced(function* ({ id, table }: WeekTable) {
  const sql = yield* SqlClient.SqlClient
  const { deliveryDays } = yield* OperatorLimits
  const [whole, other] = [sql(table), sql(`${table}_default`)]

  const weeks = readWeeks(sql`
    select
      floor(extract(epoch from now()) / ${constant(WEEK)})::integer as now,
      floor(extract(epoch from now() - interval '${constant(deliveryDays)} days') / ${constant(WEEK)})::integer as expired,
      array(
        select substring(c.relname from '[0-9]+$')::integer from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ${table}::regclass and c.relname ~ ('^' || ${table} || '_[0-9]+$') order by 1
      ) as existing,
      coalesce('with (' || array_to_string(reloptions, ', ') || ')', '') as storage
    from pg_class where oid = ${`${table}_default`}::regclass
  `)

  /** Locks the table, but not its partitions: writers wait for their partition through it. */
  const lock = Effect.andThen(
    sql`set local lock_timeout = '2s'`,
    sql`lock table only ${whole} in access exclusive mode`
  )

  /**
   * Rows that came before their partition stay in the default one. Storage parameters are those of the default one, because
   * a partitioned table has none.
   */
  const create = Effect.fnUntraced(function* (week: number, storage: string) {
    const [from, to] = [startOfWeek(week), startOfWeek(week + 1)]
    const early = yield* sql`select from ${other} where ${sql(id)} >= ${from} and ${sql(id)} < ${to} limit 1`
    if (early.length > 0) return
    yield* lock
    yield* sql`
      create table if not exists ${sql(`${table}_${week}`)} partition of ${whole}
      for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)}) ${sql.literal(storage)}
    `
  }, sql.withTransaction)

  /** Selects deliveries of a week. More than `MAX_NEEDED` are not counted. */
  const needed = (from: string, to: string) => sql`
    select d.store_id, d.event_id from apps cross join lateral (
      select store_id, event_id from deliveries d
      where d.app_id = apps.id and d.event_id >= ${from} and d.event_id < ${to} limit ${constant(MAX_NEEDED + 1)}
    ) d limit ${constant(MAX_NEEDED + 1)}
  `

  /**
   * A store that moves to another cell has triggers on the table. Its rows must stay: the cells would differ, and rows in
   * another partition would be copied again.
   */
  const isKept = (from: string, to: string) =>
    Effect.map(
      readNeeded(sql`
        select count(*)::integer as count, exists (
          select from pg_trigger where tgrelid = ${table}::regclass and starts_with(tgname, 'store_move_')
        ) as "isMoving"
        from (${needed(from, to)}) d
      `),
      ({ count, isMoving }) => isMoving || count > MAX_NEEDED
    )

  /** Checks again under the lock: a restore may have added deliveries. */
  const drop = Effect.fnUntraced(function* (week: number, from: string) {
    const [to, partition] = [startOfWeek(week + 1), `${table}_${week}`]
    if (yield* isKept(from, to)) return 0
    yield* lock
    const found = yield* sql`select from pg_class where oid = to_regclass(${partition})`
    if (found.length === 0 || (yield* isKept(from, to))) return 0
    yield* sql`alter table ${whole} detach partition ${sql(partition)}`
    yield* sql`
      insert into ${other} select p.* from (select distinct store_id, event_id from (${needed(from, to)}) d) d
      join ${sql(partition)} p on p.store_id = d.store_id and p.${sql(id)} = d.event_id
    `
    yield* sql`drop table ${sql(partition)}`
    return 1
  }, sql.withTransaction)

  return {
    /** Makes the partitions of the next weeks. */
    create: Effect.gen(function* () {
      const { existing, now, storage } = yield* weeks
      const last = existing.at(-1) ?? now - 1
      for (let week = Math.max(last + 1, now); week <= now + WEEKS_AHEAD; week++) yield* create(week, storage)
    }),

    /** Drops the partitions that are older than `DELIVERY_DAYS`. Returns their number. */
    drop: Effect.gen(function* () {
      const { existing, expired } = yield* weeks
      let dropped = 0
      for (const [index, week] of existing.entries()) {
        if (week < expired) dropped += yield* drop(week, startOfWeek(index === 0 ? 0 : week))
      }
      return dropped
    })
  }
})
