import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MAX_BODY_BYTES } from "../../../src/layers/webhooks/Outgoing.ts"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import { partsOf, receiver, respondWith, textOf, pollUntil } from "../../support/webhooks/RawReceiver.ts"

describe("Outgoing GET request", () => {
  it.live("a GET request has no body and returns the response body, content type and cache control", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* receiver(
        respondWith(
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

  it.live("a GET response of 16 KiB is accepted; a longer one is an error and closes the connection", () =>
    Effect.gen(function* () {
      const { get } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1"]) })
      const largest = yield* receiver(
        respondWith("HTTP/1.1 200 OK", `content-length: ${MAX_BODY_BYTES}`, "", "x".repeat(MAX_BODY_BYTES))
      )
      assert.deepInclude(yield* get({ url: largest.url, headers: {} }), { status: 200, error: null })
      const endless = yield* receiver((socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write("x".repeat(4096)));
        }
        socket.on("drain", more)
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        more()
      })
      const attempt = yield* get({ url: endless.url, headers: {} })
      assert.deepInclude(attempt, { status: null, error: `The response is longer than ${MAX_BODY_BYTES} bytes` })
      assert.isTrue(yield* pollUntil(() => endless.sockets.every((socket) => socket.destroyed)))
    })
  )
})
