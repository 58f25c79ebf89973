import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { LookupFunction } from "node:net"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import { watchConnects } from "../../support/webhooks/Connects.ts"
import { PUBLIC_4 } from "../../data/hostileUrls.ts"
import { type Answer, ok, receiver, sender, textOf, pollUntil } from "../../support/webhooks/RawReceiver.ts"

const HEAD = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"
const CLOSED = "The receiver closed the connection before its response was complete"

/** Milliseconds of a slow request. A busy machine may take half of them to connect. */
const TIMEOUT = 1100

/** Tolerated delay in milliseconds on a busy machine. */
const SLACK = 1500

const silent: Answer = () => undefined

/** Writes a piece every 20 ms until the socket closes. */
const dripping =
  (start: string, piece: string): Answer =>
  (socket) => {
    socket.setNoDelay(true)
    socket.write(start)
    const drip = setInterval(() => socket.write(piece), 20)
    socket.on("close", () => clearInterval(drip))
  }

const SLOW: Readonly<Record<string, readonly [answer: Answer, error: string]>> = {
  "does not respond": [silent, "The receiver did not answer within 1.1 seconds"],
  "stops within the headers": [
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-"),
    "The receiver did not answer within 1.1 seconds"
  ],
  "stops after the headers": [
    (socket) => void socket.write(HEAD),
    "The response with status 200 was not complete within 1.1 seconds"
  ],
  "drips its body": [dripping(HEAD, "x"), "The response with status 200 was not complete within 1.1 seconds"],
  "drips its headers": [dripping("HTTP/1.1 200 OK\r\nx-drip: ", "x"), "The receiver did not answer within 1.1 seconds"],
  "drips chunks": [
    dripping("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    "The response with status 200 was not complete within 1.1 seconds"
  ],
  "drips a body that ends with the connection": [
    dripping("HTTP/1.1 200 OK\r\n\r\n", "x"),
    "The response with status 200 was not complete within 1.1 seconds"
  ]
}

describe("Request timeout", () => {
  for (const [name, [answer, error]] of Object.entries(SLOW)) {
    it.live(`ends at the timeout and closes the socket if the receiver ${name}`, () =>
      Effect.gen(function* () {
        const { sockets, url } = yield* receiver(answer)
        const attempt = yield* (yield* sender({ timeoutMillis: TIMEOUT }))(url)
        assert.deepInclude(attempt, { status: null, error })
        assert.isAtLeast(attempt.durationMillis, TIMEOUT - 1)
        assert.isBelow(attempt.durationMillis, TIMEOUT + SLACK)
        assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
        assert.strictEqual(sockets.length, 1)
      })
    )
  }

  it.live("closes the socket at the timeout if the receiver does not complete the TLS handshake", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* receiver(silent)
      const attempt = yield* (yield* sender({ timeoutMillis: TIMEOUT }))(`https://127.0.0.1:${port}/`)
      assert.strictEqual(attempt.error, "There was no connection to the receiver within 1.1 seconds")
      assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
    })
  )

  it.live("ends at the timeout without a DNS response, and a late one causes no connection", () =>
    Effect.gen(function* () {
      const connects = yield* watchConnects
      let answerLate: (() => void) | undefined
      const lookup: LookupFunction = (_, __, callback) => {
        answerLate = () => callback(null, [{ address: PUBLIC_4, family: 4 }])
      }
      const { post } = yield* makeOutgoing({ allowed: new Set(), lookup, timeoutMillis: TIMEOUT })
      const attempt = yield* post({ url: "https://slow.example.com/", headers: {}, body: "" })
      assert.strictEqual(attempt.error, "There was no connection to the receiver within 1.1 seconds")
      assert.isBelow(attempt.durationMillis, TIMEOUT + SLACK)
      answerLate?.()
      yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(
        connects.attempted.filter(({ address }) => address === PUBLIC_4),
        []
      )
    })
  )
})

