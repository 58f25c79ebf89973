import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import { request } from "node:http"
import { connect } from "node:net"
import { type AccessEntry, AccessLog } from "../../../src/http/server/AccessLog.ts"
import { IsolatedApiTest, baseUrl, dataOf, freshClient } from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  lockStore,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"

/** Entries that the service wrote to its logs. */
class CapturedLogs extends Context.Service<
  CapturedLogs,
  { readonly requests: Array<AccessEntry>; readonly failures: Array<{ message: unknown; requestId: unknown }> }
>()("CapturedLogs") {}

const CapturedLogsTest = Layer.sync(CapturedLogs, () => CapturedLogs.of({ requests: [], failures: [] }))

const LogsTest = Layer.unwrap(
  Effect.map(CapturedLogs, ({ failures, requests }) =>
    Layer.merge(
      Layer.succeed(AccessLog, (access: AccessEntry) => void requests.push(access)),
      Logger.layer([
        Logger.make(({ fiber, message }) => {
          const { requestId } = fiber.getRef(References.CurrentLogAnnotations)
          failures.push({ message, requestId })
        })
      ])
    )
  )
)

const Test = IsolatedApiTest.pipe(Layer.provide(LogsTest), Layer.provideMerge(CapturedLogsTest))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Returns the access log entry of a request. It may appear shortly after the client receives the response. */
const entryOf = Effect.fn(function* (requestId: string) {
  const { requests } = yield* CapturedLogs
  const matching = Effect.sync(() => requests.filter((access) => access.requestId === requestId))
  const [entry, ...others] = yield* waitUntil(matching, (found) => found.length > 0)
  assert.deepStrictEqual(others, [])
  return entry
})

const idIn = (response: string) => /^x-request-id: (\S+)$/im.exec(response)?.[1] ?? ""

const API = "/api/platform/v1"

