import { Array, DateTime, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ALL_GRANTS } from "../../domain/access/AccessRule.ts"
import { AppId, Apps } from "../../domain/access/Apps.ts"
import { InstallationId, Installations } from "../../domain/access/Installations.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { Tokens } from "../../domain/access/Tokens.ts"
import { Actor, MerchantId } from "../../domain/Actor.ts"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateCollection } from "../../domain/catalog/Collection.ts"
import { CreateProduct, Product, type ProductId } from "../../domain/catalog/Product.ts"
import { EventKind } from "../../domain/Events.ts"
import { parse } from "../../domain/Json.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { StoreId } from "../../domain/Store.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { type WriteContext, Writes } from "../../domain/Write.ts"
import { dataDir, isDemo } from "../Database.ts"
import { makeFolder } from "../Folder.ts"
import { reasonOf } from "../postgres/Failed.ts"
import { invalidSetting } from "../Settings.ts"
import { Database } from "../sql/Postgres.ts"
import { sql } from "../sql/Statement.ts"
import { makeCallers } from "./callers.ts"
import { collections, products } from "./catalog.ts"
import { registerExample } from "./example.ts"
import { customers, ordersOf } from "./records.ts"

const Known = Schema.fromJsonString(
  Schema.Struct({
    storeId: Schema.toType(StoreId),
    installationId: Schema.toType(InstallationId),
    webhookAppId: Schema.optional(Schema.toType(AppId)),
    webhookSecret: Schema.optional(Schema.String),
    merchantEmail: Schema.optional(Schema.String),
    merchantPassword: Schema.optional(Schema.String),
    agentToken: Schema.optional(Schema.String),
    exampleClientId: Schema.optional(Schema.toType(AppId)),
    exampleWebhookSecret: Schema.optional(Schema.String)
  })
)
type Known = typeof Known.Type

const fileIn = (folder: string) => join(folder, "demo.json")

/** The facts in the file; none if it is missing or damaged. */
const read = (file: string) =>
  Effect.option(
    Effect.flatMap(
      Effect.try(() => readFileSync(file, "utf8")),
      Schema.decodeEffect(Known)
    )
  )

