import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { gzipSync } from "node:zlib"
import { MAX_BODY_BYTES } from "../../../src/layers/webhooks/Outgoing.ts"
import { allowedHosts, developerHosts } from "../../../src/layers/webhooks/AllowedHosts.ts"
import { MAX_HEADER_BYTES } from "../../../src/layers/webhooks/GuardedHttpClient.ts"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import {
  type Answer,
  ok,
  partsOf,
  receiver,
  respondWith,
  sender,
  textOf,
  pollUntil
} from "../../support/webhooks/RawReceiver.ts"

/** A 200 response with this body. */
const respondWithBytes =
  (body: Uint8Array, ...headers: ReadonlyArray<string>): Answer =>
  (socket) => {
    socket.write(["HTTP/1.1 200 OK", `content-length: ${body.length}`, ...headers, "", ""].join("\r\n"))
    socket.write(body)
  }

/** A receiver that ends its response by closing the connection. */
const closingReceiver = (version: string) =>
  receiver((socket) => void socket.end(`HTTP/${version} 200 OK\r\nconnection: close\r\n\r\nto the end`))

const withSettings = (entries: ReadonlyArray<[string, string]>) =>
  Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(Object.fromEntries(entries))))

const readAllowed = (...entries: ReadonlyArray<[string, string]>) => allowedHosts.pipe(withSettings(entries))

describe("Outgoing POST request", () => {
  it.live("a POST request has the given headers and the exact bytes of the body", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* receiver(ok)
      const { post } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1"]) })
      const headers = { "content-type": "application/json", "X-Service-Timestamp": "1760000000" }
      const attempt = yield* post({ url: `http://127.0.0.1:${port}/hook/é?a=1`, headers, body: '{"name":"Ærø ✓"}' })
      assert.strictEqual(attempt.status, 200)
      assert.deepStrictEqual(partsOf(requests[0]), {
        start: "POST /hook/%C3%A9?a=1 HTTP/1.1",
        headers: [
          "connection: keep-alive",
          "content-length: 20",
          "content-type: application/json",
          `host: 127.0.0.1:${port}`,
          "x-service-timestamp: 1760000000"
        ],
        body: '{"name":"Ærø ✓"}'
      })
    })
  )

  it.live("a request with a line break in a header value is not sent", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver(ok)
      const { post } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1"]) })
      const attempt = yield* post({ url, headers: { "x-a": "1\r\nx-b: 2" }, body: "" })
      assert.deepInclude(attempt, { status: null, error: "The request failed (ERR_INVALID_CHAR)" })
      assert.strictEqual(sockets.length, 0)
    })
  )
})

