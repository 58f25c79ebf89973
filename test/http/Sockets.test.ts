import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { urlOf } from "../../src/http/Listener.ts"
import { ApiTest, baseUrl, freshClient } from "../support/Api.ts"

/** What comes back when these bytes are sent, until the service ends the connection: status and body. */
const raw = Effect.fn(function* (...lines: ReadonlyArray<string>) {
  const { hostname, port } = new URL(yield* baseUrl)
  const text = yield* Effect.async<string>((resume) => {
    let received = ""
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n`))
    socket.setEncoding("utf8").on("data", (chunk: string) => void (received += chunk))
    socket.once("close", () => resume(Effect.succeed(received)))
  })
  const [head = "", body = ""] = text.split("\r\n\r\n")
  assert.match(head, /^content-type: application\/json$/im)
  return { status: Number(head.split(" ")[1]), body }
})

const PATH = "/api/platform/v1/products"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("What HTTP clients seldom send", (it) => {
  it.effect("is answered in the one shape, with what is wrong", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [number, string, ReadonlyArray<string>]> = [
        [400, "The request is not valid HTTP", ["HELLO"]],
        [400, "The header Host is missing", [`GET ${PATH} HTTP/1.1`, "connection: close"]],
        [417, "Of Expect only 100-continue can be met", [`POST ${PATH} HTTP/1.1`, "host: a", "expect: wonders"]],
        [
          400,
          "The address and the headers of a request must be at most 16384 bytes",
          [`GET ${PATH}?cursor=${"a".repeat(17_000)} HTTP/1.1`, "host: a"]
        ]
      ]
      for (const [status, error, lines] of cases) {
        assert.deepStrictEqual(yield* raw(...lines), { status, body: JSON.stringify({ error }) })
      }
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
  assert.strictEqual(urlOf({ _tag: "TcpAddress", hostname: "::1", port: 3000 }), "http://[::1]:3000")
  assert.strictEqual(urlOf({ _tag: "TcpAddress", hostname: "127.0.0.1", port: 80 }), "http://127.0.0.1:80")
})
