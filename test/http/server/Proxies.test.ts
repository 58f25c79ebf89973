import { assert, describe, it as test, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { randomUUID } from "node:crypto"
import { MAX_SIGN_UPS, Sessions } from "../../../src/domain/access/Sessions.ts"
import { MAX_REGISTRATIONS } from "../../../src/domain/oauth/AgentClients.ts"
import { type AccessEntry, AccessLog } from "../../../src/http/server/AccessLog.ts"
import { parseTrustedProxies, TrustedProxies } from "../../../src/http/server/ClientAddress.ts"
import { ServiceTest, baseUrl } from "../../support/http/Api.ts"
import { MAX_WAITING } from "../../../src/layers/access/Passwords.ts"
import { makeMerchant, PASSWORD } from "../../support/rpc/Merchants.ts"
import { waitUntil } from "../../support/process/Process.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"

class Logged extends Context.Service<Logged, Array<AccessEntry>>()("Logged") {}

/** The service with these trusted proxies, and the entries of its access log. */
const withTrustedProxies = (proxies: string) =>
  ServiceTest.pipe(
    Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(parseTrustedProxies(proxies)))),
    Layer.provide(
      Layer.effect(
        AccessLog,
        Effect.map(Logged, (logged) => (access: AccessEntry) => void logged.push(access))
      )
    ),
    Layer.provideMerge(Layer.sync(Logged, () => []))
  )

/** Returns the client address that the access log records for a request with these headers. */
const addressFor = Effect.fn(function* (...headers: ReadonlyArray<string>) {
  const logged = yield* Logged
  const requestId = randomUUID()
  const baseLines = ["GET /healthz HTTP/1.1", "host: a", "connection: close", `x-request-id: ${requestId}`]
  yield* exchange(yield* baseUrl, lines(...baseLines, ...headers))
  const [entry] = yield* waitUntil(
    Effect.sync(() => logged.filter((access) => access.requestId === requestId)),
    ({ length }) => length > 0
  )
  return entry?.address
})

const post = (path: string, body: unknown, forwardedFor: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": forwardedFor },
        body: JSON.stringify(body)
      })
      await response.text()
      return { status: response.status, retryAfter: response.headers.get("retry-after") }
    })
  )

const statusOf = (path: string, body: unknown, forwardedFor: string) =>
  Effect.map(post(path, body, forwardedFor), ({ status }) => status)

const account = () => ({ email: `${randomUUID()}@example.com`, name: "Ada", password: PASSWORD })

const isTrusted = (proxies: string, address: string) => Result.getOrThrow(parseTrustedProxies(proxies))(address)

const PEER = "127.0.0.1"

/** Headers that a trusted proxy sends, and the client address that the service derives from them. */
const headerCases: ReadonlyArray<readonly [headers: ReadonlyArray<string>, address: string]> = [
  [[], PEER],
  [["x-forwarded-for: 203.0.113.7"], "203.0.113.7"],
  [["x-forwarded-for: 198.51.100.1, 203.0.113.7"], "203.0.113.7"],
  [["x-forwarded-for: 198.51.100.1", "x-forwarded-for: 203.0.113.7"], "203.0.113.7"],
  [["x-forwarded-for: 198.51.100.1,203.0.113.7 , 10.1.2.3"], "203.0.113.7"],
  [["x-forwarded-for: 10.0.0.9, 10.1.2.3"], "10.0.0.9"],
  [["x-forwarded-for: 203.0.113.7:4711"], "203.0.113.7"],
  [["x-forwarded-for: 2001:DB8:0::7"], "2001:db8::7"],
  [["x-forwarded-for: [2001:db8::7]:4711"], "2001:db8::7"],
  [["x-forwarded-for: 203.0.113.7, 2001:db8:ffff::1"], "203.0.113.7"],
  [["x-forwarded-for: ::ffff:203.0.113.7"], "203.0.113.7"],
  [["forwarded: for=203.0.113.7"], "203.0.113.7"],
  [['forwarded: for=198.51.100.1, For="[2001:db8::7]:4711";proto=https;by=10.0.0.1, for=10.1.2.3'], "2001:db8::7"],
  [["forwarded: for=203.0.113.7", "x-forwarded-for: 203.0.113.7"], "203.0.113.7"],
  // An entry that is not an address ends the search: the client is the proxy that added it.
  [["x-forwarded-for: 203.0.113.7, unknown"], PEER],
  [["x-forwarded-for: 203.0.113.7, unknown, 10.1.2.3"], "10.1.2.3"],
  [["x-forwarded-for: 203.0.113.7, 127.1"], PEER],
  [["x-forwarded-for: 203.0.113.7, fe80::1%eth0"], PEER],
  [["x-forwarded-for: 203.0.113.7,"], PEER],
  [["forwarded: for=203.0.113.7, for=_hidden"], PEER],
  [["forwarded: for=203.0.113.7, proto=https"], PEER],
  [['forwarded: for="203.0.113.7'], PEER],
  // With both headers and different addresses, one may come from the client: both are ignored.
  [["forwarded: for=198.51.100.1", "x-forwarded-for: 203.0.113.7"], PEER],
  [["forwarded: nonsense", "x-forwarded-for: 203.0.113.7"], PEER],
  [["x-real-ip: 203.0.113.7"], PEER]
]

