import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { install } from "../../support/http/Api.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { type Respond, receiver } from "../../support/webhooks/Receiver.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import {
  waitForRequests,
  DeliveringApi,
  eventOf,
  makeDue,
  installApp,
  subscriber
} from "../../support/webhooks/Webhooks.ts"
import { installing } from "../../support/data/Writes.ts"

/** A store with a member, an app that writes and an app with a webhook. */
const scene = Effect.fn(function* (react?: Respond) {
  const { client, storeId } = yield* freshMember()
  const { client: writer } = yield* install(storeId)
  const endpoint = yield* receiver(react)
  const app = yield* subscriber(endpoint)
  const { installation } = yield* installApp(storeId, app.appId)
  const target = { storeId, installationId: installation.id }
  const keyed = () => ({ ...target, idempotencyKey: newKey() })
  const write = (name: string) => writer.post("/products", { name })
  const list = client.deliveries.list(target)
  /** Waits until the deliveries of the app have these states, newest first. */
  const states = (...expected: ReadonlyArray<string>) =>
    waitUntil(list, ({ items }) => items.map(({ state }) => state).join() === expected.join())
  return { client, storeId, endpoint, app, installation, target, keyed, write, list, states }
})

/** Responds to the nth request with the status, and to the others with success. */
const respondToNth = (status: number, nth: number): Respond => {
  let count = 0
  return () => (++count === nth ? { status } : {})
}

const nameOf = (delivery: Parameters<typeof eventOf>[0]) => eventOf(delivery).data["product"]?.["name"]

