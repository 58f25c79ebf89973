import { assert, it, layer } from "@effect/vitest"
import { Config, Effect, Latch, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { once } from "node:events"
import { type IncomingHttpHeaders, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { etagForCoding, negotiateCoding, etagWithoutCoding } from "../../../src/http/ContentCoding.ts"
import { listen, serveRoutes } from "../../../src/http/server/HttpListener.ts"
import { toHttpResponse } from "../../../src/http/Reply.ts"
import { RouterMiddleware } from "../../../src/http/Routes.ts"
import { ApiTest, baseUrl, dataOf, freshClient } from "../../support/http/Api.ts"

it("the coding is the one that a client likes best, and none for who does not ask", () => {
  const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate, zstd", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br ; q=0.001", "br"],
    ["gzip;q=0", undefined],
    ["br;q=0, gzip;q=0.000", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["gzip, *;q=0", "gzip"],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["gzip;q=2", undefined],
    ["gzip;level=9, br", "br"]
  ]
  for (const [accepted, coding] of cases) assert.strictEqual(negotiateCoding(accepted), coding, accepted)
})

it("a tag names the coding, and is the resource's without it", () => {
  for (const coding of ["br", "gzip"] as const)
    assert.strictEqual(etagWithoutCoding(etagForCoding('"3"', coding)), '"3"')
  assert.strictEqual(etagForCoding('"3"', undefined), '"3"')
  assert.strictEqual(etagWithoutCoding('"3"'), '"3"')
})

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The bytes as they came, and what they say. */
  readonly bytes: Buffer
  readonly text: string
}

/** Asks without a client that hides what is compressed. */
const ask = Effect.fn(function* (path: string, headers: Record<string, string>, method = "GET", body?: string) {
  const url = `${yield* baseUrl}${path}`
  return yield* Effect.promise(async (): Promise<Received> => {
    const asking = request(url, { method, headers, agent: false }).end(body)
    const [response] = await once(asking, "response")
    const bytes = Buffer.concat(await response.toArray())
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[String(response.headers["content-encoding"])]
    const text = (decode === undefined || bytes.length === 0 ? bytes : decode(bytes)).toString("utf8")
    return { status: response.statusCode, headers: response.headers, bytes, text }
  })
})

