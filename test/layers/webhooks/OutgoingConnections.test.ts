import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { createSecureContext } from "node:tls"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import { PUBLIC_4, PUBLIC_6 } from "../../data/hostileUrls.ts"
import { selfSigned } from "../../support/oauth/Certificate.ts"
import { watchConnects } from "../../support/webhooks/Connects.ts"
import { type Answer, ok, receiver, saying, sender, textOf, until } from "../../support/webhooks/RawReceiver.ts"

const silent: Answer = () => undefined

/** Sets variables of the environment until the scope ends. */
const withVariables = (variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, variables)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

/** A lookup that gives these addresses for every name. */
const leadingTo =
  (...addresses: ReadonlyArray<string>): LookupFunction =>
  (_, __, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) }))
    )

describe("a connection", () => {
  it.live("serves one request after the other", () =>
    Effect.gen(function* () {
      const { requests, sockets, url } = yield* receiver(ok)
      const post = yield* sender()
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* post(url)).status, 200)
      assert.deepStrictEqual([requests.length, sockets.length], [20, 1])
    })
  )

  it.live("serves one request at a time, and never another one's answer", () =>
    Effect.gen(function* () {
      // Answers with the last characters of the request, some later than others.
      const { sockets, url } = yield* receiver((socket, earlier, request) => {
        const answer = `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${request.slice(-4)}`
        setTimeout(() => socket.write(answer), (earlier % 7) * 5)
      })
      const post = yield* sender()
      const bodies = Array.from({ length: 300 }, (_, n) => String(1000 + n))
      const answers = yield* Effect.forEach(bodies, (body) => Effect.map(post(url, body), textOf), { concurrency: 30 })
      assert.deepStrictEqual(answers, bodies)
      assert.isAtMost(sockets.length, 31)
    })
  )

  const SPENT: Readonly<Record<string, Answer>> = {
    "that the receiver wants closed": saying("HTTP/1.1 200 OK", "connection: close", "content-length: 2", "", "ok"),
    "of HTTP/1.0": saying("HTTP/1.0 200 OK", "content-length: 2", "", "ok"),
    "with more than the answer on it": saying("HTTP/1.1 200 OK", "content-length: 2", "", "okHTTP/1.1 500 No", "", ""),
    "with a second answer while it is idle": (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
      setTimeout(() => socket.write("HTTP/1.1 500 No\r\n\r\n"), 30)
    },
    "that the receiver closes after the answer": (socket) =>
      void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
  }

  for (const [name, answer] of Object.entries(SPENT)) {
    it.live(`${name} serves no other request`, () =>
      Effect.gen(function* () {
        const { sockets, url } = yield* receiver(answer)
        const post = yield* sender()
        for (let n = 0; n < 3; n++) {
          assert.deepInclude(yield* post(url), { status: 200, error: null })
          yield* until(() => sockets.every((socket) => socket.destroyed))
        }
        assert.strictEqual(sockets.length, 3)
      })
    )
  }

  it.live("is not closed by an interruption that comes when the answer is there", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver(ok)
      const post = yield* sender()
      for (let n = 0; n < 3; n++) {
        const exit = yield* Effect.exit(
          Effect.andThen(post(url), ({ status }) => {
            assert.strictEqual(status, 200)
            return Effect.interrupt
          })
        )
        assert.isTrue(Exit.hasInterrupts(exit))
        yield* Effect.sleep("20 millis")
      }
      assert.deepStrictEqual([sockets.length, sockets[0]?.destroyed], [1, false])
    })
  )

  it.live("is closed when nobody needs it, as soon as the receiver wishes", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver(
        saying("HTTP/1.1 200 OK", "keep-alive: timeout=3", "content-length: 2", "", "ok")
      )
      assert.strictEqual((yield* (yield* sender())(url)).status, 200)
      assert.isFalse(sockets.some((socket) => socket.destroyed))
      assert.isTrue(yield* until(() => sockets.every((socket) => socket.destroyed)))
    })
  )

  it.live("waits for another request along with no more than 511 others", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver((_, earlier, request) => {
        if (earlier === 539) for (const socket of sockets) ok(socket, earlier, request)
      })
      const post = yield* sender({ timeoutMillis: 20_000 })
      const attempts = yield* Effect.forEach(Array.from({ length: 540 }), () => post(url), { concurrency: "unbounded" })
      assert.isTrue(attempts.every(({ status }) => status === 200))
      assert.isTrue(yield* until(() => sockets.filter((socket) => !socket.destroyed).length === 512))
    })
  )

  it.live("closes with the scope, also under a request", () =>
    Effect.gen(function* () {
      const idle = yield* receiver(ok)
      const busy = yield* receiver(silent)
      const scope = yield* Scope.make()
      const post = yield* Scope.provide(sender({ timeoutMillis: 20_000 }), scope)
      yield* post(idle.url)
      const fiber = yield* Effect.forkChild(post(busy.url))
      assert.isTrue(yield* until(() => busy.requests.length === 1))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(fiber)).error, "The service stopped before the answer was complete")
      assert.isTrue(yield* until(() => [...idle.sockets, ...busy.sockets].every((socket) => socket.destroyed)))
    })
  )
})

