import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { createSecureContext } from "node:tls"
import { makeOutgoing } from "../../../src/layers/webhooks/Outgoing.ts"
import { PUBLIC_4, PUBLIC_6 } from "../../data/hostileUrls.ts"
import { selfSigned } from "../../support/oauth/Certificate.ts"
import { watchConnects } from "../../support/webhooks/Connects.ts"
import {
  type Answer,
  ok,
  receiver,
  respondWith,
  sender,
  textOf,
  pollUntil
} from "../../support/webhooks/RawReceiver.ts"

const silent: Answer = () => undefined

/** Sets environment variables until the scope closes. */
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

/** A lookup that resolves every name to these addresses. */
const resolveTo =
  (...addresses: ReadonlyArray<string>): LookupFunction =>
  (_, __, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) }))
    )

describe("Outgoing connection", () => {
  it.live("sequential requests reuse one connection", () =>
    Effect.gen(function* () {
      const { requests, sockets, url } = yield* receiver(ok)
      const post = yield* sender()
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* post(url)).status, 200)
      assert.deepStrictEqual([requests.length, sockets.length], [20, 1])
    })
  )

  it.live("concurrent requests on reused connections each receive their own response", () =>
    Effect.gen(function* () {
      // Responds with the last characters of the request after varying delays.
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

  const NOT_REUSED: Readonly<Record<string, Answer>> = {
    "with the response header connection: close": respondWith(
      "HTTP/1.1 200 OK",
      "connection: close",
      "content-length: 2",
      "",
      "ok"
    ),
    "with an HTTP/1.0 response": respondWith("HTTP/1.0 200 OK", "content-length: 2", "", "ok"),
    "with bytes after the response": respondWith(
      "HTTP/1.1 200 OK",
      "content-length: 2",
      "",
      "okHTTP/1.1 500 No",
      "",
      ""
    ),
    "that receives a second response while idle": (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
      setTimeout(() => socket.write("HTTP/1.1 500 No\r\n\r\n"), 30)
    },
    "that the receiver closes after the response": (socket) =>
      void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
  }

  for (const [name, answer] of Object.entries(NOT_REUSED)) {
    it.live(`a connection ${name} is not reused`, () =>
      Effect.gen(function* () {
        const { sockets, url } = yield* receiver(answer)
        const post = yield* sender()
        for (let n = 0; n < 3; n++) {
          assert.deepInclude(yield* post(url), { status: 200, error: null })
          yield* pollUntil(() => sockets.every((socket) => socket.destroyed))
        }
        assert.strictEqual(sockets.length, 3)
      })
    )
  }

  it.live("an interruption after the response does not close the connection", () =>
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

  it.live("an idle connection is closed after the receiver's keep-alive timeout", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver(
        respondWith("HTTP/1.1 200 OK", "keep-alive: timeout=3", "content-length: 2", "", "ok")
      )
      assert.strictEqual((yield* (yield* sender())(url)).status, 200)
      assert.isFalse(sockets.some((socket) => socket.destroyed))
      assert.isTrue(yield* pollUntil(() => sockets.every((socket) => socket.destroyed)))
    })
  )

  it.live("at most 512 idle connections stay open", () =>
    Effect.gen(function* () {
      const { sockets, url } = yield* receiver((_, earlier, request) => {
        if (earlier === 539) for (const socket of sockets) ok(socket, earlier, request)
      })
      const post = yield* sender({ timeoutMillis: 20_000 })
      const attempts = yield* Effect.forEach(Array.from({ length: 540 }), () => post(url), { concurrency: "unbounded" })
      assert.isTrue(attempts.every(({ status }) => status === 200))
      assert.isTrue(yield* pollUntil(() => sockets.filter((socket) => !socket.destroyed).length === 512))
    })
  )

  it.live("closing the scope closes idle connections and fails requests in flight", () =>
    Effect.gen(function* () {
      const idle = yield* receiver(ok)
      const busy = yield* receiver(silent)
      const scope = yield* Scope.make()
      const post = yield* Scope.provide(sender({ timeoutMillis: 20_000 }), scope)
      yield* post(idle.url)
      const fiber = yield* Effect.forkChild(post(busy.url))
      assert.isTrue(yield* pollUntil(() => busy.requests.length === 1))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(fiber)).error, "The service stopped before the response was complete")
      assert.isTrue(yield* pollUntil(() => [...idle.sockets, ...busy.sockets].every((socket) => socket.destroyed)))
    })
  )
})

describe("Destination guard", () => {
  it.live("allows only the allowed ports of a host, also after earlier requests", () =>
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

  it.live("connects to exactly the addresses that it checked", () =>
    Effect.gen(function* () {
      const { offered } = yield* watchConnects
      const { post } = yield* makeOutgoing({ allowed: new Set(), lookup: resolveTo(PUBLIC_4, PUBLIC_6) })
      yield* post({ url: "https://hooks.example.com/", headers: {}, body: "" })
      assert.deepStrictEqual(offered, [PUBLIC_4, PUBLIC_6])
    })
  )

  it.live("resolves a host name once per connection", () =>
    Effect.gen(function* () {
      let lookups = 0
      const lookup: LookupFunction = (hostname, options, callback) => {
        lookups += 1
        resolveTo("127.0.0.1")(hostname, options, callback)
      }
      const { post } = yield* makeOutgoing({ allowed: new Set(), lookup })
      yield* post({ url: "https://hooks.example.com/", headers: {}, body: "" })
      assert.strictEqual(lookups, 1)
    })
  )
})

describe("Environment variables", () => {
  it.live("proxy variables are ignored", () =>
    Effect.gen(function* () {
      const proxy = yield* receiver(ok)
      const { url } = yield* receiver(ok)
      const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
      const variables = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, proxy.url])
      yield* withVariables({ ...Object.fromEntries(variables), NO_PROXY: "", no_proxy: "" })
      const post = yield* sender({ lookup: resolveTo("127.0.0.1") })
      assert.strictEqual((yield* post(url)).status, 200)
      yield* post(url.replace("http:", "https:"))
      yield* post("https://hooks.example.com/")
      assert.strictEqual(proxy.sockets.length, 0)
    })
  )

  it.live("NODE_TLS_REJECT_UNAUTHORIZED=0 does not disable the check of certificates", () =>
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
    ["that is self-signed", selfSigned("localhost"), undefined, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of another host", selfSigned("example.com"), "trusted", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["that has expired", selfSigned("localhost", -1), "trusted", "CERT_HAS_EXPIRED"]
  ] as const

  for (const [name, tls, trusted, code] of certificates) {
    it.live(`rejects a certificate ${name} and sends no request`, () =>
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
    it.live(`accepts a trusted certificate of the host ${host} and reuses the connection`, () =>
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

  it.live("a receiver that does not speak TLS on an https URL is an error", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver(ok, { onConnection: (socket) => void socket.write("220 hello\r\n") })
      const { error } = yield* (yield* sender())(`https://127.0.0.1:${port}/`)
      assert.match(error ?? "", /^The TLS handshake with the receiver failed \(/)
    })
  )
})
