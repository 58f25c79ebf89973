import { Effect, Layer, Option, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import { InstallationSuspended, type InstallationId, InstallationNotFound } from "../../domain/access/Installations.ts"
import { EventId } from "../../domain/Events.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import { StoreWebhooks } from "../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryNotFound, type DeliveryState } from "../../domain/webhooks/Webhook.ts"
import { INSTALLED } from "../access/InstallationState.ts"
import { lockedStore } from "../catalog/Allocation.ts"
import { countOf, firstOf, type Step, withClient } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { END, pageOf, START } from "../Pages.ts"
import { time } from "../Times.ts"
import { AFRESH, AT_REST, DELIVERY, deliveryPage, lookedFor } from "./DeliveryLog.ts"
import { insertLapsedAttempts } from "./DeliveryQueue.ts"

/** Deliveries that one statement offers at most. */
const BATCH = 5000

const selectInstalled = (store: StoreId, installation: InstallationId) => sql`
  select i.app_id as "appId", i.is_active as "isActive" from installations i
  where i.store_id = ${store} and i.id = ${installation} and ${INSTALLED}
`
const Installed = Schema.Struct({ appId: Schema.toType(AppId), isActive: Schema.Boolean })

const selectWebhook = (store: StoreId, installation: InstallationId) => sql`
  select json_build_object(
    'installationId', i.id, 'host', substring(w.url from '^[a-z]+://([^/?#]+)'), 'kinds', coalesce(w.kinds, '{}'),
    'failingSince', ${time("w.failing_since")}, 'pausedAt', ${time("w.paused_at")}, 'pauseReason', w.pause_reason,
    'heldSince', ${time("i.held_at")}
  )::text as json
  from installations i left join webhooks w on w.app_id = i.app_id
  where i.store_id = ${store} and i.id = ${installation} and ${INSTALLED}
`

interface Listed {
  readonly state: DeliveryState | null
  readonly limit: number
  readonly before: string
  readonly from: string
}

const selectPage = (store: StoreId, installation: InstallationId, { before, from, limit, state }: Listed) =>
  deliveryPage(
    sql`
      select * from deliveries d
      where d.store_id = ${store} and d.installation_id = ${installation} and d.event_id < ${before}
        and d.event_id >= ${from}
      order by d.event_id desc limit ${lookedFor(state, limit)}
    `,
    DELIVERY,
    state,
    limit
  )

const selectDelivery = (store: StoreId, installation: InstallationId, event: EventId) => sql`
  select json_build_object(${DELIVERY})::text as json from deliveries d
  where d.store_id = ${store} and d.installation_id = ${installation} and d.event_id = ${event}
`

const selectDetails = (store: StoreId, installation: InstallationId, event: EventId) => sql`
  select json_build_object(${DELIVERY}, 'log', (
    select coalesce(json_agg(json_build_object(
      'attempt', a.attempt, 'startedAt', ${time("a.started_at")}, 'durationMillis', a.duration_ms, 'status', a.status,
      'error', a.error
    ) order by a.attempt), '[]')
    from delivery_attempts a
    where a.store_id = d.store_id and a.event_id = d.event_id and a.installation_id = d.installation_id
  ))::text as json
  from deliveries d
  where d.store_id = ${store} and d.installation_id = ${installation} and d.event_id = ${event}
`

const redeliverOne = (store: StoreId, installation: InstallationId, event: EventId) => sql`
  with chosen as materialized (
    select * from deliveries
    where store_id = ${store} and installation_id = ${installation} and event_id = ${event} and ${AT_REST}
    for update
  ), lapsed as (
    ${insertLapsedAttempts("chosen")}
  )
  update deliveries d ${AFRESH} from chosen c
  where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
`

const updateHold = (store: StoreId, installation: InstallationId, isHeld: boolean) => sql`
  update installations i set held_at = case when ${isHeld} then clock_timestamp() end
  where i.store_id = ${store} and i.id = ${installation} and (i.held_at is null) = ${isHeld} and ${INSTALLED}
`

const offerSome = (store: StoreId, installation: InstallationId, from: string) => sql`
  with chosen as materialized (
    select store_id, event_id, installation_id from deliveries
    where store_id = ${store} and installation_id = ${installation} and event_id > ${from} and outcome = 'held'
    order by event_id limit ${constant(BATCH)} for update
  ), offered as (
    update deliveries d ${AFRESH} from chosen c
    where d.store_id = c.store_id and d.event_id = c.event_id and d.installation_id = c.installation_id
  )
  select max(event_id::text) as last from chosen having count(*) > 0
`

