import { assert } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted, Schema } from "effect"
import { HttpServer } from "effect/http"
import { randomUUID } from "node:crypto"
import { ALL_GRANTS, type Grants } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { type Installation } from "../../../src/domain/access/Installations.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Cells } from "../../../src/layers/cells/Cells.ts"
import { cellDatabases } from "../cells/CellDatabases.ts"
import { ArrivedWebhooks, CELL_NAMES, CELLS, CHOSEN } from "../cells/ChosenCell.ts"
import { HashCost } from "../../../src/layers/access/Passwords.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { ServerLive } from "../../../src/Server.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PostgresTest } from "../postgres/PostgresTest.ts"
import { sharedByFiles } from "../SharedByFiles.ts"
import { installing } from "../data/Writes.ts"
import { installationOn, Listening } from "./Installation.ts"

/** Settings of the service under test beside those of the environment. */
export const TestSettings = Context.Reference<Readonly<Record<string, string>>>("test/TestSettings", {
  defaultValue: () => ({})
})

/** Settings before those of the environment, and a folder for the bytes of files that is deleted with the layer. */
export const TemporaryData = ConfigProvider.layerAdd(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "data-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    return ConfigProvider.fromEnv({ env: { DATA_DIR: folder, ...(yield* TestSettings) }, preserveEmptyStrings: true })
  }),
  { asPrimary: true }
)

const OneDatabaseTest = ServerLive.pipe(
  Layer.provideMerge(Listening),
  Layer.provideMerge(Layer.provide(DomainLive, TemporaryData)),
  Layer.provideMerge(PostgresTest)
)

/** The service on several cells. The test uses the services and the database of one of them. */
const CellsTest = Layer.unwrap(
  Effect.gen(function* () {
    const installation = Layer.provide(installationOn(yield* cellDatabases(CELL_NAMES)), TemporaryData)
    const ofCell = Layer.effectContext(Effect.flatMap(Cells, ({ servicesOf }) => servicesOf(CHOSEN)))
    // Without `fresh`, layers that a test adds, such as workers, would share those that are built for `main`.
    return ArrivedWebhooks.pipe(Layer.provideMerge(ofCell), Layer.provideMerge(Layer.fresh(installation)))
  })
)

/**
 * The whole service on its own port and database, with its lower layers exposed to the test. With `TEST_CELLS`, the stores of
 * the test are in one of so many cells.
 */
export const ServiceTest = CELLS === 0 ? OneDatabaseTest : CellsTest

/**
 * {@link ServiceTest} with fast hashes of passwords. For tests that change the schema, read or delete rows of all stores,
 * or replace a layer of the service.
 */
export const IsolatedApiTest = Layer.provide(
  ServiceTest,
  Layer.succeed(HashCost, { memoryCost: 8, timeCost: 1, parallelism: 1 })
)

/** {@link IsolatedApiTest}, built once for all files of a worker. Each test creates its own store. */
export const ApiTest = sharedByFiles(IsolatedApiTest)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The body as received, for comparisons byte by byte. */
  readonly text: string
  /** The body decoded as JSON. */
  readonly json: unknown
}

export type Resource = Record<string, unknown>

const AnyResource = Schema.Record(Schema.String, Schema.mutableKey(Schema.Unknown))
const one = Schema.decodeUnknownSync(Schema.Struct({ data: AnyResource }))
const refusal = Schema.decodeUnknownSync(
  Schema.Struct({ error: Schema.String, issues: Schema.optional(Schema.Array(Schema.String)) }),
  { onExcessProperty: "error" }
)
const page = Schema.decodeUnknownSync(
  Schema.Struct({
    products: Schema.optional(Schema.Array(AnyResource)),
    collections: Schema.optional(Schema.Array(AnyResource)),
    orders: Schema.optional(Schema.Array(AnyResource)),
    customers: Schema.optional(Schema.Array(AnyResource)),
    nextCursor: Schema.NullOr(Schema.String),
    total: Schema.optional(Schema.NullOr(Schema.Number))
  }),
  { onExcessProperty: "error" }
)

/** Returns the resource in `data` of a response. */
export const dataOf = ({ json }: Answer): Resource => one(json).data

