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
import { sha256 } from "../Secrets.ts"

/** Installation of a token, and the decision about its request. */
const Bearer = Schema.Struct({
  place: Schema.Int,
  storeId: Schema.toType(StoreId),
  id: Schema.toType(InstallationId),
  scopes: storedList(Scope),
  capabilities: storedList(Capability),
  isActive: Schema.Boolean,
  isGone: Schema.Boolean,
  isMoved: Schema.Boolean,
  isLocked: Schema.Boolean,
  isAdmitted: Schema.Boolean,
  written: Schema.NullOr(Schema.Number)
})

/** Implements the exact rolling window: a row of an installation holds the instants of the admitted requests in its window. */
export const RateLimitLive = Layer.effect(
  RateLimit,
  Effect.gen(function* () {
    const { batch, sql } = yield* AdmissionPool

    // The subquery around the list hides its length from the planner, which would otherwise plan each statement anew:
    // 0.7 ms for an admission that takes 0.2.
    const admitAll = (requests: ReadonlyArray<{ readonly hash: Buffer }>) => sql`
      with bearer as materialized (
        select
          asked.place, i.store_id, i.id as installation_id, i.scopes, i.capabilities, i.is_active,
          s.deleted_at is not null as is_gone, s.moved_at is not null as is_moved
        from unnest((select ${requests.map(({ hash }) => hash)}::bytea[])) with ordinality as asked (hash, place)
        join access_tokens t on t.token_hash = asked.hash and t.expires_at > clock_timestamp()
        join installations i on i.store_id = t.store_id and i.id = t.installation_id
        join stores s on s.id = i.store_id
      ), wanted as (
        select store_id, installation_id, count(*)::integer as n, ${constant(WINDOW_REQUESTS)} as most
        from bearer where is_active and not is_gone and not is_moved group by store_id, installation_id
      ), ${rollingWindowCtes("rate_windows", ["store_id", "installation_id"], ["written"])}
      select
        place::integer, store_id as "storeId", installation_id as id, array_to_json(scopes) as scopes,
        array_to_json(capabilities) as capabilities, is_active as "isActive", is_gone as "isGone",
        is_moved as "isMoved", is_active and not is_gone and not is_moved and granted is null as "isLocked",
        coalesce(row_number() over (partition by store_id, installation_id order by place) <= granted, false)
          as "isAdmitted", (written - '0/0')::float8 as written
      from bearer left join decided using (store_id, installation_id)
    `
    const refusals = Metric.withAttributes(windowRefusals, { "principal.type": "installation" })
    const findBearer = retryLockedWindows(yield* batch(admitAll, Bearer))

    return RateLimit.of({
      admit: Effect.fn("RateLimit.admit")(function* (token) {
        const found = yield* findBearer({ hash: sha256(token) })
        if (Option.isNone(found)) return yield* new InvalidToken()
        const { isActive, isAdmitted, isGone, isMoved, ...installation } = found.value
        if (isMoved) return yield* Effect.die(new StoreMoved())
        if (!isActive) return yield* new InstallationSuspended()
        if (isGone) return yield* new StoreNotFound()
        if (isAdmitted) return installation
        yield* Metric.update(refusals, 1)
        return yield* new RateLimitExceeded()
      })
    })
  })
)
