import { assert, layer } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Billing } from "../../../src/domain/billing/Billing.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeApp, makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { installing, performIn } from "../../support/data/Writes.ts"

const DomainTest = Layer.provideMerge(DomainLive, PostgresTest)

layer(DomainTest, { excludeTestServices: true, timeout: "60 seconds" })("Subscriptions", (it) => {
  it.effect("exactly one of 64 concurrent subscriptions of an installation succeeds, and one of 64 cancellations", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const { install } = yield* installing
      const appId = yield* makeApp()
      const plan = { name: "Basic", price: 9.9, currencyCode: "EUR", period: "month", trialDays: 0 } as const
      const planId = yield* billing.setPlan(appId, plan)
      const storeId = yield* makeStore()
      const { id } = yield* install({ storeId, appId, ...ALL_GRANTS })
      const perform = yield* performIn(storeId)
      const limit = 100

      for (let round = 1; round <= 5; round++) {
        const subscribed = yield* Effect.replicateEffect(
          Effect.suspend(() => Effect.result(perform(billing.subscribe(storeId, id, planId)))),
          64,
          { concurrency: "unbounded" }
        )
        const [created, errors] = Array.separate(subscribed)
        assert.lengthOf(created, 1)
        for (const error of errors) assert.strictEqual(error._tag, "AlreadySubscribed")
        const cancelled = yield* Effect.replicateEffect(
          Effect.suspend(() => Effect.result(perform(billing.cancel(storeId, id)))),
          64,
          { concurrency: "unbounded" }
        )
        assert.lengthOf(Array.getSuccesses(cancelled), 1)
        const { nextCursor } = yield* billing.subscriptions(storeId, { limit: round })
        assert.isNull(nextCursor)
      }
      assert.notInclude((yield* billing.subscriptions(storeId, { limit })).items, '"active"')
    })
  )
})
