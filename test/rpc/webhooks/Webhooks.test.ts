import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { install } from "../../support/http/Api.ts"
import { watch } from "../../support/process/Process.ts"
import { type React, receiver } from "../../support/webhooks/Receiver.ts"
import { freshMember, newKey } from "../../support/rpc/Rpc.ts"
import { arrived, DeliveringApi, eventOf, hurry, installApp, subscriber } from "../../support/webhooks/Webhooks.ts"
import { installing } from "../../support/data/Writes.ts"

/** A member of a store, somebody who writes there, and an app that is told of it. */
const scene = Effect.fn(function* (react?: React) {
  const { client, storeId } = yield* freshMember()
  const { client: writer } = yield* install(storeId)
  const endpoint = yield* receiver(react)
  const app = yield* subscriber(endpoint)
  const { installation } = yield* installApp(storeId, app.appId)
  const named = { storeId, installationId: installation.id }
  const asked = () => ({ ...named, idempotencyKey: newKey() })
  const write = (name: string) => writer.post("/products", { name })
  const list = client.deliveries.list(named)
  /** Until the deliveries of the app are in these states, the newest first. */
  const states = (...wanted: ReadonlyArray<string>) =>
    watch(list, ({ items }) => items.map(({ state }) => state).join() === wanted.join())
  return { client, storeId, endpoint, app, installation, named, asked, write, list, states }
})

/** A receiver that answers one of its requests with another status. */
const answering = (status: number, nth: number): React => {
  let count = 0
  return () => (++count === nth ? { status } : {})
}

const nameOf = (delivery: Parameters<typeof eventOf>[0]) => eventOf(delivery).data["product"]?.["name"]

/** How a store's deliveries to everybody stand. */
const outcomesOf = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly outcome: string | null }>`
      select outcome from deliveries where store_id = ${storeId} order by event_id
    `
  ).pipe(Effect.map((rows) => rows.map(({ outcome }) => outcome)))

