import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { AppId, InstallationId, Scope } from "../../src/domain/Installation.ts"
import { Installations } from "../../src/domain/Installations.ts"
import { RateLimit } from "../../src/domain/RateLimit.ts"
import { StoreId } from "../../src/domain/Store.ts"
import { InstallationsLive } from "../../src/layers/Installations.ts"
import { RateLimitLive } from "../../src/layers/RateLimit.ts"
import { makeStore } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"

const Live = Layer.mergeAll(InstallationsLive, RateLimitLive).pipe(Layer.provideMerge(PostgresTest))

const NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"

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
      const nowhere = Schema.decodeSync(StoreId)(NOBODY)
      const noApp = Schema.decodeSync(AppId)(NOBODY)
      const refusals = yield* Effect.all([
        Effect.flip(install({ storeId: nowhere, appId, scopes: [] })),
        Effect.flip(install({ storeId: gone, appId, scopes: [] })),
        Effect.flip(install({ storeId, appId: noApp, scopes: [] })),
        Effect.flip(install({ storeId, appId, scopes: ["read_products", "write_products"] }))
      ])
      assert.deepStrictEqual(
        refusals.map(({ _tag }) => _tag),
        ["StoreNotFound", "StoreNotFound", "AppNotFound", "ScopesNotDeclared"]
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
      const nobody = Schema.decodeSync(InstallationId)(NOBODY)
      assert.strictEqual((yield* Effect.flip(deactivate(nobody)))._tag, "InstallationNotFound")
    })
  )
})
