import { ConfigProvider, Effect, Layer, Redacted, Schedule } from "effect"
import type pg from "pg"
import { ALL_GRANTS } from "../../src/domain/access/AccessRule.ts"
import type { AppId } from "../../src/domain/access/Ids.ts"
import { Apps } from "../../src/domain/access/Apps.ts"
import { Stores } from "../../src/domain/access/Stores.ts"
import { Tokens } from "../../src/domain/access/Tokens.ts"
import { EventKind } from "../../src/domain/Events.ts"
import type { StoreId } from "../../src/domain/Store.ts"
import { Webhooks } from "../../src/domain/webhooks/Webhooks.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { MigrationsLive } from "../../src/layers/Migrations.ts"
import { postgres } from "../../src/layers/sql/Postgres.ts"
import { openConnection, createDatabase } from "../bench/database.ts"
import { SECRET_KEY } from "../support/SecretKey.ts"
import { startServer } from "./processes.ts"
import { installing } from "../support/data/Writes.ts"

const SETTINGS = { WEBHOOK_ALLOW_HOSTS: "127.0.0.1", SECRET_KEY }

/** Domain services on a database, with their settings. */
export const makeServices = (url: string) =>
  DomainLive.pipe(
    Layer.provideMerge(MigrationsLive),
    Layer.provideMerge(postgres({ url: Redacted.make(url), maxConnections: 4 })),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: SETTINGS })))
  )

/** Store with a write token and subscribed apps. */
export interface SeededStore {
  readonly storeId: StoreId
  readonly token: string
  readonly apps: ReadonlyArray<AppId>
}

/** Concurrent writes. */
const WRITERS = 8

const range = (n: number) => Array.from({ length: n }, (_, index) => index)

/** Makes a store with `apps` subscribers at `baseOf(n)/<app id>`, with `n` from `first` on. */
const makeStore = Effect.fn(function* (apps: number, first: number, baseOf: (n: number) => string) {
  const stores = yield* Stores
  const { create } = yield* Apps
  const { install } = yield* installing
  const tokens = yield* Tokens
  const { subscribe } = yield* Webhooks
  const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
  const join = Effect.gen(function* () {
    const appId = yield* create({ name: "An app", ...ALL_GRANTS })
    return { appId, installation: yield* install({ storeId, appId, ...ALL_GRANTS }) }
  })
  const subscribers = yield* Effect.forEach(range(apps), (n) =>
    Effect.gen(function* () {
      const { appId } = yield* join
      yield* subscribe(appId, { url: `${baseOf(first + n)}/${appId}`, kinds: EventKind.literals })
      return appId
    })
  )
  const { token } = yield* tokens.issue((yield* join).installation)
  const shop: SeededStore = { storeId, token: Redacted.value(token), apps: subscribers }
  return shop
})

/** Resets the rate windows regularly, so that no request is limited. */
const clearRateWindows = (db: pg.Client) =>
  Effect.promise(() => db.query("update rate_windows set hits = '{}' where hits <> '{}'")).pipe(
    Effect.repeat(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )

/** Makes `shops` stores of `apps` subscribers each in the database at `url`. */
export const makeStores = (url: string, shops: number, apps: number, baseOf: (n: number) => string) =>
  Effect.forEach(range(shops), (shop) => makeStore(apps, shop * apps, baseOf), { concurrency: 4 }).pipe(
    Effect.provide(makeServices(url))
  )

/** Makes a database with `shops` stores of `apps` subscribers each, and starts a server. */
export const makeFixture = (server: string, shops: number, apps: number, baseOf: (n: number) => string) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "soak")
    const stores = yield* makeStores(url, shops, apps, baseOf)
    const db = yield* openConnection(url)
    const base = yield* startServer(url)
    yield* clearRateWindows(yield* openConnection(url))
    return { url, db, base, shops: stores }
  })

/** Creates a product, and retries refused requests. */
export const createProduct = (base: string, token: string, key: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/products`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ name: `Cup ${key}` })
    })
    const text = await response.text()
    if (![201, 429, 503].includes(response.status)) throw new Error(`${response.status}: ${text}`)
    return response.status
  }).pipe(
    Effect.flatMap((status) =>
      status === 201 ? Effect.void : Effect.andThen(Effect.sleep("200 millis"), createProduct(base, token, key))
    )
  )

/** Writes to the stores in turn, at `perSecond` writes or at full speed, until `isEnough`. */
export const writeContinuously = (
  { base, shops }: { readonly base: string; readonly shops: ReadonlyArray<SeededStore> },
  perSecond: number,
  isEnough: (written: number) => boolean
) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    let started = 0
    let written = 0
    const one = Effect.gen(function* () {
      const n = started
      started += 1
      yield* Effect.sleep(Math.max(0, (n * 1000) / perSecond - (performance.now() - startedAt)))
      yield* createProduct(base, shops[n % shops.length]?.token ?? "", `write-${n}`)
      written += 1
    })
    yield* Effect.all(
      range(WRITERS).map(() => Effect.repeat(one, { until: () => isEnough(Math.max(written, started)) })),
      { concurrency: "unbounded", discard: true }
    )
    return written
  })
