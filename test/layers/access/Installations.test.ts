import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Grants, NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { AppId, InstallationId } from "../../../src/domain/access/Ids.ts"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { RateLimit } from "../../../src/domain/RateLimit.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { RateLimitLive } from "../../../src/layers/rateLimit/RateLimit.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeApp, makeInstallation, makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { installing, suspend } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, RateLimitLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

const UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"

const unknownInstallation = Schema.decodeSync(InstallationId)(UNKNOWN_ID)
const unknownStore = Schema.decodeSync(StoreId)(UNKNOWN_ID)
const unknownApp = Schema.decodeSync(AppId)(UNKNOWN_ID)

const GRANTED: Grants = { scopes: ["read_products", "write_products"], capabilities: ["app_storage"] }

const installed = makeInstallation(GRANTED)

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Installations", (it) => {
  it.effect("ids of stores, apps and installations are UUIDs of version 7 in ascending order", () =>
    Effect.gen(function* () {
      const installation = Effect.map(installed, ({ id }) => id)
      for (const make of [makeStore(), makeApp(), installation]) {
        const ids: ReadonlyArray<string> = [yield* make, yield* make, yield* make]
        for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.deepStrictEqual(ids, ids.toSorted())
      }
    })
  )

  it.effect("a new installation is active, with the given grants and an empty window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, storeId, ...granted } = yield* installed
      assert.deepStrictEqual(granted, GRANTED)
      const rows = yield* sql`
        select i.is_active as active, i.scopes, i.capabilities, w.hits from installations i
        join rate_windows w on w.store_id = i.store_id and w.installation_id = i.id
        where i.store_id = ${storeId} and i.id = ${id}
      `
      assert.deepStrictEqual(rows, [{ active: true, ...GRANTED, hits: [] }])
    })
  )

  it.effect("install fails for unknown stores and apps and for undeclared grants", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { install } = yield* installing
      const storeId = yield* makeStore()
      const deletedStore = yield* makeStore()
      yield* sql`update stores set deleted_at = now() where id = ${deletedStore}`
      const appId = yield* makeApp({ scopes: ["read_products"], capabilities: ["app_storage"] })
      const errors = yield* Effect.all([
        Effect.flip(install({ storeId: unknownStore, appId, ...NO_GRANTS })),
        Effect.flip(install({ storeId: deletedStore, appId, ...NO_GRANTS })),
        Effect.flip(install({ storeId, appId: unknownApp, ...NO_GRANTS })),
        Effect.flip(install({ storeId, appId, ...NO_GRANTS, scopes: ["read_products", "write_products"] })),
        Effect.flip(install({ storeId, appId, ...NO_GRANTS, capabilities: ["customer_pii", "app_storage"] }))
      ])
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["UnknownStore", "UnknownStore", "AppNotFound", "ScopesNotDeclared", "CapabilitiesNotDeclared"]
      )
      assert.match(errors[3].message, /does not declare write_products;/)
      assert.match(errors[4].message, /does not declare customer_pii;/)
      const rows = yield* sql`select 1 from installations where store_id in (${storeId}, ${deletedStore})`
      assert.lengthOf(rows, 0)
    })
  )

  it.effect("suspend rejects all tokens of the installation immediately, and no others", () =>
    Effect.gen(function* () {
      const { issue } = yield* Tokens
      const { admit } = yield* RateLimit
      const [installation, other] = [yield* installed, yield* installed]
      const tokens = [yield* issue(installation), yield* issue(installation)]
      yield* suspend(installation)
      for (const { token } of tokens)
        assert.strictEqual((yield* Effect.flip(admit(token)))._tag, "InstallationSuspended")
      assert.strictEqual((yield* admit((yield* issue(other)).token)).id, other.id)
      const unknown = suspend({ id: unknownInstallation, storeId: installation.storeId })
      assert.strictEqual((yield* Effect.flip(unknown))._tag, "InstallationNotFound")
    })
  )

  it.effect("a second install keeps the installation and replaces its grants", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { install } = yield* installing
      const { issue } = yield* Tokens
      const { admit } = yield* RateLimit
      const storeId = yield* makeStore()
      const appId = yield* makeApp()
      const first = yield* install({ storeId, appId, ...GRANTED })
      const { token } = yield* issue(first)
      yield* admit(token)
      yield* suspend(first)

      const now: Grants = { scopes: ["read_products", "read_collections"], capabilities: ["customer_pii"] }
      const again = yield* install({ storeId, appId, ...now })
      assert.deepStrictEqual(again, { id: first.id, storeId, ...now })
      assert.deepInclude(yield* admit(token), now)
      const windows = yield* sql`
        select cardinality(hits) as hits from rate_windows where store_id = ${storeId} and installation_id = ${first.id}
      `
      assert.deepStrictEqual(windows, [{ hits: 2 }])
      const onOtherStore = yield* install({ storeId: yield* makeStore(), appId, ...NO_GRANTS })
      assert.notStrictEqual(onOtherStore.id, first.id)
    })
  )

  it.effect("concurrent installs create one installation", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { install } = yield* installing
      const storeId = yield* makeStore()
      const appId = yield* makeApp()
      const results = yield* Effect.all(
        Array.from({ length: 8 }, () => install({ storeId, appId, ...GRANTED })),
        { concurrency: "unbounded" }
      )
      const [{ id } = { id: unknownInstallation }] = results
      assert.deepStrictEqual(new Set(results.map((one) => one.id)), new Set([id]))
      assert.deepStrictEqual(yield* sql`select id from installations where store_id = ${storeId}`, [{ id }])
      const entries = yield* sql`select resource_id as id, before from journal where store_id = ${storeId}`
      assert.deepStrictEqual(entries, [{ id, before: null }])
    })
  )

  it.effect("list filters by store, by app or by both, and returns grants and state", () =>
    Effect.gen(function* () {
      const installations = yield* Installations
      const { install } = yield* installing
      const stores = yield* Stores
      const [store, other, deletedStore] = [yield* makeStore(), yield* makeStore(), yield* makeStore()]
      const [app, second] = [yield* makeApp(), yield* makeApp()]
      const put = (storeId: StoreId, appId: AppId) =>
        Effect.map(install({ storeId, appId, ...GRANTED }), ({ id }) => id)
      const [first, next] = [yield* put(store, app), yield* put(store, second)]
      const [third, onDeletedStore] = [yield* put(other, app), yield* put(deletedStore, app)]
      yield* suspend({ id: next, storeId: store })
      yield* stores.delete(deletedStore)

      const list = (storeId: StoreId | undefined, appId: AppId | undefined, limit = 10) =>
        installations.list({ storeId: Option.fromNullishOr(storeId), appId: Option.fromNullishOr(appId), limit })
      const ids = (storeId: StoreId | undefined, appId: AppId | undefined, limit = 10) =>
        Effect.map(list(storeId, appId, limit), (rows) => rows.map(({ installationId }) => installationId))
      assert.deepStrictEqual(yield* ids(store, undefined), [next, first])
      assert.deepStrictEqual(yield* ids(undefined, app), [third, first])
      assert.deepStrictEqual(yield* ids(store, app), [first])
      assert.deepStrictEqual(yield* ids(undefined, app, 1), [third])
      assert.notInclude(yield* ids(undefined, app), onDeletedStore)
      const [newest] = yield* list(store, undefined)
      const { createdAt: _, ...shown } = newest ?? assert.fail("nothing is listed")
      assert.deepStrictEqual(shown, {
        installationId: next,
        storeId: store,
        appId: second,
        ...GRANTED,
        state: "suspended"
      })
      assert.strictEqual((yield* Effect.flip(list(deletedStore, undefined)))._tag, "UnknownStore")
      assert.strictEqual((yield* Effect.flip(list(undefined, unknownApp)))._tag, "AppNotFound")
    })
  )
})
