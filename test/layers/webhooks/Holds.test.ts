import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { StoreWebhooks } from "../../../src/domain/webhooks/StoreWebhooks.ts"
import { DeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { openTransaction, waiting } from "../../support/postgres/OpenTransactions.ts"
import { deliveriesOf, scene } from "../../support/webhooks/Webhooks.ts"
import { performIn } from "../../support/data/Writes.ts"

// No worker runs: the tests claim deliveries themselves.
layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Holds of deliveries", (it) => {
  it.effect("a release waits for running writes and also releases their deliveries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { hold, release } = yield* StoreWebhooks
      const { appId, installation, storeId, writer } = yield* scene()
      const perform = yield* performIn(storeId)
      yield* perform(hold(storeId, installation.id))
      yield* writer.post("/products", { name: "Cup" })
      const [first] = yield* deliveriesOf(appId)
      assert.strictEqual(first?.outcome, "held")

      // A write that saw the hold and commits after the release has begun.
      const commit = yield* openTransaction(
        Effect.andThen(
          sql`update stores set id_clock = id_clock + 1 where id = ${storeId}`,
          sql`
            insert into deliveries (store_id, event_id, installation_id, app_id, outcome, finished_at)
            select store_id, uuid_v7(clock_micros()), installation_id, app_id, outcome, finished_at from deliveries
            where store_id = ${storeId}
          `
        )
      )
      const releasing = yield* Effect.forkChild(perform(release(storeId, installation.id)))
      yield* waiting
      yield* commit
      yield* Fiber.join(releasing)
      assert.deepStrictEqual(
        (yield* deliveriesOf(appId)).map(({ outcome }) => outcome),
        [null, null]
      )
    })
  )

  it.effect("a claim waits for a release in progress and then claims the released deliveries", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { claim } = yield* DeliveryQueue.make
      const { hold } = yield* StoreWebhooks
      const { appId, installation, storeId, writer } = yield* scene()
      yield* writer.post("/products", { name: "Due before" })
      const perform = yield* performIn(storeId)
      yield* perform(hold(storeId, installation.id))

      const commit = yield* openTransaction(
        sql`update installations set held_at = null where store_id = ${storeId} and id = ${installation.id}`
      )
      const claiming = yield* Effect.forkChild(claim(16, new Map()))
      yield* waiting
      yield* commit
      const claimed = yield* Fiber.join(claiming)
      assert.deepStrictEqual(
        claimed.filter((one) => one.appId === appId).map(({ attempt }) => attempt),
        [1]
      )
    })
  )

  it.effect("a hold sets due deliveries aside without an attempt and does not affect other apps", () =>
    Effect.gen(function* () {
      const { claim } = yield* DeliveryQueue.make
      const { hold, release } = yield* StoreWebhooks
      const heldApp = yield* scene()
      const other = yield* scene()
      const perform = yield* performIn(heldApp.storeId)
      for (const { writer } of [heldApp, other]) yield* writer.post("/products", { name: "Cup" })
      yield* perform(hold(heldApp.storeId, heldApp.installation.id))
      const appsOf = (claimed: ReadonlyArray<{ readonly appId: string }>) =>
        claimed.map(({ appId }) => appId).filter((appId) => appId === heldApp.appId || appId === other.appId)
      assert.deepStrictEqual(appsOf(yield* claim(64, new Map())), [other.appId])
      const [heldDelivery] = yield* deliveriesOf(heldApp.appId)
      assert.deepInclude(heldDelivery, { outcome: "held", attempts: 0, leased: false })
      yield* perform(release(heldApp.storeId, heldApp.installation.id))
      assert.deepStrictEqual(appsOf(yield* claim(64, new Map())), [heldApp.appId])
    })
  )
})