const installedOf = firstOf(Installed)
const lastOf = firstOf(Schema.Struct({ last: Schema.String }))
const Json = Schema.Struct({ json: Schema.String })
const jsonOf = firstOf(Json)

/** Makes all due that waits. */
const offer = Effect.fnUntraced(function* (store: StoreId, installation: InstallationId): Step<void> {
  let from = START
  while (true) {
    const offered = yield* lastOf(offerSome(store, installation, from))
    if (Option.isNone(offered)) return
    from = offered.value.last
  }
})

/** What the journal keeps of an installation whose deliveries wait, and of one whose deliveries do not. */
const PAUSED = { deliveries: "paused" }
const ACTIVE = { deliveries: "active" }

/** How the webhook stands, at the end of a write. */
const shown = Effect.fnUntraced(function* (store: StoreId, id: InstallationId): Step<string, InstallationNotFound> {
  const found = yield* jsonOf(selectWebhook(store, id))
  return Option.getOrUndefined(found)?.json ?? (yield* new InstallationNotFound({ id }))
})

export const StoreWebhooksLive = Layer.effect(
  StoreWebhooks,
  Effect.gen(function* () {
    const database = yield* Database
    const foundOf = database.first(Json)
    const requiredOf = database.first(Installed)
    const deliveriesOf = pageOf(database, EventId)

    const requireInstalled = (store: StoreId, id: InstallationId) =>
      Effect.flatMap(requiredOf(selectInstalled(store, id)), (found) =>
        Effect.mapError(Effect.fromOption(found), () => new InstallationNotFound({ id }))
      )

    return StoreWebhooks.of({
      show: Effect.fn("StoreWebhooks.show")(function* (store, id) {
        const found = yield* foundOf(selectWebhook(store, id))
        return Option.isSome(found) ? found.value.json : yield* new InstallationNotFound({ id })
      }),

      deliveries: Effect.fn("StoreWebhooks.deliveries")(function* (
        store,
        id,
        { cursor, limit, since, state = null, until }
      ) {
        yield* requireInstalled(store, id)
        const before = until === undefined ? END : leastUuidOf(until)
        const behind = cursor !== undefined && cursor < before ? cursor : before
        const from = since === undefined ? START : leastUuidOf(since)
        return yield* deliveriesOf(selectPage(store, id, { state, limit, before: behind, from }))
      }),

      delivery: Effect.fn("StoreWebhooks.delivery")(function* (store, id, event) {
        const { appId } = yield* requireInstalled(store, id)
        const found = yield* foundOf(selectDetails(store, id, event))
        return Option.isSome(found) ? found.value.json : yield* new DeliveryNotFound({ appId, eventId: event })
      }),

      redeliver: (store, id, event) =>
        Effect.gen(function* () {
          const found = yield* installedOf(selectInstalled(store, id))
          const { appId, isActive } = Option.getOrUndefined(found) ?? (yield* new InstallationNotFound({ id }))
          if (!isActive) yield* new InstallationSuspended()
          yield* countOf(redeliverOne(store, id, event))
          const sent = yield* jsonOf(selectDelivery(store, id, event))
          return Option.getOrUndefined(sent)?.json ?? (yield* new DeliveryNotFound({ appId, eventId: event }))
        }),

      hold: (store, id) =>
        Effect.gen(function* () {
          const held = yield* countOf(updateHold(store, id, true))
          if (held > 0) yield* withClient((sql) => recordAdministered(sql, store, "installation", id, ACTIVE, PAUSED))
          return yield* shown(store, id)
        }),

      // Most of what waits is offered before the store is locked, and what is written meanwhile, which waits too, after it.
      release: (store, id) =>
        Effect.gen(function* () {
          const released = yield* countOf(updateHold(store, id, false))
          if (released > 0) {
            yield* offer(store, id)
            yield* lockedStore(store)
            yield* offer(store, id)
            yield* withClient((sql) => recordAdministered(sql, store, "installation", id, PAUSED, ACTIVE))
          }
          return yield* shown(store, id)
        })
    })
  })
)
