import { Effect, Layer, Metric, Option, Schema } from "effect"
import type { Installation } from "../domain/access/Installations.ts"
import { reads } from "../domain/Metrics.ts"
import { Reads } from "../domain/Reads.ts"
import { retryLockedWindows } from "./rateLimit/LockedWindows.ts"
import { plainArray } from "./sql/ArrayLiterals.ts"
import { ReadFrom } from "./sql/Client.ts"
import { isDatabaseFault } from "./sql/Errors.ts"
import { AdmissionPool } from "./sql/Postgres.ts"
import { ReadReplica, type Replica } from "./sql/Replica.ts"

interface Written extends Pick<Installation, "id" | "storeId"> {
  readonly hash: Buffer
}

const Recorded = Schema.Struct({ place: Schema.Int, isLocked: Schema.Boolean })

const [fromReplica, fromPrimary] = [
  Metric.withAttributes(reads, { target: "replica" }),
  Metric.withAttributes(reads, { target: "primary" })
]

const makeReads = Effect.fnUntraced(function* ({ hasReplayed, pool }: Replica) {
  const { batch, sql } = yield* AdmissionPool

  // The position is read after the lock, and after the commit of each write: the statement starts later. Locked windows are
  // skipped and recorded again, as in admission, so that the statement waits for no tenant.
  const recordAll = (written: ReadonlyArray<Written>) => sql`
    with written as materialized (
      select place, store_id, installation_id
      from unnest(
        (select ${plainArray(written.map(({ storeId }) => storeId))}::uuid[]),
        (select ${plainArray(written.map(({ id }) => id))}::uuid[])
      ) with ordinality as asked (store_id, installation_id, place)
    ), locked as materialized (
      select store_id, installation_id from rate_windows w
      where (store_id, installation_id) in (select store_id, installation_id from written)
      for no key update of w skip locked
    ), recorded as (
      update rate_windows w set written = pg_current_wal_insert_lsn() from locked l
      where w.store_id = l.store_id and w.installation_id = l.installation_id
    )
    select place::integer, l.store_id is null as "isLocked"
    from written join rate_windows using (store_id, installation_id) left join locked l using (store_id, installation_id)
  `
  const record = retryLockedWindows(yield* batch(recordAll, Recorded))

  return Reads.of({
    onReplica: ({ written }, read) =>
      Effect.suspend(() => {
        const onPrimary = Effect.andThen(Metric.update(fromPrimary, 1), read)
        if (!hasReplayed(written ?? 0)) return onPrimary
        return Effect.provideService(read, ReadFrom, pool).pipe(
          Effect.tap(Metric.update(fromReplica, 1)),
          Effect.catchCause((cause) => (isDatabaseFault(cause) ? onPrimary : Effect.failCause(cause)))
        )
      }),

    // Also after a failure or an interruption: the write may be done.
    onPrimary: ({ id, storeId }, effect) => Effect.onExit(effect, () => record({ id, storeId, hash: Buffer.from(id) }))
  })
})

const WITHOUT_REPLICA = Reads.of({ onReplica: (_, read) => read, onPrimary: (_, effect) => effect })

export const ReadsLive = Layer.effect(
  Reads,
  Effect.flatMap(ReadReplica, Option.match({ onNone: () => Effect.succeed(WITHOUT_REPLICA), onSome: makeReads }))
)