describe("Response of a receiver", () => {
  for (const status of [200, 201, 202, 204, 299, 400, 401, 404, 410, 422, 429, 500, 502, 503]) {
    it.live(`a response with status ${status} is returned with its body`, () =>
      Effect.gen(function* () {
        const body = status === 204 ? "" : `{"status":${status}}`
        const { url } = yield* receiver(
          respondWith(`HTTP/1.1 ${status} So`, `content-length: ${body.length}`, "", body)
        )
        const attempt = yield* (yield* sender())(url)
        assert.deepInclude(attempt, { status, error: null, headers: {} })
        assert.strictEqual(textOf(attempt), body)
        assert.isTrue(Number.isInteger(attempt.durationMillis) && attempt.durationMillis < 5000)
      })
    )
  }

  it.live("the first Retry-After header of a response is returned", () =>
    Effect.gen(function* () {
      const post = yield* sender()
      const retryAfter = (...headers: ReadonlyArray<string>) =>
        Effect.flatMap(receiver(respondWith("HTTP/1.1 503 No", "content-length: 0", ...headers, "", "")), ({ url }) =>
          Effect.map(post(url), (attempt) => attempt.headers["retry-after"])
        )
      assert.strictEqual(yield* retryAfter("Retry-After: 120"), "120")
      assert.strictEqual(
        yield* retryAfter("retry-after: Wed, 21 Oct 2026 07:28:00 GMT"),
        "Wed, 21 Oct 2026 07:28:00 GMT"
      )
      assert.strictEqual(yield* retryAfter("retry-after: 1", "retry-after: 2"), "1")
    })
  )

  it.live("a response body is read to its end, and its first 16 KiB are returned", () =>
    Effect.gen(function* () {
      const post = yield* sender()
      for (const length of [0, 1, MAX_BODY_BYTES - 1, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 300_000]) {
        const body = Buffer.from(Uint8Array.from({ length }, (_, n) => n % 251))
        const { url } = yield* receiver(respondWithBytes(body))
        const attempt = yield* post(url)
        assert.strictEqual(attempt.status, 200)
        assert.isTrue(body.subarray(0, MAX_BODY_BYTES).equals(attempt.answer), `${length} bytes`)
      }
    })
  )

  it.live("a gzip response body is not decompressed", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(1_000_000))
      const { url } = yield* receiver(respondWithBytes(bomb, "content-encoding: gzip"))
      const attempt = yield* (yield* sender())(url)
      assert.isTrue(bomb.equals(attempt.answer))
    })
  )

  it.live("reads chunked bodies with extensions and trailers, and bodies that end with the connection", () =>
    Effect.gen(function* () {
      const post = yield* sender()
      const chunked = respondWith(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n",
        "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nx-trailer: 1\r\n\r\n"
      )
      assert.strictEqual(textOf(yield* post((yield* receiver(chunked)).url)), "abcde")
      assert.strictEqual(textOf(yield* post((yield* closingReceiver("1.0")).url)), "to the end")
      assert.strictEqual(textOf(yield* post((yield* closingReceiver("1.1")).url)), "to the end")
    })
  )

  for (const status of [300, 301, 302, 303, 307, 308]) {
    it.live(`does not follow a redirect with status ${status}`, () =>
      Effect.gen(function* () {
        const other = yield* receiver(ok)
        const { url } = yield* receiver(
          respondWith(`HTTP/1.1 ${status} Elsewhere`, `location: ${other.url}`, "content-length: 0", "", "")
        )
        assert.deepInclude(yield* (yield* sender())(url), { status, error: null })
        assert.strictEqual(other.sockets.length, 0)
      })
    )
  }

  it.live("accepts a response that is sent before the request is read", () =>
    Effect.gen(function* () {
      const early = "HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\n\r\nlong"
      const { url } = yield* receiver(() => undefined, { onConnection: (socket) => void socket.write(early) })
      const attempt = yield* (yield* sender())(url, "x".repeat(5_000_000))
      assert.strictEqual(attempt.status ?? attempt.error, 413)
    })
  )
})

