import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { DeliveryQueue } from "../../../src/layers/webhooks/DeliveryQueue.ts"
import { waitUntil } from "../../support/process/Process.ts"
import {
  waitForAttempts,
  waitForRequests,
  deliveriesOf,
  DeliveringApi,
  makeDue,
  scene,
  subscriber
} from "../../support/webhooks/Webhooks.ts"

/** Moves the start of the webhook's failures to `hours` ago. */
const failingFor = (appId: AppId, hours: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update endpoints set failing_since = now() - ${hours} * interval '1 hour' where app_id = ${appId}`
  )

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Pauses of webhooks", (it) => {
  it.effect("a 410 response pauses the webhook at once, and its deliveries stay pending", () =>
    Effect.gen(function* () {
      const { show } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 410 }))
      yield* writer.post("/products", { name: "Cup" })
      const paused = yield* waitUntil(show(appId), ({ pauseReason }) => pauseReason !== null)
      assert.deepInclude(paused, { pauseReason: "gone", pending: 1 })
      yield* writer.post("/products", { name: "Mug" })
      yield* makeDue(appId)

      // A later delivery to another app arrives, so the worker has skipped the pending ones of the paused webhook.
      const other = yield* scene()
      yield* other.writer.post("/products", { name: "Cup" })
      yield* waitForRequests(other.endpoint, 1)
      assert.lengthOf(endpoint.received, 1)
      assert.deepInclude(yield* show(appId), { pauseReason: "gone", pending: 2 })
    })
  )

  it.effect(
    "a receiver that has failed for an hour is counted for alerts while deliveries wait and it is not paused",
    () =>
      Effect.gen(function* () {
        const { measure } = yield* DeliveryQueue.make
        const failing = Effect.map(measure, (measured) => measured.failing)
        const before = yield* failing
        const { appId, writer } = yield* scene(() => ({ status: 500 }))
        yield* writer.post("/products", { name: "Cup" })
        yield* waitForAttempts(appId, 1)
        assert.strictEqual(yield* failing, before)
        yield* failingFor(appId, 1)
        assert.strictEqual(yield* failing, before + 1)
        yield* (yield* Webhooks).pause(appId)
        assert.strictEqual(yield* failing, before)
      })
  )

  it.effect("a webhook is paused after 120 hours of failures, and a success restarts that period", () =>
    Effect.gen(function* () {
      const { show } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Cup" })
      yield* waitForAttempts(appId, 1)
      assert.isNotNull((yield* show(appId)).failingSince)
      yield* failingFor(appId, 119.9)
      yield* makeDue(appId)
      yield* waitForAttempts(appId, 2)
      assert.isNull((yield* show(appId)).pauseReason)

      endpoint.answerWith(() => ({}))
      yield* makeDue(appId)
      yield* waitForAttempts(appId, 3)
      assert.isNull((yield* show(appId)).failingSince)

      endpoint.answerWith(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "Mug" })
      yield* waitUntil(show(appId), ({ failingSince }) => failingSince !== null)
      yield* failingFor(appId, 120)
      yield* makeDue(appId)
      const paused = yield* waitUntil(show(appId), ({ pausedAt }) => pausedAt !== null)
      assert.deepInclude(paused, { pauseReason: "failing", pending: 1 })
    })
  )

  it.effect("resuming with `deliver` sends the missed events and resets their failures", () =>
    Effect.gen(function* () {
      const { pause, resume, show } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 500 }))
      yield* writer.post("/products", { name: "One" })
      yield* waitForAttempts(appId, 1)
      yield* pause(appId)
      for (const name of ["Two", "Three"]) yield* writer.post("/products", { name })
      endpoint.answerWith(() => ({}))
      const missed = yield* resume(appId, "deliver")
      assert.strictEqual(missed.count, 3)
      assert.isTrue((missed.since ?? 0) < (missed.until ?? 0))
      yield* waitForRequests(endpoint, 4)
      const all = yield* waitUntil(deliveriesOf(appId), (rows) => rows.every(({ outcome }) => outcome !== null))
      assert.deepStrictEqual(
        all.map(({ failures, outcome }) => ({ failures, outcome })),
        Array.from({ length: 3 }, () => ({ failures: 0, outcome: "delivered" }))
      )
      assert.deepInclude(yield* show(appId), { pausedAt: null, pauseReason: null, failingSince: null, pending: 0 })
    })
  )

  it.effect("resuming with `skip` sends only events that follow", () =>
    Effect.gen(function* () {
      const { pause, resume } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene()
      yield* pause(appId)
      for (const name of ["One", "Two"]) yield* writer.post("/products", { name })
      assert.strictEqual((yield* resume(appId, "skip")).count, 2)
      yield* writer.post("/products", { name: "Three" })
      yield* waitForRequests(endpoint, 1)
      const all = yield* waitUntil(deliveriesOf(appId), (rows) => rows.every(({ outcome }) => outcome !== null))
      assert.deepStrictEqual(
        all.map(({ outcome }) => outcome),
        ["skipped", "skipped", "delivered"]
      )
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("pending deliveries go to a new URL, and the webhook keeps its secret", () =>
    Effect.gen(function* () {
      const { subscribe } = yield* Webhooks
      const { appId, endpoint, writer } = yield* scene(() => ({ status: 500 }))
      const next = yield* scene()
      yield* writer.post("/products", { name: "Cup" })
      yield* waitForAttempts(appId, 1)
      const newSecret = yield* subscribe(appId, { url: next.endpoint.url, kinds: ["catalog.product.updated.v1"] })
      assert.strictEqual(newSecret._tag, "None")
      yield* makeDue(appId)
      const [delivery] = yield* waitForRequests(next.endpoint, 1)
      assert.strictEqual(delivery?.headers["webhook-id"], endpoint.received[0]?.headers["webhook-id"])
      assert.lengthOf(endpoint.received, 1)
    })
  )
})

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Responses of a replaced URL", (it) => {
  for (const status of [410, 500]) {
    it.effect(`a ${status} from a replaced URL does not count against the new one`, () =>
      Effect.gen(function* () {
        const { show, subscribe } = yield* Webhooks
        const pendingResponses: Array<() => void> = []
        const { appId, endpoint, writer } = yield* scene(
          () => new Promise((resolve) => pendingResponses.push(() => resolve({ status })))
        )
        const next = yield* scene()
        yield* writer.post("/products", { name: "Cup" })
        yield* waitForRequests(endpoint, 1)
        yield* subscribe(appId, { url: next.endpoint.url, kinds: ["catalog.product.updated.v1"] })
        for (const respond of pendingResponses) respond()
        assert.deepInclude(yield* waitForAttempts(appId, 1), { outcome: null, failures: 1 })
        assert.deepInclude(yield* show(appId), { pauseReason: null, failingSince: null })
        yield* makeDue(appId)
        yield* waitForRequests(next.endpoint, 1)
      })
    )
  }
})

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Endpoints", (it) => {
  it.effect("an endpoint gets at most 32 concurrent requests, 2 once it fails, and does not delay others", () =>
    Effect.gen(function* () {
      const { show } = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const pendingResponses: Array<() => void> = []
      const slow = yield* scene(() => new Promise((resolve) => pendingResponses.push(() => resolve({ status: 500 }))))
      const events = Array.from({ length: 60 }, (_, n) => slow.writer.post("/products", { name: `Cup ${n}` }))
      yield* Effect.all(events, { concurrency: 8 })
      yield* waitForRequests(slow.endpoint, 32)

      const other = yield* scene()
      yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => other.writer.post("/products", { name: `Mug ${n}` })),
        { concurrency: 8 }
      )
      yield* waitForRequests(other.endpoint, 40)
      assert.lengthOf(slow.endpoint.received, 32)
      assert.strictEqual(slow.endpoint.most(), 32)

      for (const respond of pendingResponses.splice(0)) respond()
      yield* waitUntil(show(slow.appId), ({ failingSince }) => failingSince !== null)
      yield* sql`update deliveries set next_at = now() where app_id = ${slow.appId} and lease is null`
      yield* waitForRequests(slow.endpoint, 34)
      yield* other.writer.post("/products", { name: "The last" })
      yield* waitForRequests(other.endpoint, 41)
      assert.lengthOf(pendingResponses, 2)
      for (const respond of pendingResponses.splice(0)) respond()
    })
  )

  it.effect("a webhook URL must be absolute, https, public and without credentials", () =>
    Effect.gen(function* () {
      for (const [url, reason] of [
        ["http://example.com/", "must begin with https://"],
        ["https://10.0.0.1/", "has the address 10.0.0.1"],
        ["https://user:secret@example.com/", "must not contain a user name or password"],
        ["hooks", "must be an absolute URL"]
      ] as const) {
        const rejected = yield* Effect.flip(subscriber({ url }))
        assert.include(rejected.message, reason)
      }
    })
  )
})
