import { Effect, Layer, Redacted, Schema } from "effect"
import { hash } from "node:crypto"
import { Capability } from "../domain/access/Capability.ts"
import { type Installation, InstallationId, InstallationSuspended } from "../domain/access/Installations.ts"
import { Scope } from "../domain/access/Scope.ts"
import { InvalidToken } from "../domain/access/Tokens.ts"
import { RateLimit, RateLimitExceeded, type Refusal, WINDOW_REQUESTS } from "../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../domain/Store.ts"
import { ADMISSION_LANES, Door } from "./database/Postgres.ts"
import { statement } from "./database/Statement.ts"
import { countedIn } from "./RollingWindow.ts"
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
  if (!row.isActive) return new InstallationSuspended()
  if (row.isGone) return new StoreNotFound()
  return row.isAdmitted ? Effect.succeed(row) : new RateLimitExceeded()
}

// asked: the planner does not look into a subquery. Where it sees that the list is shorter than it assumes, it plans anew
// each time: 0.7 ms for an admission that takes 0.2.
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
    select store_id, installation_id, count(*)::integer as n, ${WINDOW_REQUESTS} as most
    from bearer where is_active and not is_gone group by store_id, installation_id
  ), ${countedIn("rate_windows", ["store_id", "installation_id"])}
  select
    place::integer, store_id as "storeId", installation_id as id, array_to_json(scopes) as scopes,
    array_to_json(capabilities) as capabilities, is_active as "isActive", is_gone as "isGone",
    coalesce(row_number() over (partition by store_id, installation_id order by place) <= granted, false)
      as "isAdmitted"
  from bearer left join decided using (store_id, installation_id)
`)

/**
 * The exact rolling window. A row for each installation holds the instants of the admitted requests that are in it; one
 * more is admitted when there are fewer than 100. Requests that come in one turn of the event loop, or while
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
