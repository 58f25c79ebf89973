import { Clock, Array, Effect, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { ALL_GRANTS } from "../../domain/access/AccessRule.ts"
import { Agents } from "../../domain/access/Agents.ts"
import { Apps } from "../../domain/access/Apps.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { Email, Merchants, Password } from "../../domain/access/Merchants.ts"
import { Scope } from "../../domain/access/Scope.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { MerchantId } from "../../domain/access/Ids.ts"
import { Actor } from "../../domain/Actor.ts"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateCollection } from "../../domain/catalog/Collection.ts"
import { CreateProduct, Product, type ProductId } from "../../domain/catalog/Product.ts"
import { EventKind } from "../../domain/Events.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"
import { collections, products } from "./catalog.ts"
import { createPictures } from "./DemoPictures.ts"
import { customers, ordersOf } from "./records.ts"

/** URL of `webhooks listen`, which receives the demo's events. */
const WEBHOOK_URL = "http://127.0.0.1:4000/"

/** Origin of the app in `examples/price-tags`. */
const EXAMPLE_ORIGIN = "http://127.0.0.1:4100"

/** Author of the demo's writes, who cannot sign in. */
const AUTHOR = MerchantId.make("00000000-0000-7000-8000-000000000000", { disableChecks: true })

const contextOf = (storeId: StoreId): WriteContext => ({
  storeId,
  actor: Actor.Merchant({ id: AUTHOR }),
  surface: "cli",
  cause: null,
  mode: "perform"
})

const decodeProduct = Schema.decodeUnknownEffect(CreateProduct)
const decodeCollection = Schema.decodeUnknownEffect(CreateCollection)
const decodeProducts = Schema.decodeUnknownEffect(Schema.toType(Schema.Array(Product)))
const decodeEmail = Schema.decodeEffect(Email)
const decodePassword = Schema.decodeEffect(Password)

const asCreations = <Input>(inputs: ReadonlyArray<Input>) => inputs.map((input) => ({ id: null, input }))

/** Creates customers and orders, unless the store has some. */
export const createRecords = Effect.fnUntraced(function* (storeId: StoreId) {
  const catalog = yield* Catalog
  const orders = yield* Orders
  const { list, upsert } = yield* Customers
  const { perform } = yield* Writes
  const existing = yield* list(storeId, { cursor: undefined, limit: 1, isPersonal: false })
  if (existing.items !== "[]") return
  const { items } = yield* catalog.listProducts(storeId, { cursor: undefined, limit: MAX_LIMIT })
  const active = (yield* decodeProducts(JSON.parse(items))).filter(({ isActive }) => isActive)
  if (active.length === 0) return
  const context = contextOf(storeId)
  const created = yield* perform(context, upsert(storeId, asCreations(customers)))
  const ids = Array.getSuccesses(created).map(({ id }) => id)
  yield* perform(context, orders.upsert(storeId, asCreations(ordersOf(active, ids, yield* Clock.currentTimeMillis))))
})

/** Installs an app with all scopes and capabilities. */
export const installApp = Effect.fnUntraced(function* (storeId: StoreId) {
  const apps = yield* Apps
  const installations = yield* Installations
  const { perform } = yield* Writes
  const appId = yield* apps.create({ name: "Demo app", ...ALL_GRANTS })
  const { id } = yield* perform(contextOf(storeId), installations.install({ storeId, appId, ...ALL_GRANTS }))
  return { installationId: id }
})

/** Installs a second app that receives all events: an app receives none of its own writes. */
export const installReceiver = Effect.fnUntraced(function* (storeId: StoreId) {
  const apps = yield* Apps
  const installations = yield* Installations
  const { subscribe } = yield* Webhooks
  const { perform } = yield* Writes
  const appId = yield* apps.create({ name: "Demo receiver", ...ALL_GRANTS })
  yield* perform(contextOf(storeId), installations.install({ storeId, appId, ...ALL_GRANTS }))
  const secret = yield* subscribe(appId, { url: WEBHOOK_URL, kinds: EventKind.literals })
  return { webhookAppId: appId, webhookSecret: Redacted.value(Option.getOrThrow(secret)) }
})

/** Creates an owner who can sign in, and an agent with all scopes. */
export const createOwnerAndAgent = Effect.fnUntraced(function* (storeId: StoreId) {
  const agents = yield* Agents
  const merchants = yield* Merchants
  const { perform } = yield* Writes
  const context = contextOf(storeId)
  // The ends of store ids are unique within a database.
  const email = yield* decodeEmail(`owner-${storeId.slice(-12)}@example.com`)
  const password = yield* decodePassword(randomBytes(15).toString("base64url"))
  // The owner exists already if the file with the password was lost.
  yield* Effect.catchTag(merchants.create({ email, name: "Demo owner", password }), "EmailTaken", () =>
    merchants.resetPassword(email, password)
  )
  const merchant = yield* perform(context, merchants.join(storeId, email, "owner"))
  const { token, write } = agents.create(storeId, merchant, { name: "Demo agent", scopes: Scope.literals })
  yield* perform(context, write)
  return { merchantEmail: email, merchantPassword: Redacted.value(password), agentToken: Redacted.value(token) }
})

/** Registers the app in `examples/price-tags`, a public client that the owner can install. */
export const registerExample = Effect.gen(function* () {
  const { create } = yield* Apps
  const { subscribe } = yield* Webhooks
  const appId = yield* Effect.orDie(
    create({
      name: "Price tags",
      isPublic: true,
      redirectUris: [`${EXAMPLE_ORIGIN}/callback`],
      scopes: ["read_products", "write_products"],
      capabilities: []
    })
  )
  const secret = yield* subscribe(appId, { url: `${EXAMPLE_ORIGIN}/webhooks`, kinds: EventKind.literals })
  return { exampleClientId: appId, exampleWebhookSecret: Redacted.value(Option.getOrThrow(secret)) }
})

const createCatalog = Effect.fnUntraced(function* (storeId: StoreId, baseUrl: string) {
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const context = contextOf(storeId)
  const withPictures = yield* createPictures(context, baseUrl)
  const ids = new Map<string | undefined, ProductId>()
  for (const product of products) {
    const { id } = yield* perform(context, catalog.createProduct(storeId, yield* decodeProduct(withPictures(product))))
    ids.set(product.slug, id)
  }
  for (const { slugs, ...collection } of collections) {
    const members = slugs === undefined ? {} : { productIds: slugs.map((slug) => ids.get(slug)) }
    const input = withPictures({ ...collection, ...members })
    yield* perform(context, catalog.createCollection(storeId, yield* decodeCollection(input)))
  }
})

/** Creates a store on the plan `growth` with its catalog, apps, owner and agent, and the example app. */
export const createStore = Effect.fnUntraced(function* (baseUrl: string) {
  const stores = yield* Stores
  const storeId = yield* stores.create({
    name: "Demo store",
    plan: "growth",
    currencyCode: "EUR",
    domain: "demo.example.com",
    timezone: "Europe/Lisbon",
    locale: "en-GB",
    country: "PT"
  })
  yield* createCatalog(storeId, baseUrl)
  return {
    storeId,
    ...(yield* installApp(storeId)),
    ...(yield* installReceiver(storeId)),
    ...(yield* createOwnerAndAgent(storeId)),
    ...(yield* registerExample)
  }
})
