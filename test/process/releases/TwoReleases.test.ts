import { assert, it } from "@effect/vitest"
import { Effect, Exit, Queue, Scope, Stream } from "effect"
import { InstallationId } from "../../../src/domain/access/Ids.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Changed } from "../../../src/rpc/Client.ts"
import {
  createTokens,
  makeEmptyDatabase,
  ReleaseFolder,
  rowsOf,
  type Variables,
  waitUntil
} from "../../support/process/Process.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { auditReceiver, listeners, startSender } from "../../support/process/Workers.ts"
import { buildLastRelease, buildNextRelease } from "../../support/releases/Builds.ts"
import { type Calls, callsOf, idOf } from "../../support/releases/Calls.ts"
import { startLoad } from "../../support/releases/Load.ts"
import { NEW_COLUMN, NEW_FIELD, NEW_KIND, NEW_SCOPE } from "../../support/releases/NextRelease.ts"
import { followerAt } from "../../support/rpc/Follower.ts"
import { CLIENTS } from "../../support/rpc/Mcp.ts"
import { memberOf } from "../../support/rpc/Members.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

/** Leaves jobs and deliveries to the process of the other release. */
const WITHOUT_WORKERS = { JOB_RUNNERS: "0", WEBHOOK_WORKERS: "0" }

const SCOPES = ["read_products", "write_products", "write_inventory", NEW_SCOPE]

const memberIn = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

const firstOf = (page: unknown) => memberIn(memberIn(page, "items"), "0")

/** Value of the field that only the next release knows. */
const fieldOf = (calls: Calls, id: string) =>
  Effect.map(calls.rpc("products.get", { id }), (product) => memberIn(product, NEW_FIELD))

const newestEntry = (calls: Calls, resourceId: string) =>
  Effect.map(calls.rpc("activity.list", { resourceId, limit: 1 }), (page) => idOf(firstOf(page)))

/** Rule on the field. */
const isIn = (value: string) => [{ field: NEW_FIELD, relation: "equals", value }]

const membersOf = (calls: Calls, id: string) =>
  Effect.map(calls.get(`/collections/${id}`), ({ productIds }) => productIds)

/** Waits until a follower of one server receives a change that another one writes. */
const follows = Effect.fnUntraced(function* (
  base: string,
  cookie: string,
  storeId: StoreId,
  change: Effect.Effect<void>
) {
  const received = yield* Queue.unbounded<Changed>()
  const { changes } = yield* followerAt(base, cookie)
  yield* Effect.forkScoped(Stream.runForEach(changes({ storeId }), (one) => Queue.offer(received, one)))
  yield* Effect.raceFirst(Queue.take(received), Effect.forever(Effect.delay(change, "50 millis")))
})

