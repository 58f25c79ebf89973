import { assert, it, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Queue, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { MAX_FOLLOWERS } from "../../../src/domain/journal/Changes.ts"
import { ProgressTimeout } from "../../../src/rpc/mcp/Progress.ts"
import { ApiTest, baseUrl, IsolatedApiTest } from "../../support/http/Api.ts"
import { JobsTest, waitForState } from "../../support/http/ChangeSets.ts"
import { followerOf } from "../../support/http/Sockets.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { callTool, CLIENTS, freshAgent, messageOf, META, type Progress, type Result } from "../../support/rpc/Mcp.ts"

const keyed = () => ({ idempotencyKey: randomUUID() })

const newSet = () => ({
  ...keyed(),
  mode: "each",
  operations: ["Cup", "Mug"].map((name) => ({ op: "product.create", product: { name } }))
})

const idOf = ({ structuredContent }: Result) => String(structuredContent["id"])
const stateOf = ({ structuredContent }: Result) => structuredContent["state"]

/** Sends a call with a progress token. The response has begun, and ends when its body does. */
const begin = (
  token: string,
  name: string,
  args: object,
  {
    accept = "application/json, text/event-stream",
    progressToken = 7,
    signal
  }: { accept?: string; progressToken?: unknown; signal?: AbortSignal } = {}
) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const { body, headers } = messageOf("tools/call", { name, arguments: args, _meta: { ...META, progressToken } })
      const sent = { ...headers, accept, authorization: `Bearer ${token}` }
      const response = await fetch(`${base}/mcp`, { method: "POST", body, headers: sent, signal: signal ?? null })
      return { type: response.headers.get("content-type"), text: () => response.text() }
    })
  )

const isStream = ({ type }: { readonly type: string | null }) => type === "text/event-stream"

/** Asserts that progress increases, and returns its messages. */
const messagesOf = (received: ReadonlyArray<Progress>) => {
  for (const [index, { progress }] of received.entries()) {
    assert.isAbove(progress, received[index - 1]?.progress ?? -1, JSON.stringify(received))
  }
  return received.map(({ message }) => message)
}

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Progress of jobs", (it) => {
  for (const [version, connect] of Object.entries(CLIENTS)) {
    it.effect(`a call with a progress token is answered when its job has ended: ${version}`, () =>
      Effect.gen(function* () {
        const { token } = yield* freshAgent()
        const client = yield* connect(yield* baseUrl, token)
        yield* client.listTools
        const call = Effect.fnUntraced(function* (name: string, args: Record<string, unknown>) {
          const received: Array<Progress> = []
          const result = yield* client.callTool(name, args, (progress) => void received.push(progress))
          return { id: idOf(result), last: messagesOf(received).at(-1), total: received.at(-1)?.total, result }
        })
        const created = yield* call("changeSets_create", newSet())
        assert.deepInclude(created, { last: "Ready", total: 2 })
        assert.deepInclude(created.result.structuredContent, { state: "ready", progress: { done: 2, total: 2 } })
        const { id } = created
        const applied = yield* call("changeSets_apply", { ...keyed(), id })
        assert.deepInclude(applied, { id, last: "Applied", total: 2 })
        assert.strictEqual(stateOf(applied.result), "applied")
        assert.deepStrictEqual(
          applied.result.structuredContent,
          (yield* client.callTool("changeSets_get", { id })).structuredContent
        )
        const undo = yield* call("changeSets_undo", { ...keyed(), id })
        assert.deepInclude(undo, { last: "Ready", total: 2 })
        assert.deepInclude(undo.result.structuredContent, { state: "ready", undoes: id })
      })
    )
  }

  it.effect("a repeated call writes nothing, waits again and has the state of now", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const client = yield* CLIENTS["2026-07-28"](yield* baseUrl, token)
      const create = newSet()
      const first = yield* client.callTool("changeSets_create", create)
      assert.strictEqual(stateOf(first), "previewing")
      const again = yield* client.callTool("changeSets_create", create, () => {})
      assert.deepStrictEqual([idOf(again), stateOf(again)], [idOf(first), "ready"])
    })
  )

  it.effect("an application that is scheduled or proposed is answered at once", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const later = yield* callTool(token, "changeSets_create", { ...newSet(), applyAt: "2999-01-01T00:00:00Z" })
      yield* waitForState(idOf(later), "ready")
      const base = yield* baseUrl
      const client = yield* CLIENTS["2026-07-28"](base, token)
      const scheduled = yield* client.callTool("changeSets_apply", { ...keyed(), id: idOf(later) }, () => {})
      assert.strictEqual(stateOf(scheduled), "scheduled")

      const proposer = yield* freshAgent({ proposalsOnly: true })
      const proposing = yield* CLIENTS["2026-07-28"](base, proposer.token)
      const ready = yield* proposing.callTool("changeSets_create", newSet(), () => {})
      const proposed = yield* proposing.callTool("changeSets_apply", { ...keyed(), id: idOf(ready) }, () => {})
      assert.property(proposed.structuredContent, "proposal")
    })
  )

  it.effect("a refused call is an error with a progress token, too", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      for (const connect of Object.values(CLIENTS)) {
        const client = yield* connect(yield* baseUrl, token)
        const refused = yield* client.callTool("changeSets_apply", { ...keyed(), id: randomUUID() }, () => {})
        assert.isTrue(refused.isError)
      }
    })
  )
})

