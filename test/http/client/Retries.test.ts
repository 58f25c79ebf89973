import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError, type ClientOptions, ConnectionError, createClient } from "../../../src/http/client/Client.ts"
import { freePort } from "../../support/process/Process.ts"
import { receiver as rawReceiver } from "../../support/webhooks/RawReceiver.ts"
import { type React, type Reaction, receiver } from "../../support/webhooks/Receiver.ts"
import { rejection, rejectionOf } from "../../support/Rejections.ts"

const LANTERN = { id: "019c1363-49c0-7d21-9a53-5b1c6e2f8a90", name: "Lantern" }
const DONE: Reaction = { status: 201, headers: { etag: '"1"' }, body: JSON.stringify({ data: LANTERN }) }
const refused = (status: number, headers: Record<string, string> = {}): Reaction => ({
  status,
  headers,
  body: JSON.stringify({ error: `Refused with ${status}` })
})

/** Answers one after the other, the last one for ever. */
const script = (...reactions: ReadonlyArray<Reaction | "hang">): React => {
  let answered = 0
  return () => reactions[Math.min(answered++, reactions.length - 1)] ?? "hang"
}

/** A client whose waits take no time, and what they would have taken. */
const impatient = (url: string, options: Partial<ClientOptions> = {}) => {
  const waits: Array<number> = []
  const wait = async (millis: number) => void waits.push(millis)
  return { waits, client: createClient({ url, tokens: "a-token", wait, ...options }) }
}

const scripted = Effect.fn(function* (options: Partial<ClientOptions>, ...reactions: ReadonlyArray<Reaction | "hang">) {
  const server = yield* receiver(script(...reactions))
  return { server, ...impatient(server.url, options) }
})

it.live("a write is sent again under its key, with the same body, until it is answered", () =>
  Effect.gen(function* () {
    const { client, server, waits } = yield* scripted({}, refused(503), refused(502), refused(504), refused(429), DONE)
    const { data, etag } = yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.deepInclude(data, LANTERN)
    assert.strictEqual(etag, '"1"')
    assert.lengthOf(server.received, 5)
    const sent = server.received.map(({ body, headers }) => [body, headers["idempotency-key"], headers["x-request-id"]])
    assert.lengthOf(new Set(sent.map((one) => JSON.stringify(one))), 1)
    assert.deepStrictEqual(
      waits.map((millis, index) => millis >= 250 * 2 ** index && millis <= 500 * 2 ** index),
      [true, true, true, true]
    )
  })
)

it.live("other writes have other keys", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({}, DONE)
    yield* Effect.promise(() => Promise.all([1, 2, 3].map(() => client.products.create({ name: "Lantern" }))))
    assert.lengthOf(new Set(server.received.map(({ headers }) => headers["idempotency-key"])), 3)
  })
)

it.live("Retry-After is kept to, in seconds and as a date", () =>
  Effect.gen(function* () {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const reactions = [refused(429, { "retry-after": "7" }), refused(503, { "retry-after": inAMinute }), DONE]
    const { client, waits } = yield* scripted({}, ...reactions)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.strictEqual(waits[0], 7000)
    assert.isAbove(waits[1] ?? 0, 30_000)
  })
)

it.live("a service that is away is asked five times, and one that says no but once", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({}, refused(503))
    const away = yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }, { idempotencyKey: "one" }))
    assert.deepStrictEqual([away.status, away.message, away.idempotencyKey], [503, "Refused with 503", "one"])
    assert.lengthOf(server.received, 5)
    for (const status of [400, 403, 404, 409, 412, 422, 500]) {
      const { client, server } = yield* scripted({}, refused(status))
      assert.strictEqual((yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }))).status, status)
      assert.lengthOf(server.received, 1)
    }
    const { client: once, server: asked } = yield* scripted({ maxRetries: 0 }, refused(503))
    yield* rejectionOf(ApiError, once.store.get())
    assert.lengthOf(asked.received, 1)
  })
)