/** Outcomes of all deliveries of a store. */
const outcomesOf = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly outcome: string | null }>`
      select outcome from deliveries where store_id = ${storeId} order by event_id
    `
  ).pipe(Effect.map((rows) => rows.map(({ outcome }) => outcome)))

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("Webhooks and deliveries", (it) => {
  it.effect("webhooks.get omits path and secrets, and deliveries.get lists the attempts", () =>
    Effect.gen(function* () {
      const { app, client, endpoint, installation, list, target, states, write } = yield* scene(respondToNth(500, 1))
      const webhook = yield* client.webhooks.get(target)
      assert.deepStrictEqual(webhook, {
        installationId: installation.id,
        host: new URL(endpoint.url).host,
        kinds: ["catalog.product.updated.v1", "catalog.collection.updated.v1"],
        failingSince: null,
        calledAt: null,
        testFailedAt: null,
        pausedAt: null,
        pauseReason: null,
        heldSince: null
      })
      yield* write("Cup")
      yield* waitForRequests(endpoint, 1)
      const failed = yield* waitUntil(list, ({ items }) => items[0]?.attempts === 1 && items[0].state === "pending")
      assert.isNotNull(failed.items[0]?.nextAt)
      yield* waitUntil(client.webhooks.get(target), ({ failingSince }) => failingSince !== null)
      yield* makeDue(app.appId)
      const { items } = yield* states("delivered")
      const [delivery] = items
      assert.isDefined(delivery)
      assert.deepInclude(delivery, { installationId: installation.id, attempts: 2, nextAt: null })
      const { log, ...rest } = yield* client.deliveries.get({ ...target, eventId: delivery.eventId })
      assert.deepStrictEqual(rest, delivery)
      assert.deepStrictEqual(
        log.map(({ attempt, error, status }) => [attempt, status, error]),
        [
          [1, 500, null],
          [2, 204, null]
        ]
      )
    })
  )

  it.effect("deliveries are listed newest first, in pages, by state and by time", () =>
    Effect.gen(function* () {
      const { client, target, states, write } = yield* scene(respondToNth(410, 2))
      yield* write("One")
      const { items: first } = yield* states("delivered")
      yield* write("Two")
      yield* waitUntil(client.webhooks.get(target), ({ pauseReason }) => pauseReason === "gone")
      yield* write("Three")
      const all = (yield* states("pending", "pending", "delivered")).items
      const eventIds = all.map(({ eventId }) => eventId)

      const paged = []
      let cursor: (typeof eventIds)[number] | undefined
      do {
        const page = yield* client.deliveries.list({ ...target, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
        paged.push(...page.items)
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      assert.deepStrictEqual(paged, all)

      const idsWhere = (filter: object) =>
        Effect.map(client.deliveries.list({ ...target, ...filter }), ({ items }) => items.map(({ eventId }) => eventId))
      assert.deepStrictEqual(yield* idsWhere({ state: "delivered" }), eventIds.slice(2))
      assert.deepStrictEqual(yield* idsWhere({ state: "pending", limit: 1 }), eventIds.slice(0, 1))
      assert.deepStrictEqual(yield* idsWhere({ state: "dead" }), [])
      const secondAt = all[1]?.createdAt
      assert.include(yield* idsWhere({ since: first[0]?.createdAt }), eventIds[0])
      assert.deepStrictEqual(yield* idsWhere({ until: first[0]?.createdAt, state: "pending" }), [])
      assert.notInclude(yield* idsWhere({ until: secondAt }), eventIds[0])
      assert.deepStrictEqual(yield* idsWhere({ since: "2100-01-01T00:00:00Z" }), [])
    })
  )

  it.effect("redeliver sends the same body once per key, and fails while the installation is suspended", () =>
    Effect.gen(function* () {
      const { keyed, client, endpoint, target, states, write } = yield* scene()
      yield* write("Cup")
      const [delivery] = (yield* states("delivered")).items
      assert.isDefined(delivery)
      const { eventId } = delivery
      const request = { ...keyed(), eventId }
      const redelivered = yield* client.deliveries.redeliver(request)
      assert.deepInclude(redelivered, { eventId, state: "pending", finishedAt: null })
      yield* waitForRequests(endpoint, 2)
      yield* states("delivered")
      assert.deepStrictEqual(yield* client.deliveries.redeliver(request), redelivered)
      yield* states("delivered")
      assert.lengthOf(endpoint.received, 2)
      assert.strictEqual(endpoint.received[0]?.body, endpoint.received[1]?.body)

      yield* client.installations.suspend({
        storeId: target.storeId,
        idempotencyKey: newKey(),
        id: target.installationId
      })
      const error = yield* Effect.flip(client.deliveries.redeliver({ ...keyed(), eventId }))
      assert.strictEqual(error._tag, "InstallationSuspended")
    })
  )

  it.effect("a pause holds the deliveries of one store, and a resume sends them", () =>
    Effect.gen(function* () {
      const { app, keyed, client, endpoint, target, states, write } = yield* scene(respondToNth(500, 1))
      const other = yield* freshMember()
      const { client: otherWriter } = yield* install(other.storeId)
      yield* installApp(other.storeId, app.appId)
      yield* write("Due before")
      yield* waitForRequests(endpoint, 1)

      const pauseRequest = keyed()
      const paused = yield* client.webhooks.pause(pauseRequest)
      assert.isNotNull(paused.heldSince)
      assert.deepStrictEqual(yield* client.webhooks.pause(pauseRequest), paused)
      assert.deepStrictEqual(yield* client.webhooks.pause(keyed()), paused)
      for (let n = 1; n <= 3; n++) yield* write(`Held ${n}`)
      yield* makeDue(app.appId)
      const { items } = yield* states("held", "held", "held", "held")
      for (const { finishedAt, nextAt } of items) assert.deepStrictEqual([finishedAt, nextAt], [null, null])

      yield* otherWriter.post("/products", { name: "Of another" })
      const requests = yield* waitForRequests(endpoint, 2)
      assert.strictEqual(nameOf(requests[1] ?? { body: "" }), "Of another")

      // The key of the pause request cannot be reused for another procedure.
      assert.strictEqual((yield* Effect.flip(client.webhooks.resume(pauseRequest)))._tag, "KeyReused")
      assert.isNull((yield* client.webhooks.resume(keyed())).heldSince)
      const all = yield* waitForRequests(endpoint, 6)
      assert.sameMembers(all.slice(2).map(nameOf), ["Due before", "Held 1", "Held 2", "Held 3"])
      yield* states("delivered", "delivered", "delivered", "delivered")
      yield* write("After")
      yield* waitForRequests(endpoint, 7)
      yield* states(...Array.from({ length: 5 }, () => "delivered"))
      assert.isNull((yield* client.webhooks.get(target)).heldSince)
    })
  )

  it.effect("pausing and resuming during writes loses no delivery", () =>
    Effect.gen(function* () {
      const { keyed, client, endpoint, storeId, write } = yield* scene()
      const writes = Effect.forEach(
        Array.from({ length: 80 }, (_, n) => `Cup ${n}`),
        write,
        { concurrency: 6 }
      )
      const pause = Effect.suspend(() => client.webhooks.pause(keyed()))
      const resume = Effect.suspend(() => client.webhooks.resume(keyed()))
      yield* Effect.all([writes, Effect.replicateEffect(Effect.andThen(pause, resume), 15)], { concurrency: 2 })
      yield* waitUntil(outcomesOf(storeId), (outcomes) => outcomes.every((outcome) => outcome === "delivered"))
      assert.lengthOf(new Set(endpoint.received.map(nameOf)), 80)
    })
  )

  it.effect("an uninstall cancels pending and held deliveries, even if the app is installed again", () =>
    Effect.gen(function* () {
      const { app, keyed, client, endpoint, installation, states, storeId, write } = yield* scene(() => ({
        status: 500
      }))
      yield* write("Before")
      yield* waitForRequests(endpoint, 1)
      yield* client.webhooks.pause(keyed())
      yield* write("Held before")
      yield* client.installations.uninstall({ storeId, idempotencyKey: newKey(), id: installation.id })
      yield* write("Meanwhile")
      const { install } = yield* installing
      yield* install({ storeId, appId: app.appId, ...ALL_GRANTS })
      yield* client.webhooks.pause(keyed())
      yield* client.webhooks.resume(keyed())
      yield* makeDue(app.appId)
      yield* states("canceled", "canceled")
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("installations and deliveries of other stores are not found", () =>
    Effect.gen(function* () {
      const { keyed, client, target, states, write } = yield* scene()
      yield* write("Cup")
      const [delivery] = (yield* states("delivered")).items
      const otherStore = yield* scene()
      yield* otherStore.write("Secret")
      const [otherDelivery] = (yield* otherStore.states("delivered")).items
      assert.isDefined(delivery)
      assert.isDefined(otherDelivery)
      const { installationId } = otherStore.target
      const foreignRequest = { ...keyed(), installationId }
      const installationCalls = [
        Effect.asVoid(client.webhooks.get({ ...target, installationId })),
        Effect.asVoid(client.webhooks.pause(foreignRequest)),
        Effect.asVoid(client.webhooks.resume(foreignRequest)),
        Effect.asVoid(client.deliveries.list({ ...target, installationId })),
        Effect.asVoid(client.deliveries.get({ ...target, installationId, eventId: otherDelivery.eventId })),
        Effect.asVoid(client.deliveries.redeliver({ ...foreignRequest, eventId: otherDelivery.eventId }))
      ]
      for (const call of installationCalls) assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
      const deliveryCalls = [
        Effect.asVoid(client.deliveries.get({ ...target, eventId: otherDelivery.eventId })),
        Effect.asVoid(client.deliveries.redeliver({ ...keyed(), eventId: otherDelivery.eventId }))
      ]
      for (const call of deliveryCalls) assert.strictEqual((yield* Effect.flip(call))._tag, "DeliveryNotFound")
      assert.isNull((yield* otherStore.client.webhooks.get(otherStore.target)).heldSince)
      assert.lengthOf(otherStore.endpoint.received, 1)
    })
  )
})