describe("Informational responses (1xx)", () => {
  const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n"
  const HINTS = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\nretry-after: 7\r\n\r\n"
  const FINAL = "HTTP/1.1 201 Created\r\ncontent-length: 12\r\n\r\nHTTP/1.1 100"
  const before: Readonly<Record<string, string>> = {
    "100": CONTINUE,
    "100 with headers": "HTTP/1.1 100 Go on\r\nserver: IIS\r\ndate: now\r\n\r\n",
    "100 twice": CONTINUE + CONTINUE,
    "100 and 103": CONTINUE + HINTS,
    "103 and 100": HINTS + CONTINUE,
    "102": "HTTP/1.1 102 Processing\r\n\r\n",
    "103 three times": HINTS + HINTS + HINTS
  }

  for (const [name, informational] of Object.entries(before)) {
    it.live(`returns the final response after ${name} and reuses the connection`, () =>
      Effect.gen(function* () {
        const { sockets, url } = yield* receiver((socket) => void socket.write(informational + FINAL))
        const post = yield* sender()
        for (let n = 0; n < 3; n++) {
          const attempt = yield* post(url)
          assert.deepInclude(attempt, { status: 201, error: null, headers: {} })
          assert.strictEqual(textOf(attempt), "HTTP/1.1 100")
        }
        assert.strictEqual(sockets.length, 1)
      })
    )

    it.live(`returns the final response after ${name} if it arrives byte by byte`, () =>
      Effect.gen(function* () {
        const { url } = yield* receiver((socket) => {
          socket.setNoDelay(true)
          const bytes = [...(informational + FINAL)]
          const drip = () => {
            socket.write(bytes.shift() ?? "")
            if (bytes.length > 0) setImmediate(drip)
          }
          drip()
        })
        assert.deepInclude(yield* (yield* sender())(url), { status: 201, error: null })
      })
    )
  }

  it.live("endless informational responses end in a timeout", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver((socket) => {
        const again = setInterval(() => socket.write(CONTINUE + HINTS), 10)
        socket.on("close", () => clearInterval(again))
      })
      assert.deepInclude(yield* (yield* sender({ timeoutMillis: 300 }))(url), {
        status: null,
        error: "The receiver did not answer within 0.3 seconds"
      })
    })
  )

  it.live("closes the connection after 16 KiB of informational responses to one request", () =>
    Effect.gen(function* () {
      const informational = "HTTP/1.1 103 \r\n\r\n"
      const { requests, sockets, url } = yield* receiver((socket, earlier) => {
        const n = Math.floor(MAX_HEADER_BYTES / informational.length) + (earlier === 2 ? 1 : 0)
        socket.write(`${informational.repeat(n)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`)
      })
      const post = yield* sender()
      // The limit applies to each request, not to the connection.
      for (let n = 0; n < 2; n++) assert.deepInclude(yield* post(url), { status: 200, error: null })
      assert.strictEqual(sockets.length, 1)
      assert.deepInclude(yield* post(url), {
        status: null,
        error: "The headers of the response are longer than 16384 bytes"
      })
      assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
      assert.lengthOf(requests, 3)
    })
  )

  it.live("rejects status 101 and ignores an offered upgrade", () =>
    Effect.gen(function* () {
      const post = yield* sender()
      const upgrade = ["connection: Upgrade", "upgrade: websocket"]
      const switching = yield* receiver(respondWith("HTTP/1.1 101 Switching Protocols", ...upgrade, "", ""))
      assert.deepInclude(yield* post(switching.url), {
        status: null,
        error: "The receiver switched protocols (101), which the request did not ask for"
      })
      const offering = yield* receiver(respondWith("HTTP/1.1 200 OK", ...upgrade, "content-length: 2", "", "ok"))
      assert.deepInclude(yield* post(offering.url), { status: 200, error: null })
      for (const status of ["101 Switching Protocols", "099 Nothing"]) {
        const receiving = yield* receiver(respondWith(`HTTP/1.1 ${status}`, "content-length: 0", "", ""))
        assert.deepInclude(yield* post(receiving.url), {
          status: null,
          error: "The response is not valid HTTP/1.1 (its status is not final)"
        })
      }
    })
  )
})

describe("WEBHOOK_ALLOW_HOSTS", () => {
  it.effect("defaults to no hosts, adds loopback hosts with DEMO, and names an invalid entry in the error", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([...(yield* readAllowed(["DEMO", "false"]))], [])
      for (const [setting, expected] of [
        ["", []],
        ["10.0.0.5:8080", ["10.0.0.5:8080"]]
      ] as const) {
        const allowed = yield* readAllowed(["DEMO", "true"], ["WEBHOOK_ALLOW_HOSTS", setting])
        assert.deepStrictEqual([...allowed], [...expected, "localhost", "127.0.0.1", "[::1]"])
      }
      assert.deepStrictEqual(
        [...(yield* readAllowed(["DEMO", "false"], ["WEBHOOK_ALLOW_HOSTS", "localhost, 127.0.0.1:3000"]))],
        ["localhost", "127.0.0.1:3000"]
      )
      const error = yield* Effect.flip(readAllowed(["WEBHOOK_ALLOW_HOSTS", "localhost,http://x"]))
      assert.match(String(error), /"http:\/\/x" is not a valid host[^]*WEBHOOK_ALLOW_HOSTS/)
    })
  )

  it.effect("does not apply to apps of developers, which reach loopback hosts with DEMO only", () =>
    Effect.gen(function* () {
      for (const [demo, expected] of [
        ["false", []],
        ["true", ["localhost", "127.0.0.1", "[::1]"]]
      ] as const) {
        const hosts = yield* developerHosts.pipe(
          withSettings([
            ["DEMO", demo],
            ["WEBHOOK_ALLOW_HOSTS", "10.0.0.5"]
          ])
        )
        assert.deepStrictEqual([...hosts], [...expected])
      }
    })
  )
})
