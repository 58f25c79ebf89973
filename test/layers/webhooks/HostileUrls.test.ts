import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Answer } from "dns-packet"
import { isIP, type LookupFunction } from "node:net"
import { isPublic } from "../../../src/domain/webhooks/Address.ts"
import { checkUrl } from "../../../src/domain/webhooks/Destination.ts"
import { lookupBy } from "../../../src/layers/webhooks/Lookup.ts"
import { makeOutgoing, type OutgoingOptions } from "../../../src/layers/webhooks/Outgoing.ts"
import { HOSTILE_ADDRESSES } from "../../data/hostileAddresses.ts"
import { HOSTILE_URLS, PUBLIC_4, PUBLIC_6, RESOLVES } from "../../data/hostileUrls.ts"
import { watchConnects } from "../../support/webhooks/Connects.ts"
import { nameServer, type Zone } from "../../support/webhooks/Dns.ts"
import { ok, receiver } from "../../support/webhooks/RawReceiver.ts"

const NONE: ReadonlySet<string> = new Set()

/** A hostile DNS: resolves names to addresses of RESOLVES, and all others to loopback. */
const lookup: LookupFunction = (hostname, { all }, callback) => {
  const addresses = (RESOLVES[hostname] ?? ["127.0.0.1", "::1"]).map((address) => ({ address, family: isIP(address) }))
  const [first] = addresses
  if (all === true || first === undefined) callback(null, addresses)
  else callback(null, first.address, first.family)
}

/** Listeners on loopback that count connections, and a sender that must reach none of them. */
const guardedSender = (options: Omit<OutgoingOptions, "allowed">) =>
  Effect.gen(function* () {
    const connects = yield* watchConnects
    const seen = yield* Effect.all([receiver(ok), receiver(ok), receiver(ok, { host: "::1" })])
    const { post } = yield* makeOutgoing({ allowed: NONE, timeoutMillis: 500, ...options })
    const ports = seen.map(({ port }) => port)
    return {
      offered: connects.offered,
      attempted: () => connects.attempted.filter(({ port }) => ports.includes(port)),
      ports,
      post: (url: string) => post({ url, headers: { "content-type": "application/json" }, body: "{}" }),
      accepted: () => seen.flatMap(({ sockets }) => sockets).length
    }
  })

describe("Hostile webhook URLs", () => {
  it("the list of hostile URLs has more than 300 entries and no duplicates", () => {
    const urls = Object.values(HOSTILE_URLS).flat()
    assert.isAbove(urls.length, 300)
    assert.strictEqual(new Set(urls).size, urls.length)
  })

  for (const [trick, urls] of Object.entries(HOSTILE_URLS)) {
    it.live(`rejects URLs of the group "${trick}" without a connection`, () =>
      Effect.gen(function* () {
        const { accepted, attempted, offered, ports, post } = yield* guardedSender({ lookup })
        for (const port of ports) {
          for (const url of urls.map((url) => url.replaceAll("{port}", String(port)))) {
            const { error, status } = yield* post(url)
            assert.isNull(status, url)
            assert.match(error ?? "", /^The (?:webhook URL|host) /, url)
          }
        }
        assert.deepStrictEqual(
          { accepted: accepted(), attempted: attempted(), offered },
          { accepted: 0, attempted: [], offered: [] }
        )
      })
    )
  }

  it("rejects hostile addresses before any DNS lookup", () => {
    for (const url of Object.values(HOSTILE_ADDRESSES).flat()) {
      assert.isTrue(Result.isFailure(checkUrl(url.replaceAll("{port}", "8080"), NONE)), url)
    }
  })
})

describe("Connection watcher of the tests", () => {
  it.live("records connections to allowed hosts", () =>
    Effect.gen(function* () {
      const connects = yield* watchConnects
      const { port, sockets } = yield* receiver(ok)
      const { post } = yield* makeOutgoing({ allowed: new Set(["127.0.0.1", "localhost"]) })
      for (const host of ["127.0.0.1", "localhost"]) {
        yield* post({ url: `http://${host}:${port}/`, headers: {}, body: "{}" })
      }
      assert.strictEqual(sockets.length, 2)
      assert.deepInclude(connects.attempted, { address: "127.0.0.1", port })
    })
  )
})

const a = (name: string, data: string, ttl = 60): Answer => ({ type: "A", name, data, ttl })
const aaaa = (name: string, data: string, ttl = 60): Answer => ({ type: "AAAA", name, data, ttl })
const cname = (name: string, data: string): Answer => ({ type: "CNAME", name, data, ttl: 60 })

/** Records that a name server returns for A and AAAA queries, given the number of earlier queries. */
interface Trick {
  readonly A?: (name: string, earlier: number) => ReadonlyArray<Answer>
  readonly AAAA?: (name: string, earlier: number) => ReadonlyArray<Answer>
}

