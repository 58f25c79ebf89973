import { PgClient } from "@effect/sql-pg"
import { Chunk, Deferred, Effect, Layer, Queue, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { type Installation, InstallationId, InstallationInactive, InvalidToken, Scope } from "../domain/Installation.ts"
import { RateLimit, RateLimitExceeded, type Refusal, WINDOW_REQUESTS, WINDOW_SECONDS } from "../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../domain/Store.ts"
import { rowsOf } from "./Rows.ts"

/** Admissions that share a statement at most, and statements under way at once. */
const BATCH = 100
const LANES = 2

const Row = Schema.Struct({
  place: Schema.Int,
  storeId: Schema.typeSchema(StoreId),
  id: Schema.typeSchema(InstallationId),
  scopes: Schema.split(" ").pipe(Schema.compose(Schema.Array(Scope))),
  isActive: Schema.Boolean,
  isGone: Schema.Boolean,
  isAdmitted: Schema.Boolean
})
type Row = typeof Row.Type

interface Asked {
  readonly hash: Buffer
  readonly answer: Deferred.Deferred<Installation, Refusal>
}

const answerOf = (row: Row | undefined): Effect.Effect<Installation, Refusal> => {
  if (row === undefined) return new InvalidToken()
  if (!row.isActive) return new InstallationInactive()
  if (row.isGone) return new StoreNotFound()
  return row.isAdmitted ? Effect.succeed(row) : new RateLimitExceeded()
}

/**
 * The exact rolling window. A row for each installation holds the instants of its last 100 admitted requests; one more
 * is admitted when the oldest of them has left the window. Requests that arrive while a statement is under way share
 * the next one: alone a request waits for nobody, and under load the cost of a statement and its commit is divided.
 */
export const RateLimitLive = Layer.scoped(
  RateLimit,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const rows = rowsOf(Row)

    const size = sql.literal(String(WINDOW_REQUESTS))
    const length = sql.literal(String(WINDOW_SECONDS * 1_000_000))

    // locked: windows are locked in the order of their key, so that two statements never wait for each other.
    // timed: the clock is read once the lock is held, in a query of its own. Read before, a request that waited would
    // be counted too early. It never runs backwards: if it does, hits of the future keep the window shut.
    // decided: of n requests at once, the k-th fits when the hit that it would push out has left the window.
    const admitAll = (hashes: ReadonlyArray<Buffer>) =>
      rows(sql`
        with bearer as materialized (
          select
            asked.place, i.store_id, i.id as installation_id, i.scopes, i.is_active, s.deleted_at is not null as is_gone
          from unnest(${hashes}::bytea[]) with ordinality as asked (hash, place)
          join access_tokens t on t.token_hash = asked.hash and t.expires_at > clock_timestamp()
          join installations i on i.store_id = t.store_id and i.id = t.installation_id
          join stores s on s.id = i.store_id
        ), wanted as (
          select store_id, installation_id, count(*)::integer as n
          from bearer where is_active and not is_gone group by store_id, installation_id
        ), locked as materialized (
          select w.store_id, w.installation_id, w.hits, wanted.n
          from rate_windows w join wanted using (store_id, installation_id)
          order by w.store_id, w.installation_id for update of w
        ), timed as materialized (
          select *, greatest(clock_micros(), hits[cardinality(hits)]) as now from locked
        ), decided as materialized (
          select timed.*, (
            select count(*)::integer from generate_series(1, least(n, ${size})) as k
            where coalesce(hits[cardinality(hits) + k - ${size}] <= now - ${length}, true)
          ) as granted
          from timed
        ), counted as (
          update rate_windows w
          set hits = (d.hits || array_fill(d.now, array[d.granted]))[greatest(1, cardinality(d.hits) + d.granted + 1 - ${size}):]
          from decided d
          where w.store_id = d.store_id and w.installation_id = d.installation_id and d.granted > 0
        )
        select
          place::integer, store_id as "storeId", installation_id as id, array_to_string(scopes, ' ') as scopes,
          is_active as "isActive", is_gone as "isGone",
          coalesce(row_number() over (partition by store_id, installation_id order by place) <= granted, false)
            as "isAdmitted"
        from bearer left join decided using (store_id, installation_id)
      `)

    const queue = yield* Queue.unbounded<Asked>()

    const admitBatch = Effect.gen(function* () {
      const batch = Chunk.toReadonlyArray(yield* Queue.takeBetween(queue, 1, BATCH))
      const admitted = yield* Effect.exit(admitAll(batch.map(({ hash }) => hash)))
      yield* Effect.forEach(
        batch,
        ({ answer }, index) =>
          Deferred.complete(
            answer,
            Effect.flatMap(admitted, (found) => answerOf(found.find(({ place }) => place === index + 1)))
          ),
        { discard: true }
      )
    })
    yield* Effect.forkScoped(
      Effect.all(
        Array.from({ length: LANES }, () => Effect.forever(admitBatch)),
        { concurrency: "unbounded" }
      )
    )

    return RateLimit.of({
      admit: Effect.fn("RateLimit.admit")(function* (token) {
        const hash = createHash("sha256").update(Redacted.value(token)).digest()
        const answer = yield* Deferred.make<Installation, Refusal>()
        yield* Queue.offer(queue, { hash, answer })
        return yield* Deferred.await(answer)
      })
    })
  })
)
