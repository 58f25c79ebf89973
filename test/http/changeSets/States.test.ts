import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ChangeSet, KEPT_DAYS, MAX_UNFINISHED, READY_DAYS } from "../../../src/domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../../src/domain/changeSets/ChangeSets.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { OPERATOR_RIGHT } from "../../../src/cli/ChangeSets.ts"
import { operatorContext } from "../../../src/cli/Options.ts"
import { AtomicMillis, StepMillis } from "../../../src/layers/changeSets/Pace.ts"
import { jobRunner, OverrunMillis } from "../../../src/layers/jobs/JobRunner.ts"
import { type Client, dataOf, errorOf, freshClient, IsolatedApiTest, pageOf } from "../../support/http/Api.ts"
import { applied, previewed, resultsOf, settled, setOf, waitForState } from "../../support/http/ChangeSets.ts"
import { connection, databaseUrl, lockStore, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"
import { suspend } from "../../support/data/Writes.ts"

/** Runs jobs until the effect ends. Between such effects, sets stay in their states. */
const running = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.andThen(Layer.build(jobRunner(1)), effect))

const CREATE = { op: "product.create", product: { name: "Cup" } }
const SET = { mode: "each", operations: [CREATE] }

const creations = (length: number) =>
  Array.from({ length }, (_, n) => ({ op: "product.create", product: { name: `P ${n}` } }))

const create = (client: Client, set: unknown = SET) => Effect.map(client.post("/change-sets", set), setOf)
const post = (client: Client, id: string, action: string) =>
  client.post(`/change-sets/${id}/${action}`, action === "apply" ? {} : undefined)
const get = (client: Client, id: string) => Effect.map(client.get(`/change-sets/${id}`), setOf)
const countProducts = (client: Client) =>
  Effect.map(client.get("/products?limit=200"), (page) => pageOf(page).items.length)

const decodePage = Schema.decodeUnknownSync(
  Schema.Struct({ changeSets: Schema.Array(ChangeSet), nextCursor: Schema.NullOr(Schema.String) })
)
const setPageOf = (json: unknown) => {
  const { changeSets, nextCursor } = decodePage(json)
  return { ids: changeSets.map(({ id }) => id), nextCursor }
}

const assertMismatch = Effect.fn(function* (
  client: Client,
  id: string,
  action: string,
  state: string,
  allowed: string
) {
  const refused = yield* post(client, id, action)
  assert.strictEqual(refused.status, 409, `${action} ${refused.text}`)
  assert.deepStrictEqual(errorOf(refused), {
    error: `The change set is ${state}; this is possible only while it is ${allowed}`
  })
})

