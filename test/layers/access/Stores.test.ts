import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NO_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import { AccessLive } from "../../../src/layers/access/Access.ts"
import { WritesLive } from "../../../src/layers/Writes.ts"
import { makeApp, makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { installing, suspend } from "../../support/data/Writes.ts"
import { RepositoriesLive } from "../../../src/layers/Domain.ts"

const Live = Layer.mergeAll(AccessLive, WritesLive).pipe(
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(PostgresTest)
)

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Stores", (it) => {
  it.effect("listPlans returns all plans, the smallest first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stores = yield* Stores
      yield* sql`insert into plans (name, product_limit) values ('tiny', 3)`
      const plans = (yield* stores.listPlans).map((plan) => `${plan.name} ${plan.productLimit} ${plan.collectionLimit}`)
      assert.deepStrictEqual(plans, [
        "tiny 3 10000",
        "free 100 50",
        "starter 1000 500",
        "growth 10000 2000",
        "scale 100000 10000"
      ])
      yield* stores.create({ name: "Shop", plan: "tiny", currencyCode: "EUR" })
    })
  )

  it.effect("createPlan stores the limits of a plan and rejects a second one of that name", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const plan = Plan.make({ name: "boutique", productLimit: 25, collectionLimit: 5, mediaLimit: 0 })
      yield* stores.createPlan(plan)
      assert.deepInclude(yield* stores.listPlans, plan)
      assert.match((yield* Effect.flip(stores.createPlan(plan))).message, /Plan boutique already exists/)
      yield* stores.create({ name: "Shop", plan: "boutique", currencyCode: "EUR" })
    })
  )

  it.effect("create fails for an unknown plan and names the known ones", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const error = yield* Effect.flip(stores.create({ name: "Shop", plan: "gold", currencyCode: "EUR" }))
      assert.match(error.message, /^Plan gold was not found; choose one of .*free, starter, growth, scale$/)
    })
  )

  it.effect("list returns the newest stores first with their counts, without deleted ones", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const { install } = yield* installing
      const appId = yield* makeApp()
      const [one, two, three] = [yield* makeStore("free"), yield* makeStore("growth"), yield* makeStore()]
      for (const storeId of [one, two, three]) yield* install({ storeId, appId, ...NO_GRANTS })
      yield* suspend(yield* install({ storeId: two, appId, ...NO_GRANTS }))
      const newest = yield* stores.list(1)
      assert.deepStrictEqual(
        newest.map(({ storeId }) => storeId),
        [three]
      )
      yield* stores.delete(three)
      assert.strictEqual((yield* Effect.flip(stores.delete(three)))._tag, "UnknownStore")

      const left = (yield* stores.list(2)).map(({ createdAt: _, ...store }) => store)
      const expectedStore = { name: "A store", currencyCode: "EUR", products: 0, collections: 0 }
      assert.deepStrictEqual(left, [
        { ...expectedStore, storeId: two, plan: "growth", installations: 0 },
        { ...expectedStore, storeId: one, plan: "free", installations: 1 }
      ])
    })
  )
})
