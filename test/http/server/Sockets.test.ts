import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NetAddress } from "effect/net"
import { formatUrl } from "../../../src/http/server/HttpListener.ts"
import { ApiTest, baseUrl, freshClient } from "../../support/http/Api.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"

/** What comes back for one request: status and body. */
const raw = Effect.fn(function* (...given: ReadonlyArray<string>) {
  const text = yield* exchange(yield* baseUrl, lines(...given))
  const [head = "", body = ""] = text.split("\r\n\r\n")
  assert.match(head, /^content-type: application\/json$/im)
  return { status: Number(head.split(" ")[1]), body }
})

/** The statuses of all answers that came on a connection until it ended. */
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

const PATH = "/api/platform/v1/products"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("What HTTP clients seldom send", (it) => {
  it.effect("is answered in the one shape, with what is wrong", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [number, string, ReadonlyArray<string>]> = [
        [400, "The request is not valid HTTP", ["HELLO"]],
        [400, "The Host header is missing", [`GET ${PATH} HTTP/1.1`, "connection: close"]],
        [
          417,
          "The only supported value of Expect is 100-continue",
          [`POST ${PATH} HTTP/1.1`, "host: a", "expect: wonders"]
        ],
        [
          400,
          "The request line and headers must be at most 16384 bytes",
          [`GET ${PATH}?cursor=${"a".repeat(17_000)} HTTP/1.1`, "host: a"]
        ]
      ]
      for (const [status, error, lines] of cases) {
        assert.deepStrictEqual(yield* raw(...lines), { status, body: JSON.stringify({ error }) })
      }
    })
  )

  it.effect("is a tunnel, which is no path or method here", () =>
    Effect.gen(function* () {
      const refused = { status: 404, body: '{"error":"There is no such path or method; see /docs"}' }
      assert.deepStrictEqual(yield* raw("CONNECT a:80 HTTP/1.1", "host: a:80"), refused)
      assert.deepStrictEqual(yield* raw(`CONNECT ${PATH} HTTP/1.1`, "host: a"), refused)
    })
  )

  it.effect("is a tunnel behind a request: both are answered, in their order, and others after them", () =>
    Effect.gen(function* () {
      const packet = lines("GET /healthz HTTP/1.1", "host: a") + lines("CONNECT a:1 HTTP/1.1", "host: a")
      assert.deepStrictEqual(statusesOf(yield* exchange(yield* baseUrl, packet)), [200, 404])
      const { status } = yield* raw("GET /healthz HTTP/1.1", "host: a", "connection: close")
      assert.strictEqual(status, 200)
    })
  )

  it.effect("is a body that nobody reads: the next request is answered, or told that the connection closes", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient({ scopes: ["read_products"] })
      const known = `authorization: Bearer ${client.token}`
      const next = lines("GET /healthz HTTP/1.1", "host: a", "connection: close")
      const refusals: ReadonlyArray<readonly [number, string, ReadonlyArray<string>]> = [
        [401, PATH, []],
        [403, PATH, [known, "idempotency-key: a"]],
        [404, "/nowhere", [known]]
      ]
      const bodies = [
        lines("content-length: 14") + '{"name":"Cup"}',
        `${lines("transfer-encoding: chunked")}e\r\n{"name":"Cup"}\r\n0\r\n\r\n`
      ]
      for (const [status, path, headers] of refusals) {
        for (const body of bodies) {
          const request = [`POST ${path} HTTP/1.1`, "host: a", "content-type: application/json", ...headers, body]
          const plain = yield* exchange(base, request.join("\r\n") + next)
          assert.deepStrictEqual(statusesOf(plain), [status, 200])
          for (const protocol of ["websocket", "h2c"]) {
            const [first = "", ...others] = request
            const upgrade = [first, "connection: upgrade", `upgrade: ${protocol}`, ...others].join("\r\n")
            for (const texts of [[upgrade + next], [upgrade, next]]) {
              const answered = yield* exchange(base, ...texts)
              assert.deepStrictEqual(statusesOf(answered), [status], answered)
              assert.match(answered, /^connection: close$/im)
            }
          }
        }
      }
    })
  )

  it.effect("is a wish to change the protocol: the answer comes as without it, and the connection closes", () =>
    Effect.gen(function* () {
      const wish = ["host: a", "connection: upgrade", "upgrade: websocket"]
      assert.deepStrictEqual(yield* raw("GET /healthz HTTP/1.1", ...wish), { status: 200, body: '{"status":"ok"}' })
    })
  )

  it.effect("is a transfer coding other than chunked, or a second Host: 400, and nothing behind it is read", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const next = lines("GET /healthz HTTP/1.1", "host: a", "connection: close")
      const ambiguous: ReadonlyArray<readonly [error: string, ...headers: ReadonlyArray<string>]> = [
        ["Transfer-Encoding must be chunked", "host: a", "transfer-encoding: xchunked"],
        ["Transfer-Encoding must be chunked", "host: a", "transfer-encoding: gzip, chunked"],
        ["The request is not valid HTTP", "host: a", "transfer-encoding: chunked", "transfer-encoding: chunked"],
        ["A request must have only one Host header", "host: a", "host: b"],
        ["A request must have only one Host header", "host: a", "Host: a"]
      ]
      for (const [error, ...headers] of ambiguous) {
        for (const path of [PATH, "/healthz", "/rpc"]) {
          for (const upgrade of [[], ["connection: upgrade", "upgrade: websocket"]]) {
            for (const method of ["GET", "POST"]) {
              const text = yield* exchange(base, lines(`${method} ${path} HTTP/1.1`, ...headers, ...upgrade) + next)
              assert.deepStrictEqual(statusesOf(text), [400], `${method} ${path} ${headers.join()}: ${text}`)
              assert.match(text, /^connection: close$/im)
              assert.include(text, JSON.stringify({ error }), headers.join())
            }
          }
        }
      }
      const whole = ["POST /healthz HTTP/1.1", "host: a", "transfer-encoding: Chunked", "connection: close"]
      assert.deepStrictEqual(statusesOf(yield* exchange(base, `${lines(...whole)}0\r\n\r\n`)), [404])
    })
  )

  it.effect("is a HEAD with headers beyond 16 KiB: the answer has no body", () =>
    Effect.gen(function* () {
      const long = lines("HEAD /healthz HTTP/1.1", "host: a", `cookie: ${"a".repeat(17_000)}`)
      const text = yield* exchange(yield* baseUrl, long)
      assert.deepStrictEqual(statusesOf(text), [400])
      assert.isTrue(text.endsWith("\r\n\r\n"), text)
    })
  )

  it.effect("is a whole URL where others send a path", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const close = ["host: a", `authorization: Bearer ${client.token}`, "connection: close"]
      const { body, status } = yield* raw(`GET http://a:80${PATH}?limit=1 HTTP/1.1`, ...close)
      assert.deepStrictEqual({ status, body }, { status: 200, body: '{"products":[],"nextCursor":null}' })
    })
  )
})

it("an address of IPv6 stands in brackets in a URL", () => {
  assert.strictEqual(formatUrl(NetAddress.inetAddressFromInputUnsafe("[::1]:3000")), "http://[::1]:3000")
  assert.strictEqual(formatUrl(NetAddress.inetAddressFromInputUnsafe("127.0.0.1:80")), "http://127.0.0.1:80")
})