const BROKEN: Readonly<Record<string, readonly [answer: Answer, error: RegExp | string]>> = {
  "closes without a response": [(socket) => void socket.end(), CLOSED],
  "resets the connection": [(socket) => void socket.resetAndDestroy(), CLOSED],
  "closes within the headers": [(socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-"), CLOSED],
  "closes within the body": [(socket) => void socket.end(`${HEAD}too little`), CLOSED],
  "closes within the last chunk": [
    (socket) => void socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab"),
    CLOSED
  ],
  "closes within a chunk": [
    (socket) => void socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab"),
    CLOSED
  ],
  "sends an invalid chunk size": [
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\nnone\r\n"),
    /^The response is not valid HTTP\/1\.1 \(Invalid character in chunk size\)$/
  ],
  "sends an invalid chunk size later": [
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n")
      setTimeout(() => socket.write("none\r\n"), 30)
    },
    /^The response is not valid HTTP\/1\.1 \(Invalid character in chunk size\)$/
  ],
  "resets within the body": [(socket) => void socket.write(HEAD, () => socket.resetAndDestroy()), CLOSED],
  "does not speak HTTP": [
    (socket) => void socket.end("220 mail.example.com ESMTP\r\n"),
    /^The response is not valid HTTP/
  ],
  "sends random bytes": [(socket) => void socket.end(Buffer.alloc(5000, 0xfe)), /^The response is not valid HTTP/],
  "speaks HTTP/2": [
    (socket) => void socket.write(Buffer.from("00001204000000000000020000000000", "hex")),
    /^The response is not valid HTTP/
  ],
  "sends two content lengths": [
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
    /Content-Length/
  ],
  "sends a content length with a chunked body": [
    (socket) =>
      void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    /Content-Length/
  ],
  "sends an invalid content length": [
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"),
    /^The response is not valid HTTP/
  ]
}

describe("Broken response", () => {
  for (const [name, [answer, error]] of Object.entries(BROKEN)) {
    it.live(`returns an error of one sentence if the receiver ${name}`, () =>
      Effect.gen(function* () {
        const { sockets, url } = yield* receiver(answer)
        const attempt = yield* (yield* sender())(url)
        assert.isNull(attempt.status)
        if (typeof error === "string") assert.strictEqual(attempt.error, error)
        else assert.match(attempt.error ?? "", error)
        assert.notMatch(attempt.error ?? "", /\n|undefined| at /)
        assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
      })
    )
  }

  it.live("a refused connection is an error in one sentence", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(receiver(ok))
      const post = yield* sender()
      const { error } = yield* post(closed.url)
      assert.strictEqual(error, "The receiver refused the connection")
    })
  )

  it.live("endless headers are an error and close the connection", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const more = () => {
          while (!socket.destroyed && socket.write(`x-${"a".repeat(500)}: ${"b".repeat(500)}\r\n`));
        }
        socket.on("drain", more)
        more()
      })
      const attempt = yield* (yield* sender())(url)
      assert.strictEqual(attempt.error, "The headers of the response are longer than 16384 bytes")
      assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
    })
  )
})

it.live("stores the received part of an incomplete response", () =>
  Effect.gen(function* () {
    const { url } = yield* receiver((socket) => void socket.write(`${HEAD}half`))
    assert.strictEqual(textOf(yield* (yield* sender({ timeoutMillis: TIMEOUT }))(url)), "half")
  })
)

it.live("reads a response of 1 GiB with constant memory", () =>
  Effect.gen(function* () {
    const size = 2 ** 30
    const piece = Buffer.alloc(2 ** 20, "x")
    const { url } = yield* receiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
      let left = size
      const more = () => {
        while (left > 0 && !socket.destroyed) {
          left -= piece.length
          if (!socket.write(piece)) return
        }
      }
      socket.on("drain", more)
      more()
    })
    const post = yield* sender({ timeoutMillis: 50_000 })
    const start = process.memoryUsage.rss()
    let peak = start
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
    const attempt = yield* post(url)
    clearInterval(watch)
    assert.deepInclude(attempt, { status: 200, error: null })
    assert.strictEqual(attempt.answer.length, 16_384)
    assert.isBelow((peak - start) / 2 ** 20, 128, "MiB")
  })
)

describe("Interruption of a request", () => {
  const WAITING: Readonly<Record<string, readonly [scheme: string, answer: Answer]>> = {
    "waits for its connection": ["https", silent],
    "waits for a response": ["http", silent],
    "waits for the rest of a response": ["http", (socket) => void socket.write(`${HEAD}half`)]
  }

  for (const [name, [scheme, answer]] of Object.entries(WAITING)) {
    it.live(`closes the socket while the request ${name}`, () =>
      Effect.gen(function* () {
        const { port, requests, sockets } = yield* receiver(answer)
        const post = yield* sender()
        const fiber = yield* Effect.forkChild(post(`${scheme}://127.0.0.1:${port}/`))
        assert.isTrue(yield* pollUntil(() => (scheme === "http" ? requests : sockets).length === 1))
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
      })
    )
  }
})