/** Decodes an error response, which is exactly `{ error, issues? }`. */
export const errorOf = ({ json }: Answer) => refusal(json)

/** Asserts the response to an outage: the same for every cause, without internal details. */
export const assertUnavailable = (answer: Answer) => {
  assert.strictEqual(answer.status, 503)
  assert.deepStrictEqual(errorOf(answer), { error: "The database is out of reach or overloaded; repeat the request" })
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.strictEqual(answer.headers.get("retry-after"), "1")
}

/** Decodes a page: its items and the cursor of the next page. */
export const pageOf = ({
  json
}: Answer): { readonly items: ReadonlyArray<Resource>; readonly nextCursor: string | null } => {
  const { collections, customers, nextCursor, orders, products } = page(json)
  return { items: products ?? collections ?? orders ?? customers ?? [], nextCursor }
}

export interface Sent {
  readonly headers?: Record<string, string>
  /** Body of the request. Text is sent unchanged, other values as JSON. */
  readonly body?: unknown
  /** `Idempotency-Key` of a write. A new one by default; null sends none. */
  readonly key?: string | null
}

/** HTTP client of the service. `path` is below `/api/platform/v1` unless it has a scheme. Interruption aborts a request. */
export const makeClient = (base: string, token?: string) => {
  const send = (method: string, path: string, { body, headers = {}, key = randomUUID() }: Sent = {}) =>
    Effect.promise(async (signal): Promise<Answer> => {
      const response = await fetch(path.startsWith("http") ? path : `${base}/api/platform/v1${path}`, {
        method,
        signal,
        headers: {
          // Otherwise `fetch` requests compression and hides the bytes and the ETag of the response.
          "accept-encoding": "identity",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(method === "GET" || key === null ? {} : { "idempotency-key": key }),
          ...headers
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    })
  return {
    token,
    send,
    get: (path: string, sent?: Sent) => send("GET", path, sent),
    post: (path: string, body: unknown, sent?: Sent) => send("POST", path, { ...sent, body }),
    put: (path: string, body: unknown, sent?: Sent) => send("PUT", path, { ...sent, body }),
    patch: (path: string, body: unknown, sent?: Sent) => send("PATCH", path, { ...sent, body }),
    delete: (path: string, sent?: Sent) => send("DELETE", path, sent)
  }
}

export type Client = ReturnType<typeof makeClient>

/** Base URL of the service under test, for example `http://127.0.0.1:40001`. */
export const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) => HttpServer.formatAddress(address))

export const makeStore = (plan = "scale") =>
  Effect.flatMap(Stores, (stores) => stores.create({ name: "A store", plan, currencyCode: "EUR" }))

/** Creates an app that declares all scopes and capabilities, unless `declared` restricts it. */
export const makeApp = (declared: Partial<Grants> = {}) =>
  Effect.flatMap(Apps, (apps) => apps.create({ name: "An app", ...ALL_GRANTS, ...declared }))

/** Installs a new app with all grants on a new store. */
export const makeInstallation = (granted: Partial<Grants> = {}) =>
  Effect.gen(function* () {
    const { install } = yield* installing
    return yield* install({ storeId: yield* makeStore(), appId: yield* makeApp(), ...ALL_GRANTS, ...granted })
  })

/** Installs a new app on the store. Returns the installation and a client with its token. */
export const install = Effect.fn(function* (storeId: StoreId, granted: Partial<Grants> = {}) {
  const { install } = yield* installing
  const { issue } = yield* Tokens
  const appId = yield* makeApp(granted)
  const installation: Installation = yield* install({ storeId, appId, ...ALL_GRANTS, ...granted })
  const { token } = yield* issue(installation)
  return { installation, client: makeClient(yield* baseUrl, Redacted.value(token)) }
})

/** A client on a new store. Its window admits 100 requests a minute. */
export const freshClient = Effect.fn(function* ({
  plan,
  ...granted
}: { readonly plan?: string } & Partial<Grants> = {}) {
  const storeId = yield* makeStore(plan)
  return { storeId, ...(yield* install(storeId, granted)) }
})
