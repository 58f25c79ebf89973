import { Effect, Layer, Redacted, Schema } from "effect"
import { hash } from "node:crypto"
import { Capability } from "../domain/access/Capability.ts"
import { type Installation, InstallationId, InstallationInactive } from "../domain/access/Installations.ts"
import { Scope } from "../domain/access/Scope.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { RateLimit, RateLimitExceeded, type Refusal, WINDOW_REQUESTS, WINDOW_SECONDS } from "../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../domain/Store.ts"
import { ADMISSION_LANES, Door } from "./database/Postgres.ts"
import { statement } from "./database/Statement.ts"
import { traced } from "./Traced.ts"

/** Admissions that share a statement at most. */
const BATCH = 100

const Row = Schema.Struct({
  place: Schema.Int,
  storeId: Schema.typeSchema(StoreId),
  id: Schema.typeSchema(InstallationId),
  scopes: Schema.Array(Scope),
  capabilities: Schema.Array(Capability),
  isActive: Schema.Boolean,
  isGone: Schema.Boolean,
  isAdmitted: Schema.Boolean
})
type Row = typeof Row.Type

const decode = Schema.decodeUnknownEither(Schema.Array(Row))

interface Asked {
  readonly hash: Buffer
  readonly answer: (outcome: Effect.Effect<Installation, Refusal>) => void
}

const answerOf = (row: Row | undefined): Effect.Effect<Installation, Refusal> => {
  if (row === undefined) return new InvalidToken()
  if (!row.isActive) return new InstallationInactive()
  if (row.isGone) return new StoreNotFound()
  return row.isAdmitted ? Effect.succeed(row) : new RateLimitExceeded()
}

const WINDOW_MICROS = WINDOW_SECONDS * 1_000_000

// asked: the planner does not look into a subquery. Where it sees that the list is shorter than it assumes, it plans anew
// each time: 0.7 ms for an admission that takes 0.2.
// locked: windows are locked in the order of their key, so that two statements never wait for each other.
// timed: the clock is read once the lock is held, in a query of its own. Read before, a request that waited would be
// counted too early. It never runs backwards: where it was set back, hits of the future keep the window shut. Those
// farther ahead than a window are dropped, or it would be shut until the clock has caught up.
// decided: of n requests at once, the k-th fits when the hit that it would push out has left the window.
const admitAll = statement(`
  with bearer as materialized (
    select
      asked.place, i.store_id, i.id as installation_id, i.scopes, i.capabilities, i.is_active,
      s.deleted_at is not null as is_gone
    from unnest((select $1::bytea[])) with ordinality as asked (hash, place)
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
    select store_id, installation_id, n, hits, greatest(clock, hits[cardinality(hits)]) as now
    from (
      select store_id, installation_id, n, clock, case when hits[cardinality(hits)] > clock + ${WINDOW_MICROS}
        then array(select hit from unnest(hits) as hit where hit <= clock + ${WINDOW_MICROS} order by hit) else hits
      end as hits
      from (select *, clock_micros() as clock from locked) as read
    ) as kept
  ), decided as materialized (
    select timed.*, (
      select count(*)::integer from generate_series(1, least(n, ${WINDOW_REQUESTS})) as k
      where coalesce(hits[cardinality(hits) + k - ${WINDOW_REQUESTS}] <= now - ${WINDOW_MICROS}, true)
    ) as granted
    from timed
  ), counted as (
    update rate_windows w
    set hits = (d.hits || array_fill(d.now, array[d.granted]))[greatest(1, cardinality(d.hits) + d.granted + 1 - ${WINDOW_REQUESTS}):]
    from decided d
    where w.store_id = d.store_id and w.installation_id = d.installation_id and d.granted > 0
  )
  select
    place::integer, store_id as "storeId", installation_id as id, array_to_json(scopes) as scopes,
    array_to_json(capabilities) as capabilities, is_active as "isActive", is_gone as "isGone",
    coalesce(row_number() over (partition by store_id, installation_id order by place) <= granted, false)
      as "isAdmitted"
  from bearer left join decided using (store_id, installation_id)
`)

/**
 * The exact rolling window. A row for each installation holds the instants of its last 100 admitted requests; one more
 * is admitted when the oldest of them has left the window. Requests that come in one turn of the event loop, or while
 * all lanes are busy, share a statement: alone a request waits for nobody, and under load the cost of a statement and
 * its commit is divided. It is asked by callback, for every request pays for what stands here.
 */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.map(Door, ({ send }) => {
    const waiting: Array<Asked> = []
    let free = ADMISSION_LANES

    const admitWaiting = () => {
      if (free === 0 || waiting.length === 0) return
      free--
      const batch = waiting.splice(0, BATCH)
      send(admitAll(batch.map(({ hash }) => hash)), (answer) => {
        free++
        admitWaiting()
        const admitted = Effect.flatMap(answer, ({ rows }) => Effect.orDie(decode(rows)))
        for (const [index, { answer }] of batch.entries()) {
          answer(Effect.flatMap(admitted, (rows) => answerOf(rows.find(({ place }) => place === index + 1))))
        }
      })
    }

    return RateLimit.of({
      admit: (token) =>
        Effect.async<Installation, Refusal>((answer) => {
          if (waiting.push({ hash: hash("sha256", Redacted.value(token), "buffer"), answer }) === 1)
            setImmediate(admitWaiting)
        }).pipe(traced("RateLimit.admit"))
    })
  })
)
