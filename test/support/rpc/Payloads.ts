import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { putCustomers, putOrders } from "../data/Records.ts"
import { agentOf, freshMember, newKey } from "./Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

/** A payload of every procedure of a store. The tests fail for a procedure that is missing here. */
const payloadsOf = (
  ids: Readonly<Record<"product" | "collection" | "order" | "customer" | "agent" | "entry" | "proposal", string>>,
  merchantId: string,
  email: string
) => {
  const { agent, collection, customer, entry, order, product, proposal } = ids
  return {
    "products.list": {},
    "products.get": { id: product },
    "products.create": { idempotencyKey: randomUUID(), product: { name: "Stray" } },
    "products.update": { idempotencyKey: randomUUID(), id: product, patch: { name: "Stray" } },
    "products.delete": { idempotencyKey: randomUUID(), id: product },
    "collections.list": {},
    "collections.get": { id: collection },
    "collections.create": { idempotencyKey: randomUUID(), collection: { title: "Stray" } },
    "collections.update": { idempotencyKey: randomUUID(), id: collection, patch: { title: "Stray" } },
    "collections.delete": { idempotencyKey: randomUUID(), id: collection },
    "products.query": {},
    "collections.query": {},
    "orders.query": {},
    "customers.query": {},
    "products.search": { query: "secret" },
    "products.summaries": { ids: [product] },
    "collections.preview": { id: collection },
    "collections.why": { id: collection, productId: product },
    "inventory.change": { idempotencyKey: randomUUID(), id: product, change: { adjust: 1 } },
    "changes.list": {},
    "digest.get": { resource: "products" },
    "orders.list": {},
    "orders.get": { id: order },
    "orders.summary": { days: 7 },
    "customers.list": {},
    "customers.get": { id: customer },
    "activity.list": {},
    "activity.get": { id: entry },
    "activity.fields": { resource: "product", resourceId: product },
    "activity.names": { ids: [product] },
    "activity.undo": { idempotencyKey: randomUUID(), id: entry },
    "activity.undoSpan": {
      idempotencyKey: randomUUID(),
      actorId: merchantId,
      since: "2026-01-31T09:30:00Z",
      until: "2026-01-31T09:30:00Z"
    },
    "changeSets.create": {
      idempotencyKey: randomUUID(),
      mode: "each",
      operations: [{ op: "product.create", product: { name: "Stray" } }]
    },
    "changeSets.list": {},
    "changeSets.get": { id: product },
    "changeSets.results": { id: product },
    "changeSets.apply": { idempotencyKey: randomUUID(), id: product },
    "changeSets.cancel": { idempotencyKey: randomUUID(), id: product },
    "changeSets.undo": { idempotencyKey: randomUUID(), id: product },
    "exports.create": { idempotencyKey: randomUUID(), kind: "customers" },
    "exports.list": {},
    "exports.get": { id: product },
    "exports.read": { id: product, part: 0 },
    "exports.cancel": { id: product },
    "exports.delete": { id: product },
    "files.list": {},
    "files.fetch": { idempotencyKey: randomUUID(), url: "https://127.0.0.1/desk.png" },
    "files.update": { idempotencyKey: randomUUID(), id: product, alt: "A desk" },
    "files.delete": { idempotencyKey: randomUUID(), id: product },
    "views.list": {},
    "views.create": {
      idempotencyKey: randomUUID(),
      view: { resource: "products", name: "Stray", query: {}, columns: [], isShared: true }
    },
    "views.update": {
      idempotencyKey: randomUUID(),
      id: product,
      view: { resource: "products", name: "Stray", query: {}, columns: [], isShared: true }
    },
    "views.delete": { idempotencyKey: randomUUID(), id: product },
    "views.toCollection": { idempotencyKey: randomUUID(), id: product },
    "store.get": {},
    "installations.list": {},
    "installations.get": { id: product },
    "installations.requests": { id: product },
    "installations.suspend": { idempotencyKey: randomUUID(), id: product },
    "installations.resume": { idempotencyKey: randomUUID(), id: product },
    "installations.uninstall": { idempotencyKey: randomUUID(), id: product },
    "webhooks.get": { installationId: product },
    "webhooks.pause": { idempotencyKey: randomUUID(), installationId: product },
    "webhooks.resume": { idempotencyKey: randomUUID(), installationId: product },
    "deliveries.list": { installationId: product },
    "deliveries.get": { installationId: product, eventId: product },
    "deliveries.redeliver": { idempotencyKey: randomUUID(), installationId: product, eventId: product },
    "billing.plans": { installationId: product },
    "billing.current": { installationId: product },
    "billing.subscriptions": {},
    "billing.subscribe": { idempotencyKey: randomUUID(), installationId: product, planId: product },
    "billing.change": { idempotencyKey: randomUUID(), installationId: product, planId: product },
    "billing.cancel": { idempotencyKey: randomUUID(), installationId: product },
    "members.list": {},
    "settings.update": { idempotencyKey: randomUUID(), settings: { name: "Stray" } },
    "members.join": { idempotencyKey: randomUUID(), email, role: "staff" },
    "members.invite": { idempotencyKey: randomUUID(), email, role: "staff" },
    "members.invitations": {},
    "members.revokeInvitation": { idempotencyKey: randomUUID(), id: merchantId },
    "members.createResetLink": { idempotencyKey: randomUUID(), merchantId },
    "members.leave": { idempotencyKey: randomUUID(), merchantId },
    "agents.create": { idempotencyKey: randomUUID(), agent: { name: "Stray", scopes: [] } },
    "agents.list": {},
    "agents.update": { idempotencyKey: randomUUID(), id: agent, patch: {} },
    "agents.revoke": { idempotencyKey: randomUUID(), id: agent },
    "proposals.list": {},
    "proposals.get": { id: proposal },
    "proposals.approve": { idempotencyKey: randomUUID(), id: proposal },
    "proposals.reject": { idempotencyKey: randomUUID(), id: proposal, reason: "Stray" },
    "presence.announce": { kind: "product", id: product, isOpen: true },
    "proposals.withdraw": { idempotencyKey: randomUUID(), id: proposal }
  }
}

/** Procedures that name a store. The others belong to the account of the caller. */
export const storeProcedures = [...Rpcs.requests.keys()].filter(
  (tag) => !/^(?:account|sessions|apps|appWebhooks|appDeliveries)\./.test(tag)
)

/** A store with one resource of each kind. */
export const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, email, merchantId, storeId } = member
  const product = yield* client.products
    .create({
      storeId,
      idempotencyKey: newKey(),
      product: toProduct({ name: "Secret" })
    })
    .pipe(performed)
  const collection = yield* client.collections
    .create({
      storeId,
      idempotencyKey: newKey(),
      collection: toCollection({ title: "Secret" })
    })
    .pipe(performed)
  const [entry] = (yield* client.activity.list({ storeId })).items
  const agent = yield* agentOf(member, { proposalsOnly: true })
  const change = { storeId, idempotencyKey: newKey(), id: product.id, patch: { price: 3 } }
  const proposed = yield* agent.client.products.update(change)
  const proposal = "proposal" in proposed ? proposed.proposal.id : assert.fail("The agent may only propose")
  const [customer] = yield* putCustomers(storeId, [{ name: "Secret" }])
  const [order] = yield* putOrders(storeId, [{ customerId: customer?.id }])
  const ids = {
    product: product.id,
    collection: collection.id,
    order: String(order?.id),
    customer: String(customer?.id),
    agent: agent.id,
    entry: String(entry?.id),
    proposal
  }
  return { ...member, payloads: payloadsOf(ids, merchantId, email) }
})