layer(withTrustedProxies("127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48"), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("Requests from trusted proxies", (it) => {
  for (const [headers, address] of headerCases) {
    it.effect(
      `the client address is ${address} for ${headers.join(" and ") || "a request without proxy headers"}`,
      () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* addressFor(...headers), address)
        })
    )
  }

  it.effect("a session stores the client address of its sign-in", () =>
    Effect.gen(function* () {
      const { email, id } = yield* makeMerchant()
      const credentials = { email, password: PASSWORD }
      assert.strictEqual(yield* statusOf("/auth/sign-in", credentials, "198.51.100.1, 203.0.113.9"), 200)
      const sessions = yield* Effect.flatMap(Sessions, ({ list }) => list(id))
      assert.deepStrictEqual(
        sessions.map(({ address }) => address),
        ["203.0.113.9"]
      )
    })
  )

  it.effect("concurrent sign-ins beyond the queue limit get 503 with Retry-After, and the others are processed", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array.from({ length: MAX_WAITING + 62 }, (_, n) => `203.0.113.${n}`),
        (address) =>
          post("/auth/sign-in", { email: `${randomUUID()}@example.com`, password: "not the password" }, address),
        { concurrency: "unbounded" }
      )
      const busy = answers.filter(({ status }) => status === 503)
      const processed = answers.filter(({ status }) => status === 401)
      assert.lengthOf([...busy, ...processed], answers.length)
      assert.isAtLeast(busy.length, 1)
      assert.isAtLeast(processed.length, MAX_WAITING + 1)
      assert.deepStrictEqual(new Set(busy.map(({ retryAfter }) => retryAfter)), new Set(["2"]))
      // The queue is empty again.
      const { email } = yield* makeMerchant()
      assert.strictEqual(yield* statusOf("/auth/sign-in", { email, password: PASSWORD }, "203.0.113.200"), 200)
    })
  )

  it.effect("sign-ups and registrations are limited per client address, whatever X-Forwarded-For it sends", () =>
    Effect.gen(function* () {
      const client = { client_name: "Helper", redirect_uris: ["http://127.0.0.1/callback"] }
      for (const [path, body, limit, successStatus] of [
        ["/auth/sign-up", account, MAX_SIGN_UPS, 200],
        ["/oauth/register", () => client, MAX_REGISTRATIONS, 201]
      ] as const) {
        const statuses = yield* Effect.forEach(
          Array.from({ length: limit + 1 }, (_, n) => `198.51.100.${n}, 203.0.113.10`),
          (forwardedFor) => statusOf(path, body(), forwardedFor),
          { concurrency: 8 }
        )
        assert.deepStrictEqual(
          [
            statuses.filter((status) => status === successStatus).length,
            statuses.filter((status) => status === 429).length
          ],
          [limit, 1]
        )
        assert.strictEqual(yield* statusOf(path, body(), "203.0.113.11"), successStatus)
      }
    })
  )
})

layer(withTrustedProxies("10.0.0.0/8"), { excludeTestServices: true, timeout: "60 seconds" })(
  "Requests from untrusted addresses",
  (it) => {
    it.effect("proxy headers from an untrusted address are ignored", () =>
      Effect.gen(function* () {
        for (const header of [
          "x-forwarded-for: 203.0.113.7",
          "forwarded: for=203.0.113.7",
          "x-forwarded-for: 10.0.0.1"
        ]) {
          assert.strictEqual(yield* addressFor(header), PEER, header)
        }
      })
    )
  }
)

describe("TRUSTED_PROXIES", () => {
  test("TRUSTED_PROXIES accepts IPv4 and IPv6 addresses and networks", () => {
    for (const [proxies, address, expected] of [
      ["", "127.0.0.1", false],
      ["127.0.0.1", "127.0.0.1", true],
      ["127.0.0.1", "127.0.0.2", false],
      ["10.0.0.5/8 , 192.168.0.0/16,", "192.168.255.1", true],
      ["10.0.0.5/8", "10.255.0.1", true],
      ["10.0.0.0/8", "11.0.0.1", false],
      ["10.0.0.0/8", "::ffff:10.0.0.1", true],
      ["::ffff:10.0.0.1", "10.0.0.1", true],
      ["2001:db8::/32", "2001:DB8:1::1", true],
      ["2001:db8::/32", "2001:db9::1", false],
      ["0.0.0.0/0", "::1", false],
      ["::1", "unknown", false]
    ] as const) {
      assert.strictEqual(isTrusted(proxies, address), expected, `${proxies} ${address}`)
    }
  })

  test("TRUSTED_PROXIES rejects any other entry with an error that quotes it", () => {
    for (const entry of [
      "proxy",
      "10.0.0.0/33",
      "::/129",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "127.1",
      "::ffff:10.0.0.0/104",
      "fe80::1%eth0",
      "*",
      "010.0.0.1"
    ]) {
      const parsed = parseTrustedProxies(`127.0.0.1,${entry}`)
      assert.include(String(Result.flip(parsed).pipe(Result.getOrThrow).message), `"${entry}"`)
    }
  })
})
