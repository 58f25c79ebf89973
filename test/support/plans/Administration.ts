import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { AgentId, AppId } from "../../../src/domain/access/Ids.ts"
import { type Installation, Installations } from "../../../src/domain/access/Installations.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { Requests } from "../../../src/domain/access/Requests.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Billing } from "../../../src/domain/billing/Billing.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { Activity } from "../../../src/domain/journal/Activity.ts"
import type { Write } from "../../../src/domain/Write.ts"
import { StoreWebhooks } from "../../../src/domain/webhooks/StoreWebhooks.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { makeMerchant } from "../rpc/Merchants.ts"

const decodeDelivery = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(EventId) }))
const decodeApp = Schema.decodeUnknownEffect(Schema.Struct({ appId: Schema.toType(AppId) }))
const decodeAgent = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(AgentId) }))

const PLAN = { price: 9.9, currencyCode: "EUR", period: "month", trialDays: 14 } as const

const REQUEST = { at: "", method: "GET", route: "/", status: 200, milliseconds: 1, requestId: "1" }

/** All procedures of members about an installed app, by name. Each runs once, in order. */
export const administration = Effect.fn(function* (
  { id, storeId }: Installation,
  perform: <A, E>(write: Write<A, E>) => Effect.Effect<unknown, unknown>
) {
  const installations = yield* Installations
  const webhooks = yield* StoreWebhooks
  const { deliveries } = yield* Webhooks
  const billing = yield* Billing
  const requests = yield* Requests
  const sql = yield* SqlClient.SqlClient
  const activity = yield* Activity
  const agents = yield* Agents
  const merchants = yield* Merchants
  const stores = yield* Stores
  const guest = yield* makeMerchant()
  yield* Effect.orDie(perform(agents.create(storeId, guest.id, { name: "An agent", scopes: [] }).write))
  const [agentRow] = yield* sql`select id from agents where store_id = ${storeId} and created_by = ${guest.id}`
  const { id: agent } = yield* decodeAgent(agentRow)
  const [appRow] = yield* sql`select app_id as "appId" from installations where store_id = ${storeId} and id = ${id}`
  const { appId } = yield* decodeApp(appRow)
  const basic = yield* billing.setPlan(appId, { ...PLAN, name: "Basic" })
  const pro = yield* billing.setPlan(appId, { ...PLAN, name: "Pro" })
  const [deliveryRow] = yield* sql`
    select event_id as id from deliveries
    where store_id = ${storeId} and installation_id = ${id} order by event_id desc limit 1
  `
  const delivery = yield* decodeDelivery(deliveryRow)
  const work: ReadonlyArray<readonly [name: string, work: Effect.Effect<unknown, unknown>]> = [
    ["the apps on a store", installations.listInstalled(storeId, { limit: 20 })],
    ["an app on a store", installations.getInstalled(storeId, id)],
    ["an app that is suspended", perform(installations.suspend(storeId, id))],
    ["an app that is resumed", perform(installations.resume(storeId, id))],
    [
      "requests of an app",
      Effect.andThen(
        Effect.sync(() => requests.note({ id, storeId }, REQUEST)),
        requests.recent(storeId, id)
      )
    ],
    ["a webhook", webhooks.show(storeId, id)],
    ["deliveries of an app", webhooks.deliveries(storeId, id, { limit: 20 })],
    ["deliveries behind one", webhooks.deliveries(storeId, id, { limit: 20, cursor: delivery.id })],
    ["deliveries that are dead", webhooks.deliveries(storeId, id, { limit: 20, state: "dead" })],
    ["all deliveries of an app", deliveries(appId, { limit: 20 })],
    ["all deliveries behind one", deliveries(appId, { limit: 20, cursor: delivery.id })],
    ["all deliveries that are dead", deliveries(appId, { limit: 20, state: "dead" })],
    ["a delivery", webhooks.delivery(storeId, id, delivery.id)],
    ["a redelivery", perform(webhooks.redeliver(storeId, id, delivery.id))],
    ["deliveries that wait", perform(webhooks.hold(storeId, id))],
    ["deliveries that go on", perform(webhooks.release(storeId, id))],
    ["plans of an app", billing.plans(storeId, id)],
    ["the subscription of an app", billing.current({ id, storeId })],
    ["an app that is subscribed", perform(billing.subscribe(storeId, id, basic))],
    ["a subscription that is changed", perform(billing.change(storeId, id, pro))],
    ["a subscription that is cancelled", perform(billing.cancel(storeId, id))],
    ["the subscriptions of a store", billing.subscriptions(storeId, { cursor: undefined, limit: 20 })],
    ["names of what is administered", activity.names(storeId, [id, agent, guest.id])],
    ["settings that are changed", perform(stores.updateSettings(storeId, { name: randomUUID() }))],
    ["a plan that stays", perform(stores.setPlan(storeId, "scale"))],
    ["a member who joins", perform(merchants.join(storeId, guest.email, "staff"))],
    ["a member who leaves", perform(merchants.leave(storeId, guest.id))],
    ["an agent that is changed", perform(agents.update(storeId, agent, { name: randomUUID() }))],
    ["an agent that is revoked", perform(agents.revoke(storeId, agent))],
    ["an app that is installed again", perform(installations.install({ storeId, appId, ...ALL_GRANTS }))]
  ]
  return work
})