const API = "/api/platform/v1"
const CODINGS = ["br", "gzip"] as const

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Compression", (it) => {
  it.effect("an answer of 1 KB and more is compressed for who asks, and says that it varies", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const authorization = `Bearer ${client.token}`
      const small = yield* ask(`${API}/products`, { authorization, "accept-encoding": "gzip" })
      assert.deepInclude(small, { status: 200, text: '{"products":[],"nextCursor":null}' })
      assert.notProperty(small.headers, "content-encoding")
      yield* client.post("/products", { name: "Cup", description: "Größe, 大きさ ".repeat(500) })
      const plain = yield* ask(`${API}/products`, { authorization })
      assert.notProperty(plain.headers, "content-encoding")
      assert.strictEqual(plain.headers.vary, "accept-encoding")
      for (const coding of CODINGS) {
        const packed = yield* ask(`${API}/products`, { authorization, "accept-encoding": coding })
        assert.deepInclude(packed.headers, { "content-encoding": coding, vary: "accept-encoding" })
        assert.strictEqual(packed.headers["content-length"], String(packed.bytes.length))
        assert.isBelow(packed.bytes.length, plain.bytes.length / 10)
        assert.strictEqual(packed.text, plain.text)
      }
    })
  )

  it.effect("a write is replayed byte for byte in any coding, with a tag of its own that If-Match takes", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const common = { authorization: `Bearer ${client.token}`, "content-type": "application/json" }
      const create = { ...common, "idempotency-key": "create" }
      const body = JSON.stringify({ name: "Cup", description: "clay ".repeat(500) })
      const first = yield* ask(`${API}/products`, { ...create, "accept-encoding": "gzip" }, "POST", body)
      assert.deepInclude(first, { status: 201 })
      assert.strictEqual(first.headers.etag, '"1-gzip"')
      for (const [accepted, etag] of [
        ["br", '"1-br"'],
        ["gzip", '"1-gzip"'],
        ["identity", '"1"']
      ] as const) {
        const again = yield* ask(`${API}/products`, { ...create, "accept-encoding": accepted }, "POST", body)
        assert.deepInclude(again.headers, { etag, "idempotent-replayed": "true" })
        assert.strictEqual(again.text, first.text)
      }
      const { id } = dataOf({ status: 201, headers: new Headers(), text: first.text, json: JSON.parse(first.text) })
      const patch = (tag: string, price: number) =>
        client.patch(`/products/${id}`, { price }, { headers: { "if-match": tag, "accept-encoding": "br" } })
      assert.strictEqual((yield* patch('"2-gzip"', 1)).status, 412)
      assert.strictEqual((yield* patch('W/"1-gzip"', 1)).status, 412)
      const changed = yield* patch('"1-gzip"', 1)
      assert.strictEqual(changed.status, 200)
      assert.strictEqual(changed.headers.get("etag"), '"2-br"')
      assert.strictEqual((yield* patch('"1-gzip"', 2)).status, 412)
      assert.strictEqual((yield* patch('"7", "2-br"', 2)).status, 200)
    })
  )

  it.effect.each(["/docs", "/openapi.json"])(
    "%s is compressed, kept by browsers, and sent again only when it changed",
    (path) =>
      Effect.gen(function* () {
        const plain = yield* ask(path, {})
        assert.strictEqual(plain.status, 200)
        assert.notProperty(plain.headers, "content-encoding")
        const tags = new Set([plain.headers.etag])
        for (const coding of CODINGS) {
          const packed = yield* ask(path, { "accept-encoding": coding })
          assert.deepInclude(packed.headers, {
            "content-encoding": coding,
            "cache-control": "no-cache",
            vary: "accept-encoding",
            "content-type": plain.headers["content-type"]
          })
          assert.isBelow(packed.bytes.length, plain.bytes.length / 2.5)
          assert.strictEqual(packed.text, plain.text)
          tags.add(packed.headers.etag)
          const known = packed.headers.etag ?? ""
          for (const named of [known, `W/${known}`, `"x", ${known}`, "*"]) {
            const unchanged = yield* ask(path, { "accept-encoding": coding, "if-none-match": named })
            assert.deepInclude(unchanged, { status: 304, text: "" })
            assert.deepInclude(unchanged.headers, { etag: known, "cache-control": "no-cache", vary: "accept-encoding" })
          }
          const other = yield* ask(path, { "accept-encoding": coding, "if-none-match": plain.headers.etag ?? "" })
          assert.strictEqual(other.status, 200)
          const head = yield* ask(path, { "accept-encoding": coding }, "HEAD")
          assert.deepInclude(head, { status: 200, text: "" })
          assert.strictEqual(head.headers.etag, known)
        }
        assert.strictEqual(tags.size, 3)
      })
  )
})

it.live("of many large answers at once those beyond what is compressed at once go out as they are", () =>
  Effect.gen(function* () {
    const body = JSON.stringify({ text: "clay ".repeat(400_000) })
    const arrived = yield* Latch.make(false)
    let requests = 0
    /** Holds six requests, and answers them all at once: 12 MB, of which 8 MiB hold four. */
    const route = HttpRouter.add(
      "GET",
      "/",
      Effect.suspend(() =>
        Effect.as(++requests === 6 ? arrived.open : arrived.await, toHttpResponse({ status: 200, body }))
      )
    )
    const Service = Layer.effectDiscard(
      Effect.flatMap(HttpRouter.toHttpEffect(Layer.merge(route, RouterMiddleware)), serveRoutes)
    ).pipe(Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })))
    const answers = yield* Effect.provide(
      Effect.all(
        Array.from({ length: 6 }, () => ask("/", { "accept-encoding": "gzip" })),
        { concurrency: "unbounded" }
      ),
      Service
    )
    for (const { text } of answers) assert.isTrue(text === body)
    const codings = answers.map(({ headers }) => headers["content-encoding"])
    assert.sameMembers(codings, ["gzip", "gzip", "gzip", "gzip", undefined, undefined])
  })
)