layer(DeliveringApi, { excludeTestServices: true, timeout: "60 seconds" })("webhooks and deliveries", (it) => {
  it.effect("a webhook is shown without its path or secrets, and deliveries with their attempts", () =>
    Effect.gen(function* () {
      const { app, client, endpoint, installation, list, named, states, write } = yield* scene(answering(500, 1))
      const webhook = yield* client.webhooks.get(named)
      assert.deepStrictEqual(webhook, {
        installationId: installation.id,
        host: new URL(endpoint.url).host,
        kinds: ["catalog.product.updated.v1", "catalog.collection.updated.v1"],
        failingSince: null,
        pausedAt: null,
        pauseReason: null,
        heldSince: null
      })
      yield* write("Cup")
      yield* arrived(endpoint, 1)
      const failed = yield* watch(list, ({ items }) => items[0]?.attempts === 1 && items[0].state === "pending")
      assert.isNotNull(failed.items[0]?.nextAt)
      yield* watch(client.webhooks.get(named), ({ failingSince }) => failingSince !== null)
      yield* hurry(app.appId)
      const { items } = yield* states("delivered")
      const [delivery] = items
      assert.isDefined(delivery)
      assert.deepInclude(delivery, { installationId: installation.id, attempts: 2, nextAt: null })
      const { log, ...rest } = yield* client.deliveries.get({ ...named, eventId: delivery.eventId })
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

  it.effect("deliveries are listed the newest first: in pages, by state, by time", () =>
    Effect.gen(function* () {
      const { client, named, states, write } = yield* scene(answering(410, 2))
      yield* write("One")
      const { items: first } = yield* states("delivered")
      yield* write("Two")
      yield* watch(client.webhooks.get(named), ({ pauseReason }) => pauseReason === "gone")
      yield* write("Three")
      const all = (yield* states("pending", "pending", "delivered")).items
      const eventIds = all.map(({ eventId }) => eventId)

      const walk = []
      let cursor: (typeof eventIds)[number] | undefined
      do {
        const page = yield* client.deliveries.list({ ...named, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
        walk.push(...page.items)
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      assert.deepStrictEqual(walk, all)

      const idsWhere = (asked: object) =>
        Effect.map(client.deliveries.list({ ...named, ...asked }), ({ items }) => items.map(({ eventId }) => eventId))
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

  it.effect("what is sent once more arrives once more, once for a key", () =>
    Effect.gen(function* () {
      const { asked, client, endpoint, named, states, write } = yield* scene()
      yield* write("Cup")
      const [delivery] = (yield* states("delivered")).items
      assert.isDefined(delivery)
      const { eventId } = delivery
      const asking = { ...asked(), eventId }
      const again = yield* client.deliveries.redeliver(asking)
      assert.deepInclude(again, { eventId, state: "pending", finishedAt: null })
      yield* arrived(endpoint, 2)
      yield* states("delivered")
      assert.deepStrictEqual(yield* client.deliveries.redeliver(asking), again)
      yield* states("delivered")
      assert.lengthOf(endpoint.received, 2)
      assert.strictEqual(endpoint.received[0]?.body, endpoint.received[1]?.body)

      yield* client.installations.suspend({
        storeId: named.storeId,
        idempotencyKey: newKey(),
        id: named.installationId
      })
      const refused = yield* Effect.flip(client.deliveries.redeliver({ ...asked(), eventId }))
      assert.strictEqual(refused._tag, "InstallationSuspended")
    })
  )

  it.effect(
    "a store that pauses keeps what it would send, for others nothing changes, and sends it when it resumes",
    () =>
      Effect.gen(function* () {
        const { app, asked, client, endpoint, named, states, write } = yield* scene(answering(500, 1))
        const other = yield* freshMember()
        const { client: otherWriter } = yield* install(other.storeId)
        yield* installApp(other.storeId, app.appId)
        yield* write("Due before")
        yield* arrived(endpoint, 1)

        const pausing = asked()
        const paused = yield* client.webhooks.pause(pausing)
        assert.isNotNull(paused.heldSince)
        assert.deepStrictEqual(yield* client.webhooks.pause(pausing), paused)
        assert.deepStrictEqual(yield* client.webhooks.pause(asked()), paused)
        for (let n = 1; n <= 3; n++) yield* write(`Held ${n}`)
        yield* hurry(app.appId)
        const { items } = yield* states("held", "held", "held", "held")
        for (const { finishedAt, nextAt } of items) assert.deepStrictEqual([finishedAt, nextAt], [null, null])

        yield* otherWriter.post("/products", { name: "Of another" })
        const came = yield* arrived(endpoint, 2)
        assert.strictEqual(nameOf(came[1] ?? { body: "" }), "Of another")

        // A key of the member is the member's: used for something else, it is refused.
        assert.strictEqual((yield* Effect.flip(client.webhooks.resume(pausing)))._tag, "KeyReused")
        assert.isNull((yield* client.webhooks.resume(asked())).heldSince)
        const all = yield* arrived(endpoint, 6)
        assert.sameMembers(all.slice(2).map(nameOf), ["Due before", "Held 1", "Held 2", "Held 3"])
        yield* states("delivered", "delivered", "delivered", "delivered")
        yield* write("After")
        yield* arrived(endpoint, 7)
        yield* states(...Array.from({ length: 5 }, () => "delivered"))
        assert.isNull((yield* client.webhooks.get(named)).heldSince)
      })
  )

  it.effect("pauses and resumes among writes lose no delivery", () =>
    Effect.gen(function* () {
      const { asked, client, endpoint, storeId, write } = yield* scene()
      const writes = Effect.forEach(
        Array.from({ length: 80 }, (_, n) => `Cup ${n}`),
        write,
        { concurrency: 6 }
      )
      const hold = Effect.suspend(() => client.webhooks.pause(asked()))
      const release = Effect.suspend(() => client.webhooks.resume(asked()))
      yield* Effect.all([writes, Effect.replicateEffect(Effect.andThen(hold, release), 15)], { concurrency: 2 })
      yield* watch(outcomesOf(storeId), (outcomes) => outcomes.every((outcome) => outcome === "delivered"))
      assert.lengthOf(new Set(endpoint.received.map(nameOf)), 80)
    })
  )

  it.effect("what was to be delivered before an uninstall is not, also when the app is installed again", () =>
    Effect.gen(function* () {
      const { app, asked, client, endpoint, installation, states, storeId, write } = yield* scene(() => ({
        status: 500
      }))
      yield* write("Before")
      yield* arrived(endpoint, 1)
      yield* client.webhooks.pause(asked())
      yield* write("Held before")
      yield* client.installations.uninstall({ storeId, idempotencyKey: newKey(), id: installation.id })
      yield* write("Meanwhile")
      const { install } = yield* installing
      yield* install({ storeId, appId: app.appId, ...ALL_GRANTS })
      yield* client.webhooks.pause(asked())
      yield* client.webhooks.resume(asked())
      yield* hurry(app.appId)
      yield* states("canceled", "canceled")
      assert.lengthOf(endpoint.received, 1)
    })
  )

  it.effect("other stores' installations and deliveries are as if there were none", () =>
    Effect.gen(function* () {
      const { asked, client, named, states, write } = yield* scene()
      yield* write("Cup")
      const [mine] = (yield* states("delivered")).items
      const stranger = yield* scene()
      yield* stranger.write("Secret")
      const [theirs] = (yield* stranger.states("delivered")).items
      assert.isDefined(mine)
      assert.isDefined(theirs)
      const { installationId } = stranger.named
      const foreign = { ...asked(), installationId }
      const gone = [
        Effect.asVoid(client.webhooks.get({ ...named, installationId })),
        Effect.asVoid(client.webhooks.pause(foreign)),
        Effect.asVoid(client.webhooks.resume(foreign)),
        Effect.asVoid(client.deliveries.list({ ...named, installationId })),
        Effect.asVoid(client.deliveries.get({ ...named, installationId, eventId: theirs.eventId })),
        Effect.asVoid(client.deliveries.redeliver({ ...foreign, eventId: theirs.eventId }))
      ]
      for (const call of gone) assert.strictEqual((yield* Effect.flip(call))._tag, "InstallationNotFound")
      const wrong = [
        Effect.asVoid(client.deliveries.get({ ...named, eventId: theirs.eventId })),
        Effect.asVoid(client.deliveries.redeliver({ ...asked(), eventId: theirs.eventId }))
      ]
      for (const call of wrong) assert.strictEqual((yield* Effect.flip(call))._tag, "DeliveryNotFound")
      assert.isNull((yield* stranger.client.webhooks.get(stranger.named)).heldSince)
      assert.lengthOf(stranger.endpoint.received, 1)
    })
  )
})
