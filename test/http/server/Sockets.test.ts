import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NetAddress } from "effect/net"
import { formatUrl } from "../../../src/http/server/HttpListener.ts"
import { ApiTest, baseUrl, dataOf, freshClient, pageOf } from "../../support/http/Api.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"

/** Sends one raw request and returns the status and body of its JSON response. */
const raw = Effect.fn(function* (...requestLines: ReadonlyArray<string>) {
  const text = yield* exchange(yield* baseUrl, lines(...requestLines))
  const [head = "", body = ""] = text.split("\r\n\r\n")
  assert.match(head, /^content-type: application\/json$/im)
  return { status: Number(head.split(" ")[1]), body }
})

/** Returns the statuses of all responses that a connection received. */
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

const PATH = "/api/platform/v1/products"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Unusual HTTP requests", (it) => {
  it.effect("a malformed request gets 400, 417 or 431 with a JSON error that states the reason", () =>
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
          431,
          "The request line and headers must be at most 16384 bytes",
          [`GET ${PATH}?cursor=${"a".repeat(17_000)} HTTP/1.1`, "host: a"]
        ]
      ]
      for (const [status, error, lines] of cases) {
        assert.deepStrictEqual(yield* raw(...lines), { status, body: JSON.stringify({ error }) })
      }
    })
  )

  it.effect("CONNECT gets 404", () =>
    Effect.gen(function* () {
      const refused = { status: 404, body: '{"error":"There is no such path or method; see /docs"}' }
      assert.deepStrictEqual(yield* raw("CONNECT a:80 HTTP/1.1", "host: a:80"), refused)
      assert.deepStrictEqual(yield* raw(`CONNECT ${PATH} HTTP/1.1`, "host: a"), refused)
    })
  )

  it.effect("a pipelined CONNECT gets 404 after the response of the earlier request", () =>
    Effect.gen(function* () {
      const packet = lines("GET /healthz HTTP/1.1", "host: a") + lines("CONNECT a:1 HTTP/1.1", "host: a")
      assert.deepStrictEqual(statusesOf(yield* exchange(yield* baseUrl, packet)), [200, 404])
      const { status } = yield* raw("GET /healthz HTTP/1.1", "host: a", "connection: close")
      assert.strictEqual(status, 200)
    })
  )

  it.effect("`;` and `#` are part of a path and end it on no surface", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const authorization = `authorization: Bearer ${client.token}`
      const paths = [PATH, "/oauth/token", "/oauth/authorize", "/rpc", "/mcp", "/docs", "/openapi.json", "/healthz"]
      for (const path of [...paths, "/dashboard", "/developers", "/.well-known/oauth-authorization-server"]) {
        for (const end of [";", ";x", ";limit=1", "#x", ";%"]) {
          for (const method of ["GET", "POST"]) {
            const { status } = yield* raw(
              `${method} ${path}${end} HTTP/1.1`,
              "host: a",
              authorization,
              "connection: close"
            )
            assert.strictEqual(status, 404, `${method} ${path}${end}`)
          }
        }
      }
    })
  )

  it.effect("pipelined unsafe requests run one after the other, in their order", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      for (const _ of Array.from({ length: 10 })) {
        const { client } = yield* freshClient()
        const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
        const common = ["host: a", `authorization: Bearer ${client.token}`, "content-type: application/json"]
        const patches = Array.from({ length: 20 }, (_, index) => {
          const body = JSON.stringify({ name: `Cup ${index}` })
          const head = lines(
            `PATCH ${PATH}/${String(id)} HTTP/1.1`,
            ...common,
            `idempotency-key: ${index}`,
            `content-length: ${body.length}`,
            ...(index === 19 ? ["connection: close"] : [])
          )
          return head + body
        })
        const text = yield* exchange(base, patches.join(""))
        const versions = [...text.matchAll(/"version":(\d+)/g)].map(([, version]) => Number(version))
        assert.deepStrictEqual(
          versions,
          patches.map((_, index) => index + 2)
        )
        const [product] = pageOf(yield* client.get("/products")).items
        assert.strictEqual(product?.["name"], "Cup 19")
      }
    })
  )

  it.effect("a pipelined request waits for an unsafe one, and an unsafe one waits for all before it", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient()
      const common = ["host: a", `authorization: Bearer ${client.token}`]
      const create = (key: string) =>
        lines(
          `POST ${PATH} HTTP/1.1`,
          ...common,
          "content-type: application/json",
          `idempotency-key: ${key}`,
          "content-length: 14"
        ) + '{"name":"Cup"}'
      const list = lines(`GET ${PATH} HTTP/1.1`, ...common)
      const last = lines(`GET ${PATH} HTTP/1.1`, ...common, "connection: close")
      const text = yield* exchange(base, list + list + create("1") + list + list + create("2") + list.repeat(15) + last)
      const counts = text
        .split(/HTTP\/1\.1 \d+/)
        .slice(1)
        .map((response) => [...response.matchAll(/"slug":/g)].length)
      assert.deepStrictEqual(counts, [0, 0, 1, 1, 1, 1, ...Array.from({ length: 16 }, () => 2)])
    })
  )

  it.effect("after a rejected request with an unread body, the next one is answered or the connection closes", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const { client } = yield* freshClient({ scopes: ["read_products"] })
      const authorization = `authorization: Bearer ${client.token}`
      const next = lines("GET /healthz HTTP/1.1", "host: a", "connection: close")
      const refusals: ReadonlyArray<readonly [number, string, ReadonlyArray<string>]> = [
        [401, PATH, []],
        [403, PATH, [authorization, "idempotency-key: a"]],
        [404, "/nowhere", [authorization]]
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
              const response = yield* exchange(base, ...texts)
              assert.deepStrictEqual(statusesOf(response), [status], response)
              assert.match(response, /^connection: close$/im)
            }
          }
        }
      }
    })
  )

  it.effect("an Upgrade header outside /rpc does not change the response, and the connection closes", () =>
    Effect.gen(function* () {
      const upgrade = ["host: a", "connection: upgrade", "upgrade: websocket"]
      assert.deepStrictEqual(yield* raw("GET /healthz HTTP/1.1", ...upgrade), { status: 200, body: '{"status":"ok"}' })
    })
  )

  it.effect("an unsupported transfer coding or a repeated Host gets 400 and closes the connection", () =>
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
      const chunked = ["POST /healthz HTTP/1.1", "host: a", "transfer-encoding: Chunked", "connection: close"]
      assert.deepStrictEqual(statusesOf(yield* exchange(base, `${lines(...chunked)}0\r\n\r\n`)), [404])
    })
  )

  it.effect("HEAD with headers over 16 KiB gets 431 without a body", () =>
    Effect.gen(function* () {
      const long = lines("HEAD /healthz HTTP/1.1", "host: a", `cookie: ${"a".repeat(17_000)}`)
      const text = yield* exchange(yield* baseUrl, long)
      assert.deepStrictEqual(statusesOf(text), [431])
      assert.isTrue(text.endsWith("\r\n\r\n"), text)
    })
  )

  it.effect("an absolute URL is accepted as the request target", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const close = ["host: a", `authorization: Bearer ${client.token}`, "connection: close"]
      const { body, status } = yield* raw(`GET http://a:80${PATH}?limit=1 HTTP/1.1`, ...close)
      assert.deepStrictEqual({ status, body }, { status: 200, body: '{"products":[],"nextCursor":null}' })
    })
  )
})

it("formatUrl puts an IPv6 address in brackets", () => {
  assert.strictEqual(formatUrl(NetAddress.inetAddressFromInputUnsafe("[::1]:3000")), "http://[::1]:3000")
  assert.strictEqual(formatUrl(NetAddress.inetAddressFromInputUnsafe("127.0.0.1:80")), "http://127.0.0.1:80")
})
