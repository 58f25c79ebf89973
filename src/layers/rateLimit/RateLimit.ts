import { Effect, Layer, Metric, Option, Schema } from "effect"
import { Capability } from "../../domain/access/Capability.ts"
import { InstallationId } from "../../domain/access/Ids.ts"
import { InstallationSuspended } from "../../domain/access/Installations.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { StoreMoved } from "../../domain/cells/Cells.ts"
import { windowRefusals } from "../../domain/Metrics.ts"
import { RateLimit, RateLimitExceeded, WINDOW_REQUESTS } from "../../domain/RateLimit.ts"
import { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { storedList } from "../../domain/json/StoredList.ts"
import { AdmissionPool } from "../sql/Postgres.ts"
import { constant } from "../sql/Statement.ts"
import { retryLockedWindows } from "./LockedWindows.ts"
import { rollingWindowCtes } from "./RollingWindow.ts"
import { isElsewhere } from "../storeMove/Moving.ts"
import { sha256 } from "../Secrets.ts"
import { traced } from "../telemetry/Traced.ts"

/** Installation of a token. */
const Bearer = Schema.Struct({
  place: Schema.Int,
  storeId: Schema.toType(StoreId),
  id: Schema.toType(InstallationId),
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  isActive: Schema.Boolean,
  isGone: Schema.Boolean,
  isMoved: Schema.Boolean
})
type Bearer = typeof Bearer.Type

/** Installation of a token, and the decision about its request. */
const Admission = Schema.Struct({
  ...Bearer.fields,
  isLocked: Schema.Boolean,
  isAdmitted: Schema.Boolean,
  written: Schema.NullOr(Schema.Number)
})

interface TokenRequest {
  readonly hash: Buffer
}

/** Returns what a token admits to, or the error of the first check that fails. */
const authenticated = <A extends Bearer>(found: Option.Option<A>) =>
  Effect.gen(function* () {
    if (Option.isNone(found)) return yield* new InvalidToken()
    const { isActive, isGone, isMoved, ...installation } = found.value
    if (isMoved) return yield* Effect.die(new StoreMoved())
    if (!isActive) return yield* new InstallationSuspended()
    return isGone ? yield* new StoreNotFound() : installation
  })

/** Implements the exact rolling window: a row of an installation holds the instants of the admitted requests in its window. */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const { batch, sql } = yield* AdmissionPool

    // The subquery around the list hides its length from the planner, which would otherwise plan each statement anew:
    // 0.7 ms for an admission that takes 0.2.
    const bearerOf = (requests: ReadonlyArray<TokenRequest>) => sql`
      bearer as materialized (
        select
          asked.place, i.store_id, i.id as installation_id, i.scopes, i.capabilities, i.is_active,
          s.deleted_at is not null as is_gone, s.moved_at is not null or ${isElsewhere("s.id")} as is_moved
        from unnest((select ${requests.map(({ hash }) => hash)}::bytea[])) with ordinality as asked (hash, place)
        join access_tokens t on t.token_hash = asked.hash and t.expires_at > clock_timestamp()
        join installations i on i.store_id = t.store_id and i.id = t.installation_id
        join stores s on s.id = i.store_id
      )
    `
    const bearerColumns = sql.literal(`
      place::integer, store_id as "storeId", installation_id as id, array_to_json(scopes) as scopes,
      array_to_json(capabilities) as capabilities, is_active as "isActive", is_gone as "isGone", is_moved as "isMoved"
    `)
    const findAll = (requests: ReadonlyArray<TokenRequest>) => sql`
      with ${bearerOf(requests)} select ${bearerColumns} from bearer
    `
    const admitAll = (requests: ReadonlyArray<TokenRequest>) => sql`
      with ${bearerOf(requests)}, wanted as (
        select store_id, installation_id, count(*)::integer as n, ${constant(WINDOW_REQUESTS)} as most
        from bearer where is_active and not is_gone and not is_moved group by store_id, installation_id
      ), ${rollingWindowCtes("rate_windows", ["store_id", "installation_id"], ["written"])}
      select
        ${bearerColumns}, is_active and not is_gone and not is_moved and granted is null as "isLocked",
        coalesce(row_number() over (partition by store_id, installation_id order by place) <= granted, false)
          as "isAdmitted", (written - '0/0')::float8 as written
      from bearer left join decided using (store_id, installation_id)
    `
    const refusals = Metric.withAttributes(windowRefusals, { "principal.type": "installation" })
    const findAdmitted = retryLockedWindows(yield* batch(admitAll, Admission))
    const findBearer = yield* batch(findAll, Bearer)

    return RateLimit.of({
      admit: traced("RateLimit.admit")(function* (token) {
        const { isAdmitted, ...installation } = yield* authenticated(yield* findAdmitted({ hash: sha256(token) }))
        if (isAdmitted) return installation
        yield* Metric.update(refusals, 1)
        return yield* new RateLimitExceeded()
      }),
      recheck: traced("RateLimit.recheck")((token) =>
        Effect.flatMap(findBearer({ hash: sha256(token) }), authenticated)
      )
    })
  })
)
