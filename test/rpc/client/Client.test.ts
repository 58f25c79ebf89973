import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import { createServer, request, type ServerResponse } from "node:http"
import { StoreId } from "../../../src/domain/Store.ts"
import { makeClient } from "../../../src/rpc/Client.ts"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import {
  connection,
  databaseUrl,
  lockStore,
  rowsOf,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { portOf } from "../../support/webhooks/Receiver.ts"
import { callLine, clientOf, exitsOf, freshMember, newKey, post } from "../../support/rpc/Rpc.ts"

const storeId = StoreId.make("019c1363-49c0-7fff-8000-000000000000")

/** The URL of a server that answers every request with `respond`. */
const startServer = (respond: (response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((message, response) => {
        message.resume().on("end", () => respond(response))
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${portOf(server)}/rpc`))

const OTHER = '{"_tag":"Exit","requestId":"999999","exit":{"_tag":"Success"}}\n'

const RESPONSES: Readonly<
  Record<string, readonly [respond: (response: ServerResponse) => void, expectedMessage: RegExp]>
> = {
  "an HTML page with 404": [(response) => response.writeHead(404).end("<html>"), /responded with 404: no reason given/],
  "a JSON error with 403": [
    (response) => response.writeHead(403).end('{"error":"Not from there"}'),
    /responded with 403: Not from there/
  ],
  "an empty response with 500": [(response) => response.writeHead(500).end(), /responded with 500/],
  "an empty response with 200": [(response) => response.writeHead(200).end(), /not JSON/],
  "a response that is not JSON": [(response) => response.end("<html>"), /not JSON/],
  "the result of another call": [(response) => response.end(OTHER), /lacks the result of the call/],
  "a truncated result": [(response) => response.end(OTHER.slice(0, -9)), /not JSON/],
  "a response that breaks off": [(response) => response.write("{", () => response.destroy()), /unreachable/],
  "no response within 300 ms": [() => {}, /did not respond within 300ms/],
  "a response that does not end within 300 ms": [(response) => response.write(OTHER), /did not respond within 300ms/]
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("RPC client", (it) => {
  for (const [name, [respond, expectedMessage]] of Object.entries(RESPONSES)) {
    it.effect(`a call fails with RpcClientError on ${name}`, () =>
      Effect.gen(function* () {
        const client = yield* makeClient({ url: yield* startServer(respond), timeout: 300 })
        const failed = yield* Effect.flip(client.store.get({ storeId }))
        assert.strictEqual(failed._tag, "RpcClientError")
        assert.match(failed.message, expectedMessage)
      })
    )
  }

  it.effect("a call to a closed port fails", () =>
    Effect.gen(function* () {
      const client = yield* makeClient({ url: "http://127.0.0.1:1/rpc" })
      assert.strictEqual((yield* Effect.flip(client.store.get({ storeId })))._tag, "RpcClientError")
    })
  )

  it.effect("interrupting a call cancels its query in the database", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const url = yield* databaseUrl
      const [holder, watcher] = [yield* connection(url), yield* connection(url)]
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, "lock table products in access exclusive mode")
      const client = yield* clientOf(cookie)
      const list = yield* Effect.forkChild(client.products.list({ storeId }))
      yield* waitForLockWaits(watcher, 1)
      yield* Fiber.interrupt(list)
      const blockedQueries = yield* waitUntil(waitForLockWaits(watcher, 0), (rows) => rows.length === 0)
      assert.isEmpty(blockedQueries)
      yield* rowsOf(holder, "commit")
    })
  )

  it.effect("a write completes after its client disconnects, and a retry returns its result", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
      const body = callLine("products.create", { storeId, idempotencyKey: newKey(), product: { name: "Cup" } })
      const write = request(`${yield* baseUrl}/rpc`, {
        method: "POST",
        headers: { cookie, "content-type": "application/ndjson" }
      }).on("error", () => {})
      write.end(body)
      yield* waitForLockWaits(watcher, 1)
      write.destroy()
      yield* release
      const listed = yield* waitUntil(client.products.list({ storeId }), ({ items }) => items.length > 0)
      const exit = exitsOf((yield* post(body, { cookie })).text).get("1")
      assert.deepStrictEqual(exit?._tag === "Success" ? exit.value : exit, listed.items[0])
    })
  )
})
