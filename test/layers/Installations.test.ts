import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { AppId, InstallationId, Scope } from "../../src/domain/Installation.ts"
import { Installations } from "../../src/domain/Installations.ts"
import { RateLimit } from "../../src/domain/RateLimit.ts"
import { Plan, StoreId } from "../../src/domain/Store.ts"
import { InstallationsLive } from "../../src/layers/Installations.ts"
import { RateLimitLive } from "../../src/layers/RateLimit.ts"
import { makeStore } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"

const Live = Layer.mergeAll(InstallationsLive, RateLimitLive).pipe(Layer.provideMerge(PostgresTest))

const NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"

const nobody = Schema.decodeSync(InstallationId)(NOBODY)
const nowhere = Schema.decodeSync(StoreId)(NOBODY)
const noApp = Schema.decodeSync(AppId)(NOBODY)

const installed = Effect.gen(function* () {
  const { createApp, install } = yield* Installations
  const appId = yield* createApp({ name: "An app", scopes: Scope.literals })
  return yield* install({ storeId: yield* makeStore(), appId, scopes: ["read_products", "write_products"] })
})

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("InstallationsLive", (it) => {
  it.effect("lists the plans there are, the smallest first, also those an operator added", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { createStore, listPlans } = yield* Installations
      yield* sql`insert into plans (name, product_limit) values ('tiny', 3)`
      const plans = (yield* listPlans).map((plan) => `${plan.name} ${plan.productLimit} ${plan.collectionLimit}`)
      assert.deepStrictEqual(plans, [
        "tiny 3 10000",
        "free 100 50",
        "starter 1000 500",
        "growth 10000 2000",
        "scale 100000 10000"
      ])
      yield* createStore({ name: "Shop", plan: "tiny", currencyCode: "EUR" })
    })
  )

  it.effect("makes no store on a plan that is not there, and says which are", () =>
    Effect.gen(function* () {
      const { createStore } = yield* Installations
      const refused = yield* Effect.flip(createStore({ name: "Shop", plan: "gold", currencyCode: "EUR" }))
      assert.match(refused.message, /^There is no plan gold; choose one of .*free, starter, growth, scale$/)
    })
  )

  it.effect("gives stores, apps and installations ids of version 7 that ascend", () =>
    Effect.gen(function* () {
      const { createApp } = yield* Installations
      const app = createApp({ name: "An app", scopes: [] })
      const installation = Effect.map(installed, ({ id }) => id)
      for (const make of [makeStore(), app, installation]) {
        const ids: ReadonlyArray<string> = [yield* make, yield* make, yield* make]
        for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        assert.deepStrictEqual(ids, ids.toSorted())
      }
    })
  )

  it.effect("installs with the scopes that were granted, active, the window empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, scopes, storeId } = yield* installed
      assert.deepStrictEqual(scopes, ["read_products", "write_products"])
      const rows = yield* sql`
        select i.is_active as active, i.scopes, w.hits from installations i
        join rate_windows w on w.store_id = i.store_id and w.installation_id = i.id
        where i.store_id = ${storeId} and i.id = ${id}
      `
      assert.deepStrictEqual(rows, [{ active: true, scopes: ["read_products", "write_products"], hits: [] }])
    })
  )

  it.effect("installs nothing on a store, or of an app, that is not there, nor beyond what the app declares", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { createApp, install } = yield* Installations
      const storeId = yield* makeStore()
      const gone = yield* makeStore()
      yield* sql`update stores set deleted_at = now() where id = ${gone}`
      const appId = yield* createApp({ name: "An app", scopes: ["read_products"] })
      const refusals = yield* Effect.all([
        Effect.flip(install({ storeId: nowhere, appId, scopes: [] })),
        Effect.flip(install({ storeId: gone, appId, scopes: [] })),
        Effect.flip(install({ storeId, appId: noApp, scopes: [] })),
        Effect.flip(install({ storeId, appId, scopes: ["read_products", "write_products"] }))
      ])
      assert.deepStrictEqual(
        refusals.map(({ _tag }) => _tag),
        ["UnknownStore", "UnknownStore", "AppNotFound", "ScopesNotDeclared"]
      )
      assert.match(refusals[3].message, /does not declare write_products;/)
      const rows = yield* sql`select 1 from installations where store_id in (${storeId}, ${gone})`
      assert.lengthOf(rows, 0)
    })
  )

  it.effect("keeps of a token of 256 random bits only its SHA-256, for an hour by the database's clock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issueToken } = yield* Installations
      const installation = yield* installed
      const { expiresAt, token } = yield* issueToken(installation)
      const text = Redacted.value(token)
      assert.match(text, /^[A-Za-z0-9_-]{43}$/)
      assert.notStrictEqual(Redacted.value((yield* issueToken(installation)).token), text)
      const hash = createHash("sha256").update(text).digest("hex")
      const rows = yield* sql<{ readonly row: string; readonly seconds: number }>`
        select t::text as row, extract(epoch from expires_at - clock_timestamp())::float8 as seconds
        from access_tokens t where encode(token_hash, 'hex') = ${hash}
      `
      assert.lengthOf(rows, 1)
      assert.notInclude(rows[0]?.row ?? text, text)
      assert.approximately(rows[0]?.seconds ?? 0, 3600, 30)
      const [clock] = yield* sql<{ readonly now: Date }>`select clock_timestamp() as now`
      assert.approximately(DateTime.toEpochMillis(expiresAt), (clock?.now.getTime() ?? 0) + 3_600_000, 30_000)
      assert.notInclude(String(token), text)
    })
  )

  it.effect("deactivates at once and for every token, and only that installation", () =>
    Effect.gen(function* () {
      const { deactivate, issueToken } = yield* Installations
      const { admit } = yield* RateLimit
      const [installation, other] = [yield* installed, yield* installed]
      const tokens = [yield* issueToken(installation), yield* issueToken(installation)]
      yield* deactivate(installation.id)
      for (const { token } of tokens)
        assert.strictEqual((yield* Effect.flip(admit(token)))._tag, "InstallationInactive")
      assert.strictEqual((yield* admit((yield* issueToken(other)).token)).id, other.id)
      assert.strictEqual((yield* Effect.flip(deactivate(nobody)))._tag, "InstallationNotFound")
    })
  )

  it.effect("installs an app that is installed as the same installation, active, with the scopes of now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { createApp, deactivate, install, issueToken } = yield* Installations
      const { admit } = yield* RateLimit
      const storeId = yield* makeStore()
      const appId = yield* createApp({ name: "An app", scopes: Scope.literals })
      const first = yield* install({ storeId, appId, scopes: ["read_products", "write_products"] })
      const { token } = yield* issueToken(first)
      yield* admit(token)
      yield* deactivate(first.id)

      const again = yield* install({ storeId, appId, scopes: ["read_products", "read_collections"] })
      assert.deepStrictEqual(again, { id: first.id, storeId, scopes: ["read_products", "read_collections"] })
      assert.deepStrictEqual((yield* admit(token)).scopes, again.scopes)
      const windows = yield* sql`
        select cardinality(hits) as hits from rate_windows where store_id = ${storeId} and installation_id = ${first.id}
      `
      assert.deepStrictEqual(windows, [{ hits: 2 }])
      const elsewhere = yield* install({ storeId: yield* makeStore(), appId, scopes: [] })
      assert.notStrictEqual(elsewhere.id, first.id)
    })
  )

  it.effect("makes one installation of installs at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { createApp, install } = yield* Installations
      const storeId = yield* makeStore()
      const appId = yield* createApp({ name: "An app", scopes: Scope.literals })
      const made = yield* Effect.all(
        Array.from({ length: 8 }, () => install({ storeId, appId, scopes: ["read_products"] })),
        { concurrency: "unbounded" }
      )
      const [{ id } = { id: nobody }] = made
      assert.deepStrictEqual(new Set(made.map((one) => one.id)), new Set([id]))
      assert.deepStrictEqual(yield* sql`select id from installations where store_id = ${storeId}`, [{ id }])
    })
  )

  it.effect("makes a plan once, with its limits", () =>
    Effect.gen(function* () {
      const { createPlan, createStore, listPlans } = yield* Installations
      const plan = Plan.make({ name: "boutique", productLimit: 25, collectionLimit: 5 })
      yield* createPlan(plan)
      assert.deepInclude(yield* listPlans, plan)
      assert.match((yield* Effect.flip(createPlan(plan))).message, /There is a plan boutique already/)
      yield* createStore({ name: "Shop", plan: "boutique", currencyCode: "EUR" })
    })
  )

  it.effect("lists stores and apps, the newest first, with what they hold; deleted stores and theirs no more", () =>
    Effect.gen(function* () {
      const { createApp, deactivate, deleteStore, install, listApps, listStores } = yield* Installations
      const appId = yield* createApp({ name: "Counted", scopes: Scope.literals })
      const [one, two, three] = [yield* makeStore("free"), yield* makeStore("growth"), yield* makeStore()]
      for (const storeId of [one, two, three]) yield* install({ storeId, appId, scopes: [] })
      yield* deactivate((yield* install({ storeId: two, appId, scopes: [] })).id)
      const gone = yield* listStores(1)
      assert.deepStrictEqual(
        gone.map(({ storeId }) => storeId),
        [three]
      )
      yield* deleteStore(three)
      assert.strictEqual((yield* Effect.flip(deleteStore(three)))._tag, "UnknownStore")

      const stores = (yield* listStores(2)).map(({ createdAt: _, ...store }) => store)
      const held = { name: "A store", currencyCode: "EUR", products: 0, collections: 0 }
      assert.deepStrictEqual(stores, [
        { ...held, storeId: two, plan: "growth", installations: 0 },
        { ...held, storeId: one, plan: "free", installations: 1 }
      ])
      const [app] = yield* listApps(1)
      assert.deepInclude(app, { appId, name: "Counted", scopes: [...Scope.literals], installations: 1 })
    })
  )

  it.effect("lists installations by store, by app or by both, with scopes and state", () =>
    Effect.gen(function* () {
      const { createApp, deactivate, deleteStore, install, listInstallations } = yield* Installations
      const [store, other, gone] = [yield* makeStore(), yield* makeStore(), yield* makeStore()]
      const [app, second] = [
        yield* createApp({ name: "One", scopes: Scope.literals }),
        yield* createApp({ name: "Two", scopes: Scope.literals })
      ]
      const put = (storeId: StoreId, appId: AppId) =>
        Effect.map(install({ storeId, appId, scopes: ["read_products"] }), ({ id }) => id)
      const [first, next] = [yield* put(store, app), yield* put(store, second)]
      const [third, lost] = [yield* put(other, app), yield* put(gone, app)]
      yield* deactivate(next)
      yield* deleteStore(gone)

      const list = (storeId: StoreId | undefined, appId: AppId | undefined, limit = 10) =>
        listInstallations({ storeId: Option.fromNullable(storeId), appId: Option.fromNullable(appId), limit })
      const ids = (storeId: StoreId | undefined, appId: AppId | undefined, limit = 10) =>
        Effect.map(list(storeId, appId, limit), (rows) => rows.map(({ installationId }) => installationId))
      assert.deepStrictEqual(yield* ids(store, undefined), [next, first])
      assert.deepStrictEqual(yield* ids(undefined, app), [third, first])
      assert.deepStrictEqual(yield* ids(store, app), [first])
      assert.deepStrictEqual(yield* ids(undefined, app, 1), [third])
      assert.notInclude(yield* ids(undefined, app), lost)
      const [newest] = yield* list(store, undefined)
      const { createdAt: _, ...shown } = newest ?? assert.fail("nothing is listed")
      const expected = { installationId: next, storeId: store, appId: second, scopes: ["read_products"], active: false }
      assert.deepStrictEqual(shown, { ...expected, scopes: ["read_products"] })
      assert.strictEqual((yield* Effect.flip(list(gone, undefined)))._tag, "UnknownStore")
      assert.strictEqual((yield* Effect.flip(list(undefined, noApp)))._tag, "AppNotFound")
    })
  )

  it.effect("finds an installation for another token, and says what stands in its way", () =>
    Effect.gen(function* () {
      const { activate, deactivate, deleteStore, findActive, issueToken } = yield* Installations
      const { admit } = yield* RateLimit
      const installation = yield* installed
      const { token } = yield* issueToken(yield* findActive(installation.id))
      assert.deepInclude(yield* admit(token), installation)
      yield* deactivate(installation.id)
      const refused = yield* Effect.flip(findActive(installation.id))
      assert.match(refused.message, /is not active; activate it with: installations activate [0-9a-f-]{36}$/)
      yield* activate(installation.id)
      assert.deepStrictEqual(yield* findActive(installation.id), installation)
      assert.deepInclude(yield* admit(token), installation)
      yield* deleteStore(installation.storeId)
      for (const id of [installation.id, nobody])
        assert.strictEqual((yield* Effect.flip(findActive(id)))._tag, "InstallationNotFound")
      assert.strictEqual((yield* Effect.flip(activate(nobody)))._tag, "InstallationNotFound")
    })
  )

  it.effect("revokes every token that an installation has at once, and only its; a new one is good", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { issueToken, revokeTokens } = yield* Installations
      const { admit } = yield* RateLimit
      const [installation, other] = [yield* installed, yield* installed]
      const tokens = [yield* issueToken(installation), yield* issueToken(installation), yield* issueToken(installation)]
      const { token: kept } = yield* issueToken(other)
      const expired = createHash("sha256")
        .update(Redacted.value(tokens[2]?.token ?? kept))
        .digest()
      yield* sql`update access_tokens set expires_at = now() where token_hash = ${expired}`
      assert.strictEqual(yield* revokeTokens(installation.id), 2)
      for (const { token } of tokens) assert.strictEqual((yield* Effect.flip(admit(token)))._tag, "InvalidToken")
      assert.strictEqual((yield* admit(kept)).id, other.id)
      assert.strictEqual(yield* revokeTokens(installation.id), 0)
      assert.strictEqual((yield* admit((yield* issueToken(installation)).token)).id, installation.id)
      assert.strictEqual((yield* Effect.flip(revokeTokens(nobody)))._tag, "InstallationNotFound")
    })
  )
})