/** Whole or not at all, and for nobody but its owner: it holds a token. */
const write = (file: string, facts: object) =>
  Effect.sync(() => {
    const half = `${file}.${process.pid}`
    writeFileSync(half, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
    chmodSync(half, 0o600)
    renameSync(half, file)
  })

const decodeProduct = Schema.decodeUnknownEffect(CreateProduct)
const decodeCollection = Schema.decodeUnknownEffect(CreateCollection)

/** Where the demo's events are sent: `webhooks listen` listens there. */
const WEBHOOK_URL = "http://127.0.0.1:4000/"

/** Whose writes made the catalog: nobody signs in as this one. */
const MERCHANT = MerchantId.make("00000000-0000-7000-8000-000000000000", { disableChecks: true })

const contextIn = (storeId: StoreId): WriteContext => ({
  storeId,
  actor: Actor.Merchant({ id: MERCHANT }),
  surface: "cli",
  cause: null,
  mode: "perform"
})

const asNew = <Input>(inputs: ReadonlyArray<Input>) => inputs.map((input) => ({ id: null, input }))

const decodeProducts = Schema.decodeUnknownSync(Schema.toType(Schema.Array(Product)))

/** The customers and orders of the store, unless it has some. */
const bringRecords = Effect.fnUntraced(function* (storeId: StoreId) {
  const catalog = yield* Catalog
  const orders = yield* Orders
  const { list, put } = yield* Customers
  const { perform } = yield* Writes
  const known = yield* list(storeId, { cursor: undefined, limit: 1, isPersonal: false })
  if (known.items !== "[]") return
  const { items } = yield* catalog.listProducts(storeId, { cursor: undefined, limit: MAX_LIMIT })
  const offered = decodeProducts(parse(items)).filter(({ isActive }) => isActive)
  if (offered.length === 0) return
  const context = contextIn(storeId)
  const made = yield* perform(context, put(storeId, asNew(customers)))
  const ids = Array.getSuccesses(made).map(({ id }) => id)
  yield* perform(context, orders.put(storeId, asNew(ordersOf(offered, ids))))
})

/** An app on the store that may do everything. */
const installApp = Effect.fnUntraced(function* (storeId: StoreId) {
  const apps = yield* Apps
  const installations = yield* Installations
  const { perform } = yield* Writes
  const appId = yield* apps.create({ name: "Demo app", ...ALL_GRANTS })
  const { id } = yield* perform(contextIn(storeId), installations.install({ storeId, appId, ...ALL_GRANTS }))
  return { installationId: id }
})

/** Another app on the store, which is told of every event; the one that writes is not told of its own. */
const subscribe = Effect.fnUntraced(function* (storeId: StoreId) {
  const apps = yield* Apps
  const installations = yield* Installations
  const { subscribe } = yield* Webhooks
  const { perform } = yield* Writes
  const appId = yield* apps.create({ name: "Demo receiver", ...ALL_GRANTS })
  yield* perform(contextIn(storeId), installations.install({ storeId, appId, ...ALL_GRANTS }))
  const secret = yield* subscribe(appId, { url: WEBHOOK_URL, kinds: EventKind.literals })
  return { webhookAppId: appId, webhookSecret: Redacted.value(Option.getOrThrow(secret)) }
})

/**
 * A store on the plan `growth`, its catalog, an app installed on it with everything granted, one that is told of what
 * happens there, a merchant whose it is, an agent, and an app that they may install. All of it or nothing.
 */
const create = Effect.gen(function* () {
  const stores = yield* Stores
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const storeId = yield* stores.create({
    name: "Demo store",
    plan: "growth",
    currencyCode: "EUR",
    domain: "demo.example.com",
    timezone: "Europe/Lisbon",
    locale: "en-GB",
    country: "PT"
  })
  const context = contextIn(storeId)
  const ids = new Map<string | undefined, ProductId>()
  for (const product of products) {
    const created = yield* perform(context, catalog.createProduct(storeId, yield* decodeProduct(product)))
    ids.set(product.slug, created.id)
  }
  for (const { slugs, ...collection } of collections) {
    const members = slugs === undefined ? {} : { productIds: slugs.map((slug) => ids.get(slug)) }
    yield* perform(context, catalog.createCollection(storeId, yield* decodeCollection({ ...collection, ...members })))
  }
  return {
    storeId,
    ...(yield* installApp(storeId)),
    ...(yield* subscribe(storeId)),
    ...(yield* makeCallers(context)),
    ...(yield* registerExample)
  }
})

/** The newest demo store, which is known by its owner, and its newest app that may do everything. */
const selectLatest = sql`
  select m.store_id as "storeId", (
    select i.id from installations i join apps a on a.id = i.app_id
    where i.store_id = m.store_id and i.is_active and a.name = 'Demo app' and a.developer_id is null
    order by i.id desc limit 1
  ) as "installationId"
  from stores s join members m on m.store_id = s.id join merchants o on o.id = m.merchant_id
  where s.deleted_at is null and o.email = 'owner-' || right(m.store_id::text, 12) || '@example.com'
    and m.role = 'owner'
  order by m.store_id desc limit 1
`

const Latest = Schema.Struct({
  storeId: Schema.toType(StoreId),
  installationId: Schema.NullOr(Schema.toType(InstallationId))
})

/**
 * The demo store whose facts are lost, as `demo.json` is missing or damaged; none if the database has none. Nothing else
 * knows its secrets, so it gets new ones. A damaged file is kept under another name.
 */
const recover = Effect.fnUntraced(function* (file: string) {
  const { first, transaction } = yield* Database
  const isMissing = !existsSync(file)
  const isDamaged = !isMissing && Option.isNone(yield* read(file))
  if (isDamaged) {
    yield* Effect.sync(() => renameSync(file, `${file}.damaged`))
    yield* Effect.logWarning(`${file} is damaged and was renamed to ${file}.damaged`)
  }
  const latest = yield* first(Latest)(selectLatest)
  if (Option.isNone(latest)) return Option.none<Known>()
  if (isMissing) yield* Effect.logWarning(`${file} is missing`)
  const { installationId, storeId } = latest.value
  yield* Effect.logWarning(`The demo store ${storeId} is kept and gets new credentials, which ${file} will hold`)
  return Option.some<Known>(
    installationId === null ? { storeId, ...(yield* transaction(installApp(storeId))) } : { storeId, installationId }
  )
})

export interface DemoFacts {
  readonly baseUrl: string
  readonly accessToken: string
  /** Who may sign in to the dashboard, and register apps. */
  readonly merchantEmail: string
  readonly merchantPassword: string
}

/** A token is good for an hour: who takes the one in `demo.json` has it for 40 minutes at least. */
const RENEWED_EVERY = "20 minutes"

/**
 * The demo store, found again or made, with a fresh access token; none when no demo is wanted. Its facts go to
 * `demo.json` under `DATA_DIR`, by which the next start finds it. Until the scope ends, a fresh token is written there
 * long before the last one ends.
 */
export const openDemo = Effect.fn("openDemo")(function* (baseUrl: string) {
  if (!(yield* isDemo)) return Option.none<DemoFacts>()
  const { transaction } = yield* Database
  const installations = yield* Installations
  const tokens = yield* Tokens
  const folder = yield* dataDir
  yield* Effect.try({
    try: () => makeFolder(folder),
    catch: (thrown) => invalidSetting("DATA_DIR", reasonOf(thrown))
  })
  const file = fileIn(folder)

  const isThere = ({ installationId, storeId }: Known) =>
    Effect.match(installations.find(installationId), {
      onFailure: () => false,
      onSuccess: (installation) => installation.storeId === storeId && installation.state === "active"
    })
  const facts = yield* read(file)
  const kept = Option.isSome(facts) && (yield* isThere(facts.value)) ? facts : yield* recover(file)
  const found: Known = Option.isSome(kept) ? kept.value : yield* transaction(create)
  // A demo from before there were capabilities gets an app that holds them now, one from before webhooks its receiver, one
  // from before agents those who call, one from before apps were installed by merchants the example.
  const { capabilities } = yield* installations.find(found.installationId)
  const known: Known = {
    ...found,
    ...(capabilities.length < ALL_GRANTS.capabilities.length ? yield* transaction(installApp(found.storeId)) : {}),
    ...(found.webhookAppId === undefined ? yield* transaction(subscribe(found.storeId)) : {}),
    ...(found.agentToken === undefined ? yield* transaction(makeCallers(contextIn(found.storeId))) : {}),
    ...(found.exampleClientId === undefined ? yield* transaction(registerExample) : {})
  }
  // One from before orders and customers gets them likewise.
  yield* transaction(bringRecords(found.storeId))

  const renew = Effect.gen(function* () {
    const { expiresAt, token } = yield* tokens.issue({ id: known.installationId, storeId: known.storeId })
    const accessToken = Redacted.value(token)
    yield* write(file, { baseUrl, ...known, accessToken, accessTokenExpiresAt: DateTime.formatIso(expiresAt) })
    return accessToken
  })
  const accessToken = yield* renew
  yield* Effect.catchCause(renew, (cause) => Effect.logWarning("The demo got no fresh token", cause)).pipe(
    Effect.schedule(Schedule.spaced(RENEWED_EVERY)),
    Effect.forkScoped
  )
  const { merchantEmail = "", merchantPassword = "" } = known
  return Option.some<DemoFacts>({ baseUrl, accessToken, merchantEmail, merchantPassword })
}, Effect.orDie)

/** The secret that signs the demo's events, if there is a demo. */
export const demoWebhookSecret = Effect.map(
  Effect.flatMap(dataDir, (folder) => read(fileIn(folder))),
  Option.flatMap(({ webhookSecret }) => Option.map(Option.fromNullishOr(webhookSecret), Redacted.make))
)
