import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, Redacted, Scope } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { startWebhookReceiver, type ReceiverOptions } from "../../src/cli/WebhookReceiver.ts"
import { BODY, EVENT, newSecret, SECRET, signedHeaders, UNSIGNED } from "../support/webhooks/Signing.ts"

const DELIVERY = { ...UNSIGNED, timestamp: Math.floor(Date.now() / 1000) }
const HEADERS = signedHeaders(SECRET, DELIVERY)

const SUMMARY = `${EVENT.kind}, event ${EVENT.id}, product ${EVENT.data.product.id} version 3, hops 0`

/** Starts a receiver on a free port and collects its printed lines without their timestamps. */
const start = Effect.fn(function* (options: Partial<ReceiverOptions>) {
  const lines: Array<string> = []
  const url = yield* startWebhookReceiver({
    host: "127.0.0.1",
    port: 0,
    secret: Option.some(Redacted.make(SECRET)),
    behaviour: "accept",
    print: (line) => Effect.sync(() => void lines.push(line.replace(/^\d\d:\d\d:\d\dZ /, ""))),
    ...options
  })
  return { url, lines }
})

const send = (url: string, headers: Record<string, string> = HEADERS, body = BODY) =>
  Effect.promise(async (signal) => {
    const response = await fetch(`${url}any/path?at=all`, { method: "POST", headers, body, signal })
    await response.arrayBuffer()
    return response.status
  })

describe("Webhook receiver", () => {
  it.live("a valid delivery gets 204 and prints one line that describes the event", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({})
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/)
      assert.strictEqual(yield* send(url), 204)
      assert.deepStrictEqual(lines, [`✓ verified | ${SUMMARY} | responded 204`])
    })
  )

  it.live("an invalid delivery gets 400 and prints the reason", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({})
      assert.strictEqual(yield* send(url, signedHeaders(newSecret(), DELIVERY)), 400)
      assert.strictEqual(yield* send(url, {}, "text"), 400)
      assert.match(
        lines[0] ?? "",
        /^✗ signature-mismatch: No signature matches.* \| catalog\.product.* \| responded 400$/
      )
      assert.match(lines[1] ?? "", /^✗ missing-header: .* is missing \| 4 bytes, not an event \| responded 400$/)
    })
  )

  it.live("`asJson` prints one JSON object per delivery", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({ asJson: true })
      assert.strictEqual(yield* send(url), 204)
      assert.strictEqual(yield* send(url, {}, "text"), 400)
      const [verified, refused] = lines.map((line) => JSON.parse(line))
      const { data, hops, id, kind } = EVENT
      const product = { id: data.product.id, version: data.product.version }
      assert.deepInclude(verified, {
        verified: true,
        reason: null,
        event: { kind, id, hops, data: { product } },
        status: 204
      })
      assert.deepInclude(refused, { verified: false, reason: "missing-header", event: null, status: 400 })
      assert.match(verified.receivedAt, /^\d{4}-\d\d-\d\dT/)
    })
  )

  it.live("accepts any delivery without a secret and prints that it is not verified", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({ secret: Option.none() })
      assert.strictEqual(yield* send(url, {}), 204)
      assert.deepStrictEqual(lines, [`? not verified: no secret | ${SUMMARY} | responded 204`])
    })
  )

  it.live("`behaviour` sets the response status", () =>
    Effect.gen(function* () {
      for (const [behaviour, status] of [
        ["gone", 410],
        [{ fail: 500 }, 500],
        [{ fail: 302 }, 302]
      ] as const) {
        const { lines, url } = yield* start({ behaviour })
        assert.strictEqual(yield* send(url).pipe(Effect.timeout("5 seconds")), status)
        assert.deepStrictEqual(lines, [`✓ verified | ${SUMMARY} | responded ${status}`])
      }
    })
  )

  it.live("the receiver stops immediately while requests are pending", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { lines, url } = yield* Scope.provide(start({ behaviour: "hang" }), scope)
      const unanswered = yield* Effect.forkChild(Effect.exit(send(url)))
      const halfRequest = connect(Number(new URL(url).port), "127.0.0.1", () =>
        halfRequest.write("POST / HTTP/1.1\r\nhost: a\r\n")
      )
      halfRequest.on("error", () => undefined)
      while (lines.length === 0) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(lines, [`✓ verified | ${SUMMARY} | no response`])
      const closed = once(halfRequest, "close")
      yield* Scope.close(scope, Exit.void).pipe(Effect.timeout("5 seconds"))
      yield* Effect.promise(() => closed)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(unanswered)))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(send(url))))
    })
  )

  it.live("rejects methods other than POST with 405 and bodies over 2 MiB with 413", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({})
      assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 405)
      assert.strictEqual(yield* send(url, HEADERS, "x".repeat(2 * 1024 * 1024 + 1)), 413)
      assert.deepStrictEqual(lines, [
        "✗ not a delivery: deliveries use POST | responded 405",
        "✗ The body must be at most 2097152 bytes | responded 413"
      ])
    })
  )

  it.live("reports a repeated webhook header, which Node would join", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({})
      const { port } = new URL(url)
      const headerLines = [...Object.entries(HEADERS), ["webhook-id", EVENT.id]].map(
        ([name, value]) => `${name}: ${value}\r\n`
      )
      const socket = connect(Number(port), "127.0.0.1")
      socket.end(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headerLines.join("")}content-length: 0\r\n\r\n`)
      yield* Effect.promise(() => once(socket.resume(), "close"))
      assert.match(lines[0] ?? "", /^✗ malformed-header: webhook-id is repeated/)
    })
  )

  it.live("removes control characters from printed lines", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* start({})
      yield* send(url, {}, JSON.stringify({ ...EVENT, kind: "\u001b[2J\u009b2J\r\n\u202efake" }))
      assert.lengthOf(lines, 1)
      assert.notMatch(lines.join(""), /\p{C}/u)
    })
  )

  it.live("fails with ReceiverFailed if the port is in use", () =>
    Effect.gen(function* () {
      const { url } = yield* start({})
      const port = Number(new URL(url).port)
      const failure = yield* Effect.flip(start({ port }))
      assert.strictEqual(failure._tag, "ReceiverFailed")
      assert.strictEqual(
        failure.message,
        `The receiver cannot start: listen EADDRINUSE: address already in use 127.0.0.1:${port}`
      )
      assert.strictEqual(yield* send(url), 204)
    })
  )

  it.live("an invalid port or secret fails the start without revealing the secret", () =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(start({ port: 70_000 }))).message, /^The receiver cannot start: .*70000/)
      const failure = yield* Effect.flip(start({ secret: Option.some(Redacted.make("hunter2")) }))
      assert.match(failure.message, /^The receiver cannot start: secret must be whsec_/)
      assert.notInclude(failure.message, "hunter2")
    })
  )
})
