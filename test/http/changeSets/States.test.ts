import { assert, layer } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ChangeSet, KEPT_DAYS, MAX_UNFINISHED, READY_DAYS } from "../../../src/domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../../src/domain/changeSets/ChangeSets.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { OPERATOR_RIGHT } from "../../../src/cli/ChangeSets.ts"
import { operatorContext } from "../../../src/cli/Options.ts"
import { type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"
import {
  applied,
  countProducts,
  createSet,
  CREATION,
  PausedJobsTest,
  previewed,
  readSet,
  requestOf,
  running,
  settled,
  setOf,
  waitForState
} from "../../support/http/ChangeSets.ts"
import { connection, databaseUrl, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"

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
  action: "apply" | "cancel" | "undo",
  state: string,
  allowed: string
) {
  const refused = yield* requestOf(client, id, action)
  assert.strictEqual(refused.status, 409, `${action} ${refused.text}`)
  assert.deepStrictEqual(errorOf(refused), {
    error: `The change set is ${state}; this is possible only while it is ${allowed}`
  })
})

const CANCELABLE = "previewing or ready or scheduled or applying"
const UNDOABLE = "applied or canceled or failed"

layer(PausedJobsTest, { excludeTestServices: true, timeout: "120 seconds" })("States of change sets", (it) => {
  it.effect("a request that the state does not allow is 409 with the state and those that do", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* createSet(client)
      yield* assertMismatch(client, id, "apply", "previewing", "ready")
      yield* assertMismatch(client, id, "undo", "previewing", UNDOABLE)
      yield* running(settled(client, id))
      yield* assertMismatch(client, id, "undo", "ready", UNDOABLE)
      assert.deepInclude(setOf(yield* requestOf(client, id, "apply")), { state: "applying" })
      yield* assertMismatch(client, id, "apply", "applying", "ready")
      yield* running(settled(client, id))
      yield* assertMismatch(client, id, "apply", "applied", "ready")
      yield* assertMismatch(client, id, "cancel", "applied", CANCELABLE)
      const unchanged = yield* createSet(client, { mode: "each", operations: [] })
      yield* running(Effect.andThen(settled(client, unchanged.id), applied(client, unchanged.id)))
      const undo = yield* requestOf(client, unchanged.id, "undo")
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
      const { id } = yield* twice("/change-sets", CREATION)
      yield* running(settled(client, id))
      yield* twice(`/change-sets/${id}/apply`, {})
      yield* running(settled(client, id))
      assert.strictEqual(yield* countProducts(client), 1)
      const undo = yield* twice(`/change-sets/${id}/undo`, undefined)
      yield* running(settled(client, undo.id))
      yield* twice(`/change-sets/${undo.id}/cancel`, undefined)
      assert.strictEqual(yield* countProducts(client), 1)
      const other = yield* client.post("/change-sets", { ...CREATION, note: "Other" }, { key: "one-key" })
      assert.strictEqual(other.status, 201)
      assert.strictEqual((yield* client.post("/change-sets", CREATION, { key: "one-key" })).status, 409)
      assert.strictEqual((yield* client.post("/change-sets", CREATION, { key: null })).status, 400)
      assert.lengthOf(setPageOf((yield* client.get("/change-sets")).json).ids, 3)
    })
  )

  it.effect("a set of each unfinished state can be canceled, and changes nothing afterwards", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const previewing = yield* createSet(client)
      // No job works on it now.
      const canceledPreview = setOf(yield* requestOf(client, previewing.id, "cancel"))
      assert.deepInclude(canceledPreview, { state: "canceled" })
      const ready = yield* createSet(client)
      const scheduled = yield* createSet(client, { ...CREATION, applyAt: "2999-01-01T00:00:00Z" })
      const applying = yield* createSet(client)
      yield* running(Effect.forEach([previewing, ready, scheduled, applying], ({ id }) => settled(client, id)))
      assert.deepInclude(yield* readSet(client, previewing.id), { state: "canceled" })
      assert.deepInclude(setOf(yield* requestOf(client, ready.id, "cancel")), {
        state: "canceled",
        failure: null,
        counts: { total: 1, changed: 0, unchanged: 0, refused: 0 }
      })
      assert.deepInclude(setOf(yield* requestOf(client, scheduled.id, "apply")), {
        state: "scheduled",
        applyAt: "2999-01-01T00:00:00.000Z"
      })
      assert.deepInclude(setOf(yield* requestOf(client, scheduled.id, "cancel")), { state: "canceled" })
      yield* requestOf(client, applying.id, "apply")
      yield* requestOf(client, applying.id, "cancel")
      yield* running(settled(client, applying.id))
      assert.deepInclude(yield* readSet(client, applying.id), { state: "canceled", progress: { done: 0, total: 1 } })
    })
  )

  it.effect("a set that is canceled before its application starts stays canceled", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { id } = yield* running(previewed(client, { ...CREATION, applyAt: "2999-01-01T00:00:00Z" }))
      yield* requestOf(client, id, "apply")
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
      assert.deepInclude(yield* readSet(client, id), {
        state: "canceled",
        appliedAt: null,
        counts: { total: 1, changed: 0, unchanged: 0, refused: 0 }
      })
      assert.strictEqual(yield* countProducts(client), 0)
    })
  )

  it.effect("a set starts at its applyAt; a time that has passed starts at once", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const past = yield* running(previewed(client, { ...CREATION, applyAt: "2020-01-01T00:00:00Z" }))
      yield* requestOf(client, past.id, "apply")
      const later = yield* running(previewed(client, { ...CREATION, applyAt: "2999-01-01T00:00:00Z" }))
      yield* requestOf(client, later.id, "apply")
      yield* running(waitForState(past.id, "applied"))
      assert.deepInclude(yield* readSet(client, later.id), { state: "scheduled", appliedAt: null })
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
      const ids = yield* Effect.forEach(Array.from({ length: MAX_UNFINISHED }), () => createSet(client))
      const refused = yield* client.post("/change-sets", CREATION)
      assert.strictEqual(refused.status, 422)
      assert.match(errorOf(refused).error, /20 unfinished change sets, the maximum; apply or cancel/)
      const [first = assert.fail("There are 20")] = ids
      yield* running(settled(client, first.id))
      yield* requestOf(client, first.id, "cancel")
      yield* createSet(client)
    })
  )

  it.effect("a set that is not applied within 7 days is canceled, and a finished one is deleted after 90 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* ChangeSets
      const { client } = yield* freshClient()
      const { id } = yield* running(previewed(client, CREATION))
      yield* purge
      assert.deepInclude(yield* readSet(client, id), { state: "ready" })
      yield* sql`update change_sets set previewed_at = now() - ${READY_DAYS + 1} * interval '1 day' where id = ${id}`
      yield* purge
      assert.deepInclude(yield* readSet(client, id), {
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
      const first = yield* createSet(client)
      const second = yield* createSet(client, {
        mode: "each",
        operations: [...CREATION.operations, { op: "product.delete", id: randomUUID() }]
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