/* No jobs run here, so sets are previewed for ever. */

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Progress while a job runs", (it) => {
  for (const [version, connect] of Object.entries(CLIENTS)) {
    it.effect(`progress is sent while the job runs, and never decreases: ${version}`, () =>
      Effect.gen(function* () {
        const { client: member, cookie, storeId, token } = yield* freshAgent()
        const client = yield* connect(yield* baseUrl, token)
        const received = yield* Queue.unbounded<Progress>()
        const calling = yield* Effect.forkChild(
          client.callTool("changeSets_create", newSet(), (progress) => Queue.offerUnsafe(received, progress))
        )
        assert.deepStrictEqual(yield* Queue.take(received), { progress: 0, total: 2, message: "Previewing" })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update change_sets set done = 1 where store_id = ${storeId}`
        assert.deepStrictEqual(yield* Queue.take(received), { progress: 1, total: 2, message: "Previewing" })
        // Another follower receives the state of the same poll.
        const { changeSets } = yield* followerOf(cookie)
        const states = yield* Queue.unbounded<string>()
        const [set] = (yield* member.changeSets.list({ storeId })).items
        yield* changeSets.follow({ storeId, id: set?.id ?? assert.fail("no set") }).pipe(
          Stream.runForEach(({ state }) => Queue.offer(states, state)),
          Effect.forkChild
        )
        assert.strictEqual(yield* Queue.take(states), "previewing")
        yield* sql`update change_sets set done = 0, state = 'applying' where store_id = ${storeId}`
        assert.strictEqual(yield* Queue.take(states), "applying")
        yield* sql`update change_sets set done = 2, state = 'applied' where store_id = ${storeId}`
        assert.strictEqual(stateOf(yield* Fiber.join(calling)), "applied")
        assert.deepStrictEqual(yield* Queue.takeAll(received), [{ progress: 2, total: 2, message: "Applied" }])
      })
    )
  }

  it.effect(
    "a call is answered at once in JSON without a progress token of up to 255 characters, an event stream or a job",
    () =>
      Effect.gen(function* () {
        const { token } = yield* freshAgent()
        for (const connect of Object.values(CLIENTS)) {
          const client = yield* connect(yield* baseUrl, token)
          assert.strictEqual(stateOf(yield* client.callTool("changeSets_create", newSet())), "previewing")
        }
        for (const accept of ["application/json", "*/*"]) {
          const answer = yield* begin(token, "changeSets_create", newSet(), { accept })
          assert.strictEqual(answer.type, "application/json", accept)
          assert.include(yield* Effect.promise(answer.text), '"state":"previewing"')
        }
        const long = yield* begin(token, "changeSets_create", newSet(), { progressToken: "a".repeat(256) })
        assert.strictEqual(long.type, "application/json")
        const list = yield* begin(token, "changeSets_list", {})
        assert.strictEqual(list.type, "application/json")
      })
  )

  it.effect(
    "waiting calls hold no permits; a store has 64, more are answered at once, a disconnect frees its place",
    () =>
      Effect.gen(function* () {
        const { client: member, storeId, token } = yield* freshAgent()
        const create = newSet()
        const disconnection = new AbortController()
        const { signal } = disconnection
        const take = begin(token, "changeSets_create", create, { signal })
        const waiting = yield* Effect.all(
          Array.from({ length: MAX_FOLLOWERS }, () => take),
          { concurrency: 8 }
        )
        assert.isTrue(waiting.every(isStream))
        assert.strictEqual((yield* member.products.list({ storeId })).items.length, 0)
        const more = yield* begin(token, "changeSets_create", create)
        assert.isFalse(isStream(more))
        assert.include(yield* Effect.promise(more.text), '"state":"previewing"')
        disconnection.abort()
        const ended = new AbortController()
        const again = begin(token, "changeSets_create", create, { signal: ended.signal })
        yield* Effect.timeout(waitUntil(again, isStream), "20 seconds")
        ended.abort()
      })
  )
})

const ImpatientApi = Layer.provide(IsolatedApiTest, Layer.succeed(ProgressTimeout, Duration.seconds(2)))

layer(ImpatientApi, { excludeTestServices: true, timeout: "120 seconds" })("Limit of progress", (it) => {
  it.effect("a call whose job takes too long is answered with the state of then", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const client = yield* CLIENTS["2026-07-28"](yield* baseUrl, token)
      const received: Array<Progress> = []
      const result = yield* client.callTool("changeSets_create", newSet(), (progress) => void received.push(progress))
      assert.strictEqual(stateOf(result), "previewing")
      assert.deepStrictEqual(messagesOf(received), ["Previewing"])
    })
  )
})

it.live("waiting calls are answered when the server stops", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(IsolatedApiTest, scope)
    const { token } = yield* Effect.provide(freshAgent(), context)
    const waiting = yield* Effect.provide(begin(token, "changeSets_create", newSet()), context)
    assert.isTrue(isStream(waiting))
    const startedAt = Date.now()
    yield* Scope.close(scope, Exit.void)
    assert.include(yield* Effect.promise(waiting.text), '"state":"previewing"')
    assert.isBelow(Date.now() - startedAt, 10_000)
  })
)