const TRICKS: Readonly<Record<string, Trick>> = {
  "one private address": { A: (name) => [a(name, "127.0.0.1")] },
  "one private IPv6 address": { AAAA: (name) => [aaaa(name, "::1")] },
  "a public address before a private one": { A: (name) => [a(name, PUBLIC_4), a(name, "127.0.0.1")] },
  "a public address after a private one": { A: (name) => [a(name, "127.0.0.1"), a(name, PUBLIC_4)] },
  "a private address among many": {
    A: (name) => [...Array.from({ length: 8 }, (_, n) => a(name, `93.184.215.${n}`)), a(name, "127.0.0.1")]
  },
  "a public A and a private AAAA": { A: (name) => [a(name, PUBLIC_4)], AAAA: (name) => [aaaa(name, "::1")] },
  "a private A and a public AAAA": { A: (name) => [a(name, "127.0.0.1")], AAAA: (name) => [aaaa(name, PUBLIC_6)] },
  "a public A and a mapped AAAA": {
    A: (name) => [a(name, PUBLIC_4)],
    AAAA: (name) => [aaaa(name, "::ffff:127.0.0.1")]
  },
  "a CNAME to a private host": { A: (name) => [cname(name, "inner.example.net"), a("inner.example.net", "127.0.0.1")] },
  "a chain of CNAMEs to localhost": {
    A: (name) => [cname(name, "b.example.net"), cname("b.example.net", "localhost"), a("localhost", "127.0.0.1")]
  },
  "the addresses of cloud metadata": {
    A: (name) => [a(name, "169.254.169.254")],
    AAAA: (name) => [aaaa(name, "fd00:ec2::254")]
  },
  "no address at all": {}
}

const zoneOf =
  ({ A, AAAA }: Trick): Zone =>
  (name, type, earlier) =>
    (type === "A" ? A : AAAA)?.(name, earlier) ?? []

describe("Hostile name servers", () => {
  for (const [name, trick] of Object.entries(TRICKS)) {
    it.live(`refuses to connect to a host with ${name}`, () =>
      Effect.gen(function* () {
        const { resolver } = yield* nameServer(zoneOf(trick))
        const { accepted, attempted, offered, ports, post } = yield* guardedSender({ lookup: lookupBy(resolver) })
        for (const port of ports) {
          const { error, status } = yield* post(`https://hooks.example.net:${port}/`)
          assert.isNull(status)
          assert.match(error ?? "", /^The host hooks\.example\.net (?:leads to an address that is not|has no address)/)
        }
        assert.deepStrictEqual(
          { accepted: accepted(), attempted: attempted(), offered },
          { accepted: 0, attempted: [], offered: [] }
        )
      })
    )
  }

  it.live("connects only to the checked address if a name server changes its response (DNS rebinding)", () =>
    Effect.gen(function* () {
      // Public for the first query, private from the second on, with a TTL of 0.
      const { queries, resolver } = yield* nameServer((name, type, earlier) =>
        type === "A" ? [a(name, earlier === 0 ? PUBLIC_4 : "127.0.0.1", 0)] : []
      )
      const { accepted, attempted, offered, ports, post } = yield* guardedSender({ lookup: lookupBy(resolver) })
      for (const port of ports) yield* post(`https://rebind.example.net:${port}/`)

      // The first request used the checked address without another query.
      assert.deepStrictEqual(offered, [PUBLIC_4])
      assert.strictEqual(queries.length, 2 * ports.length)
      assert.deepStrictEqual({ accepted: accepted(), attempted: attempted() }, { accepted: 0, attempted: [] })
    })
  )

  it.live(
    "connects only to public addresses if a name server alternates between responses to concurrent requests",
    () =>
      Effect.gen(function* () {
        const { resolver } = yield* nameServer((name, type, earlier) => {
          if (type === "A") return [a(name, earlier % 2 === 0 ? PUBLIC_4 : "127.0.0.1", 0)]
          return [aaaa(name, earlier % 3 === 0 ? "::1" : PUBLIC_6, 0)]
        })
        const { accepted, attempted, offered, ports, post } = yield* guardedSender({
          lookup: lookupBy(resolver),
          timeoutMillis: 10_000
        })
        const urls = Array.from({ length: 40 }, () => ports.map((port) => `https://rebind.example.net:${port}/`)).flat()
        yield* Effect.forEach(urls, post, { concurrency: "unbounded" })
        assert.isNotEmpty(offered)
        assert.isTrue(offered.every(isPublic))
        assert.deepStrictEqual({ accepted: accepted(), attempted: attempted() }, { accepted: 0, attempted: [] })
      })
  )
})
