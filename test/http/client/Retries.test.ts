import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError, type ClientOptions, ConnectionError, createClient } from "../../../src/http/client/Client.ts"
import { freePort } from "../../support/process/Process.ts"
import { receiver as rawReceiver } from "../../support/webhooks/RawReceiver.ts"
import { type Respond, type Reaction, receiver } from "../../support/webhooks/Receiver.ts"
import { rejection, rejectionOf } from "../../support/Rejections.ts"

const LANTERN = { id: "019c1363-49c0-7d21-9a53-5b1c6e2f8a90", name: "Lantern" }
const DONE: Reaction = { status: 201, headers: { etag: '"1"' }, body: JSON.stringify({ data: LANTERN }) }
const errorResponse = (status: number, headers: Record<string, string> = {}): Reaction => ({
  status,
  headers,
  body: JSON.stringify({ error: `Refused with ${status}` })
})

/** Returns the reactions in order, and repeats the last one. */
const script = (...reactions: ReadonlyArray<Reaction | "hang">): Respond => {
  let responseCount = 0
  return () => reactions[Math.min(responseCount++, reactions.length - 1)] ?? "hang"
}

/** A client that does not wait, with the list of the durations it would have waited. */
const makeInstantClient = (url: string, options: Partial<ClientOptions> = {}) => {
  const waits: Array<number> = []
  const wait = async (millis: number) => void waits.push(millis)
  return { waits, client: createClient({ url, tokens: "a-token", wait, ...options }) }
}

const scripted = Effect.fn(function* (options: Partial<ClientOptions>, ...reactions: ReadonlyArray<Reaction | "hang">) {
  const server = yield* receiver(script(...reactions))
  return { server, ...makeInstantClient(server.url, options) }
})

it.live("a write is retried with the same key, body and request id, with exponential backoff", () =>
  Effect.gen(function* () {
    const { client, server, waits } = yield* scripted(
      {},
      errorResponse(503),
      errorResponse(502),
      errorResponse(504),
      errorResponse(429),
      DONE
    )
    const { data, etag } = yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.deepInclude(data, LANTERN)
    assert.strictEqual(etag, '"1"')
    assert.lengthOf(server.received, 5)
    const sent = server.received.map(({ body, headers }) => [body, headers["idempotency-key"], headers["x-request-id"]])
    assert.lengthOf(new Set(sent.map((request) => JSON.stringify(request))), 1)
    assert.deepStrictEqual(
      waits.map((millis, index) => millis >= 250 * 2 ** index && millis <= 500 * 2 ** index),
      [true, true, true, true]
    )
  })
)

it.live("each write has its own idempotency key", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({}, DONE)
    yield* Effect.promise(() => Promise.all([1, 2, 3].map(() => client.products.create({ name: "Lantern" }))))
    assert.lengthOf(new Set(server.received.map(({ headers }) => headers["idempotency-key"])), 3)
  })
)

it.live("Retry-After sets the wait, in seconds or as a date", () =>
  Effect.gen(function* () {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const reactions = [
      errorResponse(429, { "retry-after": "7" }),
      errorResponse(503, { "retry-after": inAMinute }),
      DONE
    ]
    const { client, waits } = yield* scripted({}, ...reactions)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.strictEqual(waits[0], 7000)
    assert.isAbove(waits[1] ?? 0, 30_000)
  })
)

it.live("a request is sent up to five times after 503, and once after other errors or without retries", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({}, errorResponse(503))
    const error = yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }, { idempotencyKey: "one" }))
    assert.deepStrictEqual([error.status, error.message, error.idempotencyKey], [503, "Refused with 503", "one"])
    assert.lengthOf(server.received, 5)
    for (const status of [400, 403, 404, 409, 412, 422, 500]) {
      const { client, server } = yield* scripted({}, errorResponse(status))
      assert.strictEqual((yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }))).status, status)
      assert.lengthOf(server.received, 1)
    }
    const { client: withoutRetries, server: unavailable } = yield* scripted({ maxRetries: 0 }, errorResponse(503))
    yield* rejectionOf(ApiError, withoutRetries.store.get())
    assert.lengthOf(unavailable.received, 1)
  })
)