it.live("a spent rate limit is waited for, for a minute and a half and no longer", () =>
  Effect.gen(function* () {
    const { client, waits } = yield* scripted({}, refused(429))
    assert.strictEqual((yield* rejectionOf(ApiError, client.store.get())).status, 429)
    const all = waits.reduce((sum, millis) => sum + millis, 0)
    assert.isAbove(all, 79_000)
    assert.isAtMost(all, 90_000)
    assert.isAtMost(Math.max(...waits), 10_000)
    const { client: told, waits: none } = yield* scripted({}, refused(429, { "retry-after": "3600" }))
    yield* rejectionOf(ApiError, told.store.get())
    assert.deepStrictEqual(none, [])
  })
)

it.live("a connection that breaks, before the answer or in it, is no answer", () =>
  Effect.gen(function* () {
    const answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
    const server = yield* rawReceiver((socket, earlier) => {
      if (earlier === 0) socket.destroy()
      else if (earlier === 1) socket.end(`${answer}content-length: 1000\r\n\r\n{"data":`)
      else socket.end(`${answer}content-length: 11\r\n\r\n{"data":[]}`)
    })
    const { client, waits } = impatient(server.url)
    yield* Effect.promise(() => client.products.update("a", { price: 1 }))
    assert.lengthOf(server.requests, 3)
    assert.lengthOf(new Set(server.requests), 1)
    assert.lengthOf(waits, 2)
  })
)

it.live("where nobody listens, it says so, with the key that the write goes on under", () =>
  Effect.gen(function* () {
    const { client, waits } = impatient(`http://127.0.0.1:${yield* freePort}`)
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

it.live("an answer that does not come is not waited for", () =>
  Effect.gen(function* () {
    const { client, server } = yield* scripted({ timeout: 500 }, "hang", DONE)
    yield* Effect.promise(() => client.products.create({ name: "Lantern" }))
    assert.isAtLeast(server.received.length, 2)
    const { client: patient } = yield* scripted({ timeout: 50, maxRetries: 0 }, "hang")
    const { message } = yield* rejectionOf(ConnectionError, patient.store.get())
    assert.include(message, "within 50 ms")
  })
)

it.live("who gives a call up gets the reason, in the request and in the wait, and nothing is sent any more", () =>
  Effect.gen(function* () {
    const reason = new Error("The page was closed")
    const inRequest = new AbortController()
    const hanging = yield* receiver(() => {
      inRequest.abort(reason)
      return "hang"
    })
    const { client } = impatient(hanging.url)
    assert.strictEqual(yield* rejection(client.store.get({ signal: inRequest.signal })), reason)
    assert.strictEqual(yield* rejection(client.store.get({ signal: inRequest.signal })), reason)
    assert.lengthOf(hanging.received, 1)

    const inWait = new AbortController()
    const busy = yield* receiver(() => refused(503, { "retry-after": "60" }))
    const waiting = createClient({
      url: busy.url,
      tokens: "a-token",
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        const text = await response.text()
        // By then the answer is read, and the minute has begun.
        setImmediate(() => inWait.abort(reason))
        return new Response(text, response)
      }
    })
    assert.strictEqual(yield* rejection(waiting.store.get({ signal: inWait.signal })), reason)
    assert.lengthOf(busy.received, 1)
  })
)

it.live("no redirect is followed: a token goes nowhere else", () =>
  Effect.gen(function* () {
    const elsewhere = yield* receiver(() => DONE)
    const { client } = yield* scripted({}, { status: 307, headers: { location: elsewhere.url } })
    assert.strictEqual((yield* rejectionOf(ApiError, client.products.create({ name: "Lantern" }))).status, 307)
    assert.lengthOf(elsewhere.received, 0)
  })
)

it.live("what is not of the service is told as that", () =>
  Effect.gen(function* () {
    const page = "<html><title>Bad gateway</title></html>"
    const { client: behind } = yield* scripted({}, { status: 502, body: page })
    const { issues, message } = yield* rejectionOf(ApiError, behind.store.get())
    assert.deepStrictEqual([message, issues], ["The service responded with 502 and no error message", []])
    for (const body of [page, "", "[]", '{"products":{}}']) {
      const { client } = yield* scripted({}, { status: 200, body })
      yield* rejectionOf(ConnectionError, client.store.get())
      yield* rejectionOf(ConnectionError, client.products.create({ name: "Lantern" }))
      yield* rejectionOf(ConnectionError, client.products.list().page())
    }
  })
)
