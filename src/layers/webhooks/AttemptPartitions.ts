import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OperatorLimits } from "../../domain/OperatorLimits.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { requiredRowReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"

/** Weeks after this one that have partitions. */
const WEEKS_AHEAD = 2

const WEEK = 604_800

const startOf = (week: number) => leastUuidOf(new Date(week * WEEK * 1000))

const readWeeks = requiredRowReader(
  Schema.Struct({ now: Schema.Int, expired: Schema.Int, existing: Schema.Array(Schema.Int) })
)

/**
 * Partitions of the attempts of deliveries. Each holds those of the events of a week, counted from 1970, so that they are
 * dropped and not deleted one by one. The first one also holds all older attempts.
 */
export const makeAttemptPartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { deliveryDays } = yield* OperatorLimits

  const weeks = readWeeks(sql`
    select
      floor(extract(epoch from now()) / ${constant(WEEK)})::integer as now,
      floor(extract(epoch from now() - interval '${constant(deliveryDays)} days') / ${constant(WEEK)})::integer as expired,
      array(
        select substring(c.relname from '[0-9]+$')::integer from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'delivery_attempts'::regclass and c.relname ~ '^delivery_attempts_[0-9]+$' order by 1
      ) as existing
  `)

  /** Locks the table, but not its partitions: writers wait for their partition through it. */
  const lock = Effect.andThen(
    sql`set local lock_timeout = '2s'`,
    sql`lock table only delivery_attempts in access exclusive mode`
  )

  /** Attempts that came before their partition stay in the default one. */
  const create = Effect.fnUntraced(function* (week: number) {
    const [from, to] = [startOf(week), startOf(week + 1)]
    const early = yield* sql`
      select from delivery_attempts_default where event_id >= ${from} and event_id < ${to} limit 1
    `
    if (early.length > 0) return
    yield* lock
    yield* sql`
      create table if not exists ${sql(`delivery_attempts_${week}`)} partition of delivery_attempts
      for values from (${sql.literal(`'${from}'`)}) to (${sql.literal(`'${to}'`)})
    `
  }, sql.withTransaction)

  const isNeeded = (from: string, to: string) =>
    Effect.map(
      sql`
        select from apps cross join lateral (
          select from deliveries d where d.app_id = apps.id and d.event_id >= ${from} and d.event_id < ${to} limit 1
        ) d limit 1
      `,
      ({ length }) => length > 0
    )

  /** Checks again under the lock: a restore may have added deliveries. */
  const drop = Effect.fnUntraced(function* (week: number, from: string) {
    if (yield* isNeeded(from, startOf(week + 1))) return 0
    yield* lock
    if (yield* isNeeded(from, startOf(week + 1))) return 0
    yield* sql`drop table if exists ${sql(`delivery_attempts_${week}`)}`
    return 1
  }, sql.withTransaction)

  return {
    /** Makes the partitions of the next weeks. */
    create: Effect.gen(function* () {
      const { existing, now } = yield* weeks
      const last = existing.at(-1) ?? now - 1
      for (let week = Math.max(last + 1, now); week <= now + WEEKS_AHEAD; week++) yield* create(week)
    }),

    /** Drops the partitions without deliveries that are older than `DELIVERY_DAYS`. Returns their number. */
    drop: Effect.gen(function* () {
      const { existing, expired } = yield* weeks
      let dropped = 0
      for (const [index, week] of existing.entries()) {
        if (week < expired) dropped += yield* drop(week, index === 0 ? startOf(0) : startOf(week))
      }
      return dropped
    })
  }
})