it.live("a 429 is retried for up to 90 seconds, and not at all if Retry-After is longer", () =>
  Effect.gen(function* () {
    const { client, waits } = yield* scripted({}, errorResponse(429))
    assert.strictEqual((yield* rejectionOf(ApiError, client.store.get())).status, 429)
    const total = waits.reduce((sum, millis) => sum + millis, 0)
    assert.isAbove(total, 79_000)
    assert.isAtMost(total, 90_000)
    assert.isAtMost(Math.max(...waits), 10_000)
    const { client: limited, waits: noWaits } = yield* scripted({}, errorResponse(429, { "retry-after": "3600" }))
    yield* rejectionOf(ApiError, limited.store.get())
    assert.deepStrictEqual(noWaits, [])
  })
)

it.live("a write is retried if the connection breaks before or during the response", () =>
  Effect.gen(function* () {
    const responseHead = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    const server = yield* rawReceiver((socket, previousRequests) => {
      if (previousRequests === 0) socket.destroy()
      else if (previousRequests === 1) socket.end(`${responseHead}content-length: 1000\r\n\r\n{"data":`)
      else socket.end(`${responseHead}content-length: 11\r\n\r\n{"data":[]}`)
    })
    const { client, waits } = makeInstantClient(server.url)
    yield* Effect.promise(() => client.products.update("a", { price: 1 }))
    assert.lengthOf(server.requests, 3)
    assert.lengthOf(new Set(server.requests), 1)
    assert.lengthOf(waits, 2)
  })
)

it.live("an unreachable service is a ConnectionError with the idempotency key and request id", () =>
  Effect.gen(function* () {
    const { client, waits } = makeInstantClient(`http://127.0.0.1:${yield* freePort}`)
    const error = yield* rejectionOf(
      ConnectionError,
      client.products.create({ name: "Lantern" }, { idempotencyKey: "one", requestId: "mine" })
    )
    assert.include(error.message, "cannot be reached")
    assert.deepStrictEqual([error.idempotencyKey, error.requestId], ["one", "mine"])
    assert.instanceOf(error.cause, TypeError)
    assert.lengthOf(waits, 4)
  })
)

it.live("a request without a response within the timeout is retried, or fails without retries", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({ timeout: 500 }, "hang", DONE)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.isAtLeast(server.received.length, 2)
    const { client: withoutRetries } = yield* scripted({ timeout: 50, maxRetries: 0 }, "hang")
    const { message } = yield* rejectionOf(ConnectionError, withoutRetries.store.get())
    assert.include(message, "within 50 ms")
  })
)

it.live("aborting a call during a request or a wait rejects with the reason and sends no more requests", () =>
  Effect.gen(function* () {
    const reason = new Error("The page was closed")
    const inRequest = new AbortController()
    const hanging = yield* receiver(() => {
      inRequest.abort(reason)
      return "hang"
    })
    const { client } = makeInstantClient(hanging.url)
    assert.strictEqual(yield* rejection(client.store.get({ signal: inRequest.signal })), reason)
    assert.strictEqual(yield* rejection(client.store.get({ signal: inRequest.signal })), reason)
    assert.lengthOf(hanging.received, 1)

    const inWait = new AbortController()
    const busy = yield* receiver(() => errorResponse(503, { "retry-after": "60" }))
    const waiting = createClient({
      url: busy.url,
      tokens: "a-token",
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        const text = await response.text()
        // Runs after the response is read, during the wait.
        setImmediate(() => inWait.abort(reason))
        return new Response(text, response)
      }
    })
    assert.strictEqual(yield* rejection(waiting.store.get({ signal: inWait.signal })), reason)
    assert.lengthOf(busy.received, 1)
  })
)

it.live("redirects are not followed, so that the token is not sent to another host", () =>
  Effect.gen(function* () {
    const otherHost = yield* receiver(() => DONE)
    const { client } = yield* scripted({}, { status: 307, headers: { location: otherHost.url } })
    assert.strictEqual((yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }))).status, 307)
    assert.lengthOf(otherHost.received, 0)
  })
)

it.live("a 502 page is an ApiError without details, and an unreadable 200 response is a ConnectionError", () =>
  Effect.gen(function* () {
    const page = "<html><title>Bad gateway</title></html>"
    const { client: behindProxy } = yield* scripted({}, { status: 502, body: page })
    const { issues, message } = yield* rejectionOf(ApiError, behindProxy.store.get())
    assert.deepStrictEqual([message, issues], ["The service responded with 502 and no error message", []])
    for (const body of [page, "", "[]", '{"products":{}}']) {
      const { client } = yield* scripted({}, { status: 200, body })
      yield* rejectionOf(ConnectionError, client.store.get())
      yield* rejectionOf(ConnectionError, client.products.create({ name: "Lantern" }))
      yield* rejectionOf(ConnectionError, client.products.list().page())
    }
  })
)
