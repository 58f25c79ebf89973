import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MAX_BODY_BYTES } from "../../../src/layers/webhooks/Outgoing.ts"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import { partsOf, receiver, saying, textOf, until } from "../../support/webhooks/RawReceiver.ts"

describe("a GET", () => {
  it.live("asks for what is there, with no body", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* receiver(
        saying(
          "HTTP/1.1 200 OK",
          "content-type: application/json",
          "cache-control: max-age=60",
          "content-length: 2",
          "",
          "{}"
        )
      )
      const { get } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1"]) })
      const attempt = yield* get({
        url: `http://127.0.0.1:${port}/client.json`,
        headers: { accept: "application/json" }
      })
      assert.strictEqual(textOf(attempt), "{}")
      assert.deepStrictEqual(attempt.headers, { "content-type": "application/json", "cache-control": "max-age=60" })
      assert.deepStrictEqual(partsOf(requests[0]), {
        start: "GET /client.json HTTP/1.1",
        headers: ["accept: application/json", "connection: keep-alive", `host: 127.0.0.1:${port}`],
        body: ""
      })
    })
  )

  it.live("takes an answer of 16 KiB, and of a longer one no more, and its connection closed", () =>
    Effect.gen(function* () {
      const { get } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1"]) })
      const whole = yield* receiver(
        saying("HTTP/1.1 200 OK", `content-length: ${MAX_BODY_BYTES}`, "", "x".repeat(MAX_BODY_BYTES))
      )
      assert.deepInclude(yield* get({ url: whole.url, headers: {} }), { status: 200, error: null })
      const endless = yield* receiver((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write("x".repeat(4096)));
        }
        socket.on("drain", more)
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        more()
      })
      const attempt = yield* get({ url: endless.url, headers: {} })
      assert.deepInclude(attempt, { status: null, error: `The answer is longer than ${MAX_BODY_BYTES} bytes` })
      assert.isTrue(yield* until(() => endless.sockets.every((socket) => socket.destroyed)))
    })
  )
})