const CANCELABLE = "previewing or ready or scheduled or applying"
const UNDOABLE = "applied or canceled or failed"

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "120 seconds" })("States of change sets", (it) => {
  it.effect("a request that the state does not allow is 409 with the state and those that do", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client)
      yield* assertMismatch(client, id, "apply", "previewing", "ready")
      yield* assertMismatch(client, id, "undo", "previewing", UNDOABLE)
      yield* running(settled(client, id))
      yield* assertMismatch(client, id, "undo", "ready", UNDOABLE)
      assert.deepInclude(setOf(yield* post(client, id, "apply")), { state: "applying" })
      yield* assertMismatch(client, id, "apply", "applying", "ready")
      yield* running(settled(client, id))
      yield* assertMismatch(client, id, "apply", "applied", "ready")
      yield* assertMismatch(client, id, "cancel", "applied", CANCELABLE)
      const unchanged = yield* create(client, { mode: "each", operations: [] })
      yield* running(Effect.andThen(settled(client, unchanged.id), applied(client, unchanged.id)))
      const undo = yield* post(client, unchanged.id, "undo")
      assert.strictEqual(undo.status, 409)
      assert.include(errorOf(undo).error, "nothing to undo")
    })
  )

  it.effect("the key of create, apply, cancel and undo replays the response, and the work is done once", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const twice = Effect.fnUntraced(function* (path: string, body: unknown) {
        const key = randomUUID()
        const first = yield* client.post(path, body, { key })
        const second = yield* client.post(path, body, { key })
        assert.isBelow(first.status, 300, first.text)
        assert.deepStrictEqual([second.status, second.text], [first.status, first.text])
        assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
        return setOf(first)
      })
      const { id } = yield* twice("/change-sets", SET)
      yield* running(settled(client, id))
      yield* twice(`/change-sets/${id}/apply`, {})
      yield* running(settled(client, id))
      assert.strictEqual(yield* countProducts(client), 1)
      const undo = yield* twice(`/change-sets/${id}/undo`, undefined)
      yield* running(settled(client, undo.id))
      yield* twice(`/change-sets/${undo.id}/cancel`, undefined)
      assert.strictEqual(yield* countProducts(client), 1)
      const other = yield* client.post("/change-sets", { ...SET, note: "Other" }, { key: "one-key" })
      assert.strictEqual(other.status, 201)
      assert.strictEqual((yield* client.post("/change-sets", SET, { key: "one-key" })).status, 409)
      assert.strictEqual((yield* client.post("/change-sets", SET, { key: null })).status, 400)
      assert.lengthOf(setPageOf((yield* client.get("/change-sets")).json).ids, 3)
    })
  )

  it.effect("a set of each unfinished state can be canceled, and changes nothing afterwards", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const previewing = yield* create(client)
      // No job works on it now.
      const canceledPreview = setOf(yield* post(client, previewing.id, "cancel"))
      assert.deepInclude(canceledPreview, { state: "canceled" })
      const ready = yield* create(client)
      const scheduled = yield* create(client, { ...SET, applyAt: "2999-01-01T00:00:00Z" })
      const applying = yield* create(client)
      yield* running(Effect.forEach([previewing, ready, scheduled, applying], ({ id }) => settled(client, id)))
      assert.deepInclude(yield* get(client, previewing.id), { state: "canceled" })
      assert.deepInclude(setOf(yield* post(client, ready.id, "cancel")), {
        state: "canceled",
        failure: null,
        counts: { total: 1, changed: 0, unchanged: 0, refused: 0 }
      })
      assert.deepInclude(setOf(yield* post(client, scheduled.id, "apply")), {
        state: "scheduled",
        applyAt: "2999-01-01T00:00:00.000Z"
      })
      assert.deepInclude(setOf(yield* post(client, scheduled.id, "cancel")), { state: "canceled" })
      yield* post(client, applying.id, "apply")
      yield* post(client, applying.id, "cancel")
      yield* running(settled(client, applying.id))
      assert.deepInclude(yield* get(client, applying.id), { state: "canceled", progress: { done: 0, total: 1 } })
    })
  )

  it.effect("a cancellation stops after the current batch of 200; what it has changed stays, and can be undone", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const price = { mode: "each", where: { rules: [] }, change: { price: { set: 5 } } }
      const { id } = yield* running(
        Effect.gen(function* () {
          yield* applied(client, (yield* previewed(client, { mode: "each", operations: creations(210) })).id)
          return yield* previewed(client, price)
        })
      )
      yield* post(client, id, "apply")
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          yield* post(client, id, "cancel")
          yield* release
          const canceled = yield* settled(client, id)
          assert.deepInclude(canceled, {
            state: "canceled",
            progress: { done: 200, total: 210 },
            counts: { total: 210, changed: 200, unchanged: 0, refused: 0 }
          })
        })
      )
      const results = yield* resultsOf(client, id)
      assert.strictEqual(results.filter(({ isApplied }) => isApplied).length, 200)
      const undo = setOf(yield* post(client, id, "undo"))
      yield* running(Effect.andThen(settled(client, undo.id), applied(client, undo.id)))
      assert.deepInclude(yield* get(client, undo.id), {
        counts: { total: 200, changed: 200, unchanged: 0, refused: 0 }
      })
      assert.strictEqual((yield* get(client, id)).undoneBy, undo.id)
    })
  )

  it.effect("a set that is canceled before its application starts stays canceled", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { id } = yield* running(previewed(client, { ...SET, applyAt: "2999-01-01T00:00:00Z" }))
      yield* post(client, id, "apply")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update jobs set next_at = now() where subject_id = ${id}`
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table installations in access exclusive mode")
      yield* running(
        Effect.gen(function* () {
          // The job has read the set, and waits for its author.
          yield* waitForLockWaits(watcher, 1)
          const { cancel } = yield* ChangeSets
          const { perform } = yield* Writes
          yield* perform(operatorContext(storeId), cancel(storeId, id, OPERATOR_RIGHT))
          yield* rowsOf(holder, "commit")
          yield* Effect.repeat(sql`select from jobs where subject_id = ${id}`, {
            until: ({ length }) => length === 0,
            schedule: Schedule.spaced("20 millis")
          })
        })
      )
      assert.deepInclude(yield* get(client, id), {
        state: "canceled",
        appliedAt: null,
        counts: { total: 1, changed: 0, unchanged: 0, refused: 0 }
      })
      assert.strictEqual(yield* countProducts(client), 0)
    })
  )

  it.effect("an atomic set that takes too long fails with advice; a canceled one ends within its transaction", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const set = { mode: "atomic", operations: creations(210) }
      const slow = yield* create(client, set)
      yield* running(settled(client, slow.id)).pipe(Effect.provideService(AtomicMillis, 0))
      const failed = yield* get(client, slow.id)
      assert.deepInclude(failed, { state: "failed", counts: { total: 210, changed: 0, unchanged: 0, refused: 0 } })
      assert.match(failed.failure ?? "", /nothing was changed\. Use mode each, or split the set/)
      assert.strictEqual(yield* countProducts(client), 0)
      const { id } = yield* create(client, set)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          yield* post(client, id, "cancel")
          yield* release
          assert.deepInclude(yield* settled(client, id), { state: "canceled", progress: { done: 0, total: 210 } })
        })
      )
    })
  )

  it.effect("a step ends after its time, and the next one continues", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client, { mode: "each", operations: creations(210) })
      const counts = { total: 210, changed: 210, unchanged: 0, refused: 0 }
      const ended = running(
        Effect.gen(function* () {
          assert.deepInclude(yield* settled(client, id), { state: "ready", counts })
          return yield* applied(client, id)
        })
      ).pipe(Effect.provideService(StepMillis, -1))
      assert.deepInclude(yield* ended, { state: "applied", counts })
      assert.lengthOf(yield* resultsOf(client, id), 210)
    })
  )

  it.effect(
    "changes of one product follow each other, also those of a set that changes other products between them",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const [cup = "", can = ""] = yield* Effect.forEach(["Cup", "Can"], (name) =>
          Effect.map(client.post("/products", { name, price: 3, stock: 10 }), (answer) => String(dataOf(answer).id))
        )
        const adjust = { op: "inventory.change", id: cup, change: { adjust: -3 } }
        const operations = [
          adjust,
          { op: "product.update", id: cup, patch: { price: 4 } },
          { op: "product.update", id: can, patch: { price: 5 } },
          adjust,
          { op: "product.update", id: cup, patch: { price: 4 } },
          { op: "product.update", id: cup, patch: { slug: "mug" }, expectedVersion: 4 },
          adjust,
          adjust,
          { op: "product.update", id: cup, patch: { price: 6 }, expectedVersion: 2 },
          { op: "product.delete", id: can },
          { op: "product.update", id: can, patch: { price: 6 } }
        ]
        const created = yield* client.post("/change-sets", { mode: "each", operations })
        assert.strictEqual(created.status, 201, created.text)
        const { id } = setOf(created)
        yield* running(Effect.andThen(settled(client, id), applied(client, id)))
        const results = yield* resultsOf(client, id)
        const seen = results.map(({ outcome, version }) => `${outcome} ${version}`)
        assert.deepStrictEqual(seen, [
          "updated 2",
          "updated 3",
          "updated 2",
          "updated 4",
          "unchanged 4",
          "updated 5",
          "updated 6",
          "refused 6",
          "refused 6",
          "deleted 2",
          "refused null"
        ])
        const [product = {}] = pageOf(yield* client.get("/products")).items
        assert.deepInclude(product, { slug: "mug", price: 4, stock: 1, version: 6 })
        const sql = yield* SqlClient.SqlClient
        const entries = yield* sql<{ readonly version: number }>`
        select version from journal where resource_id = ${cup} order by id
      `
        assert.deepStrictEqual(
          entries.map(({ version }) => version),
          [1, 2, 3, 4, 5, 6]
        )
      })
  )

  it.effect("a set whose step takes long does not keep the sets of another store waiting", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* freshClient(), yield* freshClient()]
      const { id } = yield* create(slow.client)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, slow.storeId)
      yield* running(
        Effect.gen(function* () {
          yield* waitForLockWaits(watcher, 1)
          assert.deepInclude(yield* previewed(quick.client, SET), { state: "ready" })
          assert.deepInclude(yield* get(slow.client, id), { state: "previewing" })
          yield* release
          yield* settled(slow.client, id)
        })
      ).pipe(Effect.provideService(OverrunMillis, 0))
    })
  )

  it.effect("a set starts at its applyAt; a time that has passed starts at once", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const past = yield* running(previewed(client, { ...SET, applyAt: "2020-01-01T00:00:00Z" }))
      yield* post(client, past.id, "apply")
      const later = yield* running(previewed(client, { ...SET, applyAt: "2999-01-01T00:00:00Z" }))
      yield* post(client, later.id, "apply")
      yield* running(waitForState(past.id, "applied"))
      assert.deepInclude(yield* get(client, later.id), { state: "scheduled", appliedAt: null })
      assert.strictEqual(yield* countProducts(client), 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update jobs set next_at = now() where subject_id = ${later.id}`
      yield* running(waitForState(later.id, "applied"))
      assert.strictEqual(yield* countProducts(client), 2)
    })
  )

  it.effect("a store has at most 20 unfinished sets", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const ids = yield* Effect.forEach(Array.from({ length: MAX_UNFINISHED }), () => create(client))
      const refused = yield* client.post("/change-sets", SET)
      assert.strictEqual(refused.status, 422)
      assert.match(errorOf(refused).error, /20 unfinished change sets, the maximum; apply or cancel/)
      const [first = assert.fail("There are 20")] = ids
      yield* running(settled(client, first.id))
      yield* post(client, first.id, "cancel")
      yield* create(client)
    })
  )

  it.effect("a set whose app is suspended or has lost a scope by the time it runs fails with the reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const losses = [
        suspend,
        ({ id }: { readonly id: string }) => sql`update installations set scopes = '{read_products}' where id = ${id}`
      ]
      for (const lose of losses) {
        const { client, installation, storeId } = yield* freshClient()
        const { id } = yield* running(previewed(client, SET))
        yield* post(client, id, "apply")
        yield* lose(installation)
        yield* running(waitForState(id, "failed"))
        const [row] = yield* sql`select failure from change_sets where id = ${id}`
        assert.match(String(row?.["failure"]), /author of the change set no longer has the access/)
        assert.deepStrictEqual(yield* sql`select id from products where store_id = ${storeId}`, [])
      }
    })
  )

  it.effect("a set that is not applied within 7 days is canceled, and a finished one is deleted after 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* ChangeSets
      const { client } = yield* freshClient()
      const { id } = yield* running(previewed(client, SET))
      yield* purge
      assert.deepInclude(yield* get(client, id), { state: "ready" })
      yield* sql`update change_sets set previewed_at = now() - ${READY_DAYS + 1} * interval '1 day' where id = ${id}`
      yield* purge
      assert.deepInclude(yield* get(client, id), {
        state: "canceled",
        failure: "The set was not applied within 7 days"
      })
      yield* sql`update change_sets set finished_at = now() - ${KEPT_DAYS + 1} * interval '1 day' where id = ${id}`
      yield* purge
      const gone = yield* client.get(`/change-sets/${id}`)
      assert.strictEqual(gone.status, 404)
      assert.match(errorOf(gone).error, /change sets are kept for 90 days/)
      assert.deepStrictEqual(yield* sql`select from change_set_results where change_set_id = ${id}`, [])
    })
  )

  it.effect("sets are listed newest first in pages, and results by outcome", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = yield* create(client)
      const second = yield* create(client, {
        mode: "each",
        operations: [CREATE, { op: "product.delete", id: randomUUID() }]
      })
      const page = setPageOf((yield* client.get("/change-sets?limit=1")).json)
      assert.deepStrictEqual(page.ids, [second.id])
      const next = setPageOf((yield* client.get(`/change-sets?limit=1&cursor=${page.nextCursor}`)).json)
      assert.deepStrictEqual(next, { ids: [first.id], nextCursor: null })
      yield* running(settled(client, second.id))
      const refused = yield* client.get(`/change-sets/${second.id}/results?outcome=refused`)
      assert.match(refused.text, /^\{"results":\[\{"index" ?: ?1,[^{}]+\}\],"nextCursor":null\}$/)
      for (const query of ["outcome=painted", "cursor=x", "limit=0"]) {
        assert.strictEqual((yield* client.get(`/change-sets/${second.id}/results?${query}`)).status, 400, query)
      }
      assert.strictEqual(dataOf(yield* client.get(`/change-sets/${first.id}`)).id, first.id)
    })
  )
})