it.live.skipIf(isMissing("last release"))(
  "two releases serve one database under load, each reads what the other wrote, and going back erases nothing",
  () =>
    Effect.gen(function* () {
      const { client: db, url } = yield* makeEmptyDatabase
      const folders = yield* Effect.all({ last: buildLastRelease, next: buildNextRelease }, { concurrency: 2 })
      const hooks = yield* receiver()
      const testScope = yield* Effect.scope
      const start = Effect.fnUntraced(function* (folder: string, settings: Variables = {}) {
        const scope = yield* Scope.fork(testScope)
        const server = yield* startSender({ DATABASE_URL: url, ...settings }).pipe(
          Effect.provideService(ReleaseFolder, folder),
          Scope.provide(scope)
        )
        const stop = Effect.gen(function* () {
          server.kill("SIGTERM")
          const { code, stderr, stdout } = yield* server.ended
          assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
          assert.notMatch(stdout, /SchemaError|defect|ERROR/)
          yield* Scope.close(scope, Exit.void)
        })
        return { base: server.base, stop }
      })

      const first = yield* start(folders.last, WITHOUT_WORKERS)
      const { storeId, tokens } = yield* createTokens(url)
      const [listener] = yield* listeners(url, storeId, [hooks.url])
      const cookie = yield* memberOf(url, [storeId])
      const callsAt = ({ base }: { readonly base: string }) =>
        callsOf({ base, cookie, storeId, token: tokens[0] ?? assert.fail() })
      const resetWindows = Effect.delay(rowsOf(db, "update rate_windows set hits = '{}'"), "50 millis")
      yield* Effect.forkChild(Effect.forever(resetWindows))
      /** Lists of the last release, decoded by its own schemas, as its pages do. */
      const decodeLists = Effect.fnUntraced(function* (base: string) {
        const client = yield* followerAt(base, cookie)
        const [installation] = yield* rowsOf(db, "select id from installations where app_id = $1", [listener?.appId])
        const installationId = InstallationId.make(String(installation?.["id"]))
        const { items } = yield* client.deliveries.list({ storeId, installationId, limit: 100 })
        yield* client.webhooks.get({ storeId, installationId })
        yield* client.installations.list({ storeId })
        yield* client.agents.list({ storeId })
        yield* client.activity.list({ storeId })
        yield* client.changes.list({ storeId })
        yield* client.collections.list({ storeId })
        yield* client.products.list({ storeId })
        yield* client.changeSets.list({ storeId })
        return new Set(items.map(({ kind }) => kind))
      })

      // The last release serves while the next one migrates and starts.
      let last = callsAt(first)
      const old = idOf(yield* last.post("/products", { name: "Old chair", price: 3, variants: [{ title: "Red" }] }))
      const duringStart = yield* startLoad([last], old)
      const second = yield* start(folders.next)
      yield* duringStart.end
      let next = callsAt(second)
      yield* rowsOf(db, "update webhooks set kinds = kinds || $1::text", [NEW_KIND])
      yield* rowsOf(db, "update apps set scopes = scopes || $1::text", [NEW_SCOPE])
      yield* rowsOf(db, "update installations set scopes = scopes || $1::text", [NEW_SCOPE])

      // The next release completes what the last one wrote, in the order of its fields.
      const made = idOf(yield* next.post("/products", { name: "New chair", price: 5, [NEW_FIELD]: "PT" }))
      const completed = yield* next.rpc("products.get", { id: old })
      assert.isNull(memberIn(completed, NEW_FIELD))
      assert.deepStrictEqual(
        Object.keys(Object(completed)),
        Object.keys(Object(yield* next.rpc("products.get", { id: made })))
      )
      assert.deepStrictEqual((yield* next.page("/products?limit=1"))[0], completed)

      // The last release keeps what it does not know, and the rules of the next one find it.
      assert.strictEqual((yield* last.patch(`/products/${made}`, { price: 6 }))[NEW_FIELD], "PT")
      const collect = (body: object) => Effect.map(next.post("/collections", { type: "automated", ...body }), idOf)
      const portuguese = yield* collect({ title: "Portuguese", rules: isIn("PT") })
      const unknown = yield* collect({ title: "Unknown", rules: [{ field: NEW_FIELD, relation: "is_not_set" }] })
      const priced = { field: "price", relation: "greater_than", value: 0 }
      const both = yield* collect({ title: "Both", rules: [priced, ...isIn("PT")] })
      assert.deepStrictEqual(yield* membersOf(next, portuguese), [made])
      assert.deepStrictEqual(yield* membersOf(next, both), [made])
      assert.include(yield* membersOf(next, unknown), old)
      assert.notInclude(yield* membersOf(next, unknown), made)
      // A rule that a release does not know matches no product.
      assert.deepStrictEqual(yield* membersOf(last, both), [])
      const renamed = yield* last.patch(`/collections/${both}`, { title: "Both of them" })
      assert.deepStrictEqual(renamed["rules"], [priced, ...isIn("PT")])

      // Events, scopes and previews of the next release.
      const previewed = yield* next.preview([{ op: "collection.create", collection: { title: "Chairs" } }])
      assert.deepInclude(previewed.preview?.events[0], { kind: NEW_KIND, count: 1 })
      assert.strictEqual(memberIn(yield* last.rpc("changeSets.get", { id: previewed.id }), "state"), "ready")
      yield* last.apply(previewed.id)
      assert.include(yield* decodeLists(first.base), NEW_KIND)
      let stock = 0
      const writesTo = (calls: Calls) =>
        Effect.suspend(() => Effect.asVoid(calls.patch(`/products/${made}`, { stock: ++stock })))
      yield* follows(first.base, cookie, storeId, writesTo(next))
      yield* follows(second.base, cookie, storeId, writesTo(last))
      const ofBoth = yield* startLoad([last, next], old)
      yield* ofBoth.end

      // Going back: the last release alone, started on the newer schema.
      yield* Effect.all([first.stop, second.stop], { concurrency: 2 })
      const third = yield* start(folders.last)
      last = callsAt(third)
      yield* last.patch(`/products/${made}`, { price: 7 })
      const changed = yield* last.preview([{ op: "product.update", id: made, patch: { price: 8 } }])
      yield* last.apply(changed.id)
      yield* last.apply(yield* last.undo(changed.id))
      assert.strictEqual(yield* fieldOf(last, made), "PT")

      // The next release again. Jobs and deliveries are left to the last one.
      const fourth = yield* start(folders.next, WITHOUT_WORKERS)
      next = callsAt(fourth)
      assert.strictEqual(yield* fieldOf(next, made), "PT")
      assert.deepStrictEqual(yield* membersOf(next, portuguese), [made])

      const set = yield* next.preview([
        { op: "product.update", id: made, patch: { [NEW_FIELD]: "DE" } },
        { op: "product.create", product: { name: "Chair of a set", [NEW_FIELD]: "FR" }, externalId: "set-1" }
      ])
      yield* next.apply(set.id)
      assert.strictEqual(yield* fieldOf(next, made), "DE")
      yield* next.importProducts({ externalId: "set-1", price: 12 })
      const [french] = yield* rowsOf(db, "select resource_id as id from external_ids where external_id = 'set-1'")
      assert.strictEqual(yield* fieldOf(next, String(french?.["id"])), "FR")
      const german = yield* collect({ title: "German", rules: isIn("DE") })
      assert.deepStrictEqual(yield* membersOf(next, german), [made])
      // A selection by a rule that the job does not know fails; it changes no other products.
      const selection = { mode: "each", where: { rules: [priced, ...isIn("DE")] }, change: { price: { set: 999 } } }
      const selected = idOf(yield* next.post("/change-sets", selection))
      const failed = yield* waitUntil(next.get(`/change-sets/${selected}`), ({ state }) => state !== "previewing")
      assert.strictEqual(failed["state"], "failed")
      assert.match(String(failed["failure"]), /earlier release does not know one of the rules/)

      // Undo by the last release, of a change and of a deletion.
      yield* next.patch(`/products/${made}`, { [NEW_FIELD]: "ES" })
      yield* last.write("activity.undo", { id: yield* newestEntry(last, made) })
      assert.strictEqual(yield* fieldOf(last, made), "DE")
      yield* last.write("products.delete", { id: made })
      yield* last.write("activity.undo", { id: yield* newestEntry(last, made) })
      assert.strictEqual(yield* fieldOf(next, made), "DE")
      assert.deepStrictEqual(yield* membersOf(next, german), [made])

      // Agents with a scope of the next release. An approval performs the whole proposal or refuses it.
      const agent = (settings: object) =>
        Effect.map(
          next.write("agents.create", { agent: { name: "Helper", scopes: SCOPES, window: 1_000, ...settings } }),
          (created) => String(memberIn(created, "token"))
        )
      const token = yield* agent({})
      for (const { base, write } of [last, next]) {
        const mcp = yield* CLIENTS["2026-07-28"](base, token)
        assert.notStrictEqual((yield* mcp.callTool("products_get", { id: made })).isError, true)
        yield* write("inventory.change", { id: made, change: { adjust: 1 } }, { authorization: `Bearer ${token}` })
      }
      const proposer = { authorization: `Bearer ${yield* agent({ proposalsOnly: true })}` }
      const proposing = yield* next.write("products.update", { id: made, patch: { [NEW_FIELD]: "IT" } }, proposer)
      const proposal = { id: idOf(memberIn(proposing, "proposal")) }
      assert.deepInclude(yield* last.refused("proposals.approve", proposal), {
        issues: [`patch.${NEW_FIELD}: is not a field that can be set`]
      })
      yield* next.write("proposals.approve", proposal)
      assert.strictEqual(yield* fieldOf(last, made), "IT")

      const again = yield* startLoad([last, next], old)
      yield* again.end
      assert.include(yield* decodeLists(third.base), NEW_KIND)
      const { lost, unexpected, unrecorded } = yield* auditReceiver(db, hooks)
      assert.deepStrictEqual({ lost, unexpected, unrecorded }, { lost: [], unexpected: [], unrecorded: [] })
      assert.isTrue(hooks.received.some(({ body }) => body.includes(`"kind":"${NEW_KIND}"`)))
      const written = yield* rowsOf(db, `select from products where ${NEW_COLUMN} is not null limit 1`)
      assert.lengthOf(written, 1)
      yield* Effect.all([third.stop, fourth.stop], { concurrency: 2 })
    })
)