describe("the guard", () => {
  it.live("lets a host be called on the ports that were allowed, however often those were", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([receiver(ok), receiver(ok)])
      const { post } = yield* makeOutgoing({ allowed: new Set([`127.0.0.1:${one.port}`]) })
      const send = (url: string) => post({ url, headers: {}, body: "" })
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* send(one.url)).status, 200)
        assert.match((yield* send(other.url)).error ?? "", /must begin with https/)
        assert.match((yield* send(`https://127.0.0.1:${other.port}/`)).error ?? "", /has the address 127\.0\.0\.1/)
        assert.match((yield* send(`https://localhost:${one.port}/`)).error ?? "", /has the host localhost/)
      }
      assert.deepStrictEqual([one.sockets.length, other.sockets.length], [1, 0])
    })
  )

  it.live("connects to the very addresses that it checked", () =>
    Effect.gen(function* () {
      const { offered } = yield* watchConnects
      const { post } = yield* makeOutgoing({ allowed: new Set(), lookup: leadingTo(PUBLIC_4, PUBLIC_6) })
      yield* post({ url: "https://hooks.example.com/", headers: {}, body: "" })
      assert.deepStrictEqual(offered, [PUBLIC_4, PUBLIC_6])
    })
  )

  it.live("asks about a name once for each connection", () =>
    Effect.gen(function* () {
      let asked = 0
      const lookup: LookupFunction = (hostname, options, callback) => {
        asked += 1
        leadingTo("127.0.0.1")(hostname, options, callback)
      }
      const { post } = yield* makeOutgoing({ allowed: new Set(), lookup })
      yield* post({ url: "https://hooks.example.com/", headers: {}, body: "" })
      assert.strictEqual(asked, 1)
    })
  )
})

describe("the environment", () => {
  it.live("names no proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* receiver(ok)
      const { url } = yield* receiver(ok)
      const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
      const variables = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy.url])
      yield* withVariables({ ...Object.fromEntries(variables), NO_PROXY: "", no_proxy: "" })
      const post = yield* sender({ lookup: leadingTo("127.0.0.1") })
      assert.strictEqual((yield* post(url)).status, 200)
      yield* post(url.replace("http:", "https:"))
      yield* post("https://hooks.example.com/")
      assert.strictEqual(proxy.sockets.length, 0)
    })
  )

  it.live("does not switch off TLS", () =>
    Effect.gen(function* () {
      yield* withVariables({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })
      const { port, requests } = yield* receiver(ok, { tls: selfSigned("127.0.0.1") })
      const { error } = yield* (yield* sender())(`https://127.0.0.1:${port}/`)
      assert.match(error ?? "", /^The TLS certificate of the receiver is not valid/)
      assert.strictEqual(requests.length, 0)
    })
  )
})

describe("TLS", () => {
  const certificates = [
    ["that the receiver made for itself", selfSigned("localhost"), undefined, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of another host", selfSigned("example.com"), "trusted", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that is too old", selfSigned("localhost", -1), "trusted", "CERT_HAS_EXPIRED"]
  ] as const

  for (const [name, tls, trusted, code] of certificates) {
    it.live(`refuses a certificate ${name}, and sends nothing`, () =>
      Effect.gen(function* () {
        const { port, requests } = yield* receiver(ok, { tls })
        const trust = trusted === undefined ? {} : { secureContext: createSecureContext({ ca: tls.cert }) }
        const post = yield* sender(trust)
        const { error } = yield* post(`https://localhost:${port}/`)
        assert.strictEqual(error, `The TLS certificate of the receiver is not valid (${code})`)
        assert.strictEqual(requests.length, 0)
      })
    )
  }

  for (const host of ["localhost", "127.0.0.1"]) {
    it.live(`takes one that is trusted and of the host ${host}, and keeps the connection`, () =>
      Effect.gen(function* () {
        const tls = selfSigned(host)
        const { port, requests, sockets } = yield* receiver(ok, { tls })
        const secureContext = createSecureContext({ ca: tls.cert })
        const post = yield* sender({ secureContext })
        for (let n = 0; n < 3; n++) {
          assert.deepInclude(yield* post(`https://${host}:${port}/`), { status: 200, error: null })
        }
        assert.deepStrictEqual([requests.length, sockets.length], [3, 1])
      })
    )
  }

  it.live("is not taken for granted", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok, { onConnection: (socket) => void socket.write("220 hello\r\n") })
      const { error } = yield* (yield* sender())(`https://127.0.0.1:${port}/`)
      assert.match(error ?? "", /^The receiver does not speak TLS as it should \(/)
    })
  )
})