layer(Test, { excludeTestServices: true, timeout: "60 seconds" })("Request ids", (it) => {
  it.effect("a well-formed X-Request-Id is returned unchanged, and any other is replaced by a UUID", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const id of ["a", "0198c5f0-3b1e-7c52-9a55-0d2f6f1c7e10", "Root=1-6789.ab/c:d+e_f", "x".repeat(128)]) {
        const response = yield* client.get("/products", { headers: { "x-request-id": id } })
        assert.strictEqual(response.headers.get("x-request-id"), id)
      }
      const responses = yield* Effect.forEach(["", "x".repeat(129), 'a"b', "a b", "a\tb", "a,b", "a\\b", "ä"], (id) =>
        client.get("/products", { headers: { "x-request-id": id } })
      )
      const ids = responses.map(({ headers }) => headers.get("x-request-id") ?? "")
      for (const id of ids) assert.match(id, UUID)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("every response has a request id and one access log entry with method, route and status", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client, installation } = yield* freshClient()
      const authenticated = ["host: a", "connection: close", `authorization: Bearer ${client.token}`]
      const anonymous = ["host: a", "connection: close"]
      const { id } = installation
      const item = `${API}/products/${id}`
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, number, string?]> = [
        [`GET ${API}/products?limit=5`, authenticated, `${API}/products`, 200, id],
        [`GET ${API}/products?limit=5&secret=1`, authenticated, `${API}/products`, 400, id],
        [`GET http://a:80${API}/products?limit=5`, authenticated, `${API}/products`, 200, id],
        [`GET ${API}/products?limit=0`, authenticated, `${API}/products`, 400, id],
        [`GET ${API}/products`, anonymous, `${API}/products`, 401],
        [`DELETE ${item}`, [...authenticated, "idempotency-key: a"], `${API}/products/:id`, 404, id],
        [`GET ${item}?secret=1`, authenticated, "-", 404],
        ["GET /secret", anonymous, "-", 404],
        ["GET /healthz?secret=1", anonymous, "/healthz", 200],
        ["GET /readyz", anonymous, "/readyz", 200],
        ["GET /docs", anonymous, "/docs", 200],
        ["GET http://a:80/oauth/token?secret=1", anonymous, "/oauth/token", 405],
        ["HEAD /openapi.json", anonymous, "/openapi.json", 200],
        ["GET /healthz", ["connection: close"], "-", 400],
        [`POST ${API}/products`, [...anonymous, "expect: wonders"], "-", 417]
      ]
      for (const [first, headers, route, status, installation] of cases) {
        const requestId = idIn(yield* exchange(base, lines(`${first} HTTP/1.1`, ...headers)))
        assert.match(requestId, UUID, first)
        const { milliseconds = -1, ...entry } = (yield* entryOf(requestId)) ?? {}
        const address = "127.0.0.1"
        assert.deepStrictEqual(entry, { method: first.split(" ")[0], route, status, address, installation, requestId })
        assert.isAtLeast(milliseconds, 0)
      }
    })
  )

  it.effect("a malformed request gets a request id and an access log entry", () =>
    Effect.gen(function* () {
      const requestId = idIn(yield* exchange(yield* baseUrl, lines("HELLO secret")))
      assert.match(requestId, UUID)
      assert.deepInclude(yield* entryOf(requestId), { method: "-", route: "-", status: 400, address: "127.0.0.1" })
    })
  )

  it.effect("a failed request is logged with its request id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client } = yield* freshClient()
      const { failures } = yield* CapturedLogs
      yield* sql`alter table collections rename to others`
      const response = yield* client.get("/collections", { headers: { "x-request-id": "the-broken-one" } })
      yield* sql`alter table others rename to collections`
      assert.strictEqual(response.status, 500)
      const failure = failures.find(({ requestId }) => requestId === "the-broken-one")
      assert.deepStrictEqual([failure?.message].flat().slice(0, 1), ["A request failed"])
      assert.deepInclude(yield* entryOf("the-broken-one"), { route: `${API}/collections`, status: 500 })
    })
  )

  it.effect("a request whose client disconnects is logged with status aborted", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { hostname, port } = new URL(yield* baseUrl)
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const head = ["host: a", `authorization: Bearer ${client.token}`, "idempotency-key: a", "x-request-id: gone"]
      const body = '{"name":"Cup"}'
      const rest = ["content-type: application/json", `content-length: ${body.length}`]
      const socket = connect(Number(port), hostname)
      socket.write(`${lines(`POST ${API}/products HTTP/1.1`, ...head, ...rest)}${body}`)
      yield* waitForLockWaits(watcher, 1)
      socket.destroy()
      assert.deepInclude(yield* entryOf("gone"), { method: "POST", route: `${API}/products`, status: "aborted" })
      yield* release
      assert.strictEqual(dataOf(yield* client.post("/products", { name: "Mug" }))["name"], "Mug")
    })
  )

  it.effect("closing a connection aborts its pipelined requests and cancels their queries", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { failures } = yield* CapturedLogs
      const { hostname, port } = new URL(yield* baseUrl)
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table collections in access exclusive mode")
      const ids = ["first", "second"]
      const authenticated = ["host: a", `authorization: Bearer ${client.token}`]
      const socket = connect(Number(port), hostname)
      for (const id of ids)
        socket.write(lines(`GET ${API}/collections HTTP/1.1`, ...authenticated, `x-request-id: ${id}`))
      yield* waitForLockWaits(watcher, ids.length)
      socket.destroy()
      for (const id of ids) {
        assert.deepInclude(yield* entryOf(id), { method: "GET", route: `${API}/collections`, status: "aborted" })
      }
      yield* waitUntil(waitForLockWaits(watcher, 0), ({ length }) => length === 0)
      // A query that is not cancelled would reach the lock timeout and be logged as a failure.
      assert.isFalse(failures.some(({ requestId }) => ids.includes(String(requestId))))
      yield* rowsOf(holder, "commit")
    })
  )

  it.effect("a write that fails after its client disconnects is logged with its request id", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { failures } = yield* CapturedLogs
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const post = request(`${yield* baseUrl}${API}/products`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${client.token}`,
          "content-type": "application/json",
          "idempotency-key": "a",
          "x-request-id": "broken-later"
        }
      }).on("error", () => {})
      post.end('{"name":"Cup"}')
      const [session] = yield* waitForLockWaits(watcher, 1)
      post.destroy()
      assert.deepInclude(yield* entryOf("broken-later"), { status: "aborted" })
      yield* rowsOf(watcher, "select pg_terminate_backend($1)", [session])
      const entries = yield* waitUntil(
        Effect.sync(() => failures.filter(({ requestId }) => requestId === "broken-later")),
        (found) => found.length > 0
      )
      assert.lengthOf(entries, 1)
      assert.match(String(entries[0]?.message), /^A request failed, because the database is unavailable: ./)
      yield* release
    })
  )
})
