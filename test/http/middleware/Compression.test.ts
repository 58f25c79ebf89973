import { assert, it, layer } from "@effect/vitest"
import { Config, Effect, Latch, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { once } from "node:events"
import { type IncomingHttpHeaders, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { etagForCoding, negotiateCoding, etagWithoutCoding } from "../../../src/http/headers/ContentCoding.ts"
import { listen, serveRoutes } from "../../../src/http/server/HttpListener.ts"
import { toHttpResponse } from "../../../src/http/Reply.ts"
import { RouterMiddleware } from "../../../src/http/routes/Routes.ts"
import { ApiTest, baseUrl, dataOf, freshClient } from "../../support/http/Api.ts"

it("negotiates the coding that the client prefers, and none without Accept-Encoding", () => {
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

it("an ETag carries its coding, and removing the coding restores the ETag of the resource", () => {
  for (const coding of ["br", "gzip"] as const)
    assert.strictEqual(etagWithoutCoding(etagForCoding('"3"', coding)), '"3"')
  assert.strictEqual(etagForCoding('"3"', undefined), '"3"')
  assert.strictEqual(etagWithoutCoding('"3"'), '"3"')
})

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  /** The bytes as received. `text` is their decoded content. */
  readonly bytes: Buffer
  readonly text: string
}

/** Sends a request without transparent decompression. */
const fetchRaw = Effect.fn(function* (path: string, headers: Record<string, string>, method = "GET", body?: string) {
  const url = `${yield* baseUrl}${path}`
  return yield* Effect.promise(async (): Promise<Received> => {
    const outgoing = request(url, { method, headers, agent: false }).end(body)
    const [response] = await once(outgoing, "response")
    const bytes = Buffer.concat(await response.toArray())
    const decode = { br: brotliDecompressSync, gzip: gunzipSync }[String(response.headers["content-encoding"])]
    const text = (decode === undefined || bytes.length === 0 ? bytes : decode(bytes)).toString("utf8")
    return { status: response.statusCode, headers: response.headers, bytes, text }
  })
})

const API = "/api/platform/v1"
const CODINGS = ["br", "gzip"] as const

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Compression", (it) => {
  it.effect("a response of at least 1 KB is compressed on request and sends Vary: accept-encoding", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const authorization = `Bearer ${client.token}`
      const small = yield* fetchRaw(`${API}/products`, { authorization, "accept-encoding": "gzip" })
      assert.deepInclude(small, { status: 200, text: '{"products":[],"nextCursor":null}' })
      assert.notProperty(small.headers, "content-encoding")
      yield* client.post("/products", { name: "Cup", description: "Größe, 大きさ ".repeat(500) })
      const plain = yield* fetchRaw(`${API}/products`, { authorization })
      assert.notProperty(plain.headers, "content-encoding")
      assert.strictEqual(plain.headers.vary, "accept-encoding")
      for (const coding of CODINGS) {
        const compressed = yield* fetchRaw(`${API}/products`, { authorization, "accept-encoding": coding })
        assert.deepInclude(compressed.headers, { "content-encoding": coding, vary: "accept-encoding" })
        assert.strictEqual(compressed.headers["content-length"], String(compressed.bytes.length))
        assert.isBelow(compressed.bytes.length, plain.bytes.length / 10)
        assert.strictEqual(compressed.text, plain.text)
      }
    })
  )

  it.effect("a replay has the same body in any coding, and If-Match accepts the ETag of any coding", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const common = { authorization: `Bearer ${client.token}`, "content-type": "application/json" }
      const create = { ...common, "idempotency-key": "create" }
      const body = JSON.stringify({ name: "Cup", description: "clay ".repeat(500) })
      const first = yield* fetchRaw(`${API}/products`, { ...create, "accept-encoding": "gzip" }, "POST", body)
      assert.deepInclude(first, { status: 201 })
      assert.strictEqual(first.headers.etag, '"1-gzip"')
      for (const [accepted, etag] of [
        ["br", '"1-br"'],
        ["gzip", '"1-gzip"'],
        ["identity", '"1"']
      ] as const) {
        const again = yield* fetchRaw(`${API}/products`, { ...create, "accept-encoding": accepted }, "POST", body)
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

  it.effect.each(["/docs", "/openapi.json"])("%s is compressed, cached by browsers and revalidated by ETag", (path) =>
    Effect.gen(function* () {
      const plain = yield* fetchRaw(path, {})
      assert.strictEqual(plain.status, 200)
      assert.notProperty(plain.headers, "content-encoding")
      const tags = new Set([plain.headers.etag])
      for (const coding of CODINGS) {
        const compressed = yield* fetchRaw(path, { "accept-encoding": coding })
        assert.deepInclude(compressed.headers, {
          "content-encoding": coding,
          "cache-control": "no-cache",
          vary: "accept-encoding",
          "content-type": plain.headers["content-type"]
        })
        assert.isBelow(compressed.bytes.length, plain.bytes.length / 2.5)
        assert.strictEqual(compressed.text, plain.text)
        tags.add(compressed.headers.etag)
        const etag = compressed.headers.etag ?? ""
        for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
          const unchanged = yield* fetchRaw(path, { "accept-encoding": coding, "if-none-match": ifNoneMatch })
          assert.deepInclude(unchanged, { status: 304, text: "" })
          assert.deepInclude(unchanged.headers, { etag, "cache-control": "no-cache", vary: "accept-encoding" })
        }
        const other = yield* fetchRaw(path, { "accept-encoding": coding, "if-none-match": plain.headers.etag ?? "" })
        assert.strictEqual(other.status, 200)
        const head = yield* fetchRaw(path, { "accept-encoding": coding }, "HEAD")
        assert.deepInclude(head, { status: 200, text: "" })
        assert.strictEqual(head.headers.etag, etag)
      }
      assert.strictEqual(tags.size, 3)
    })
  )
})

it.live("concurrent responses beyond 8 MiB in total are sent uncompressed", () =>
  Effect.gen(function* () {
    const body = JSON.stringify({ text: "clay ".repeat(400_000) })
    const allArrived = yield* Latch.make(false)
    let requests = 0
    /** Holds six requests until all have arrived: 12 MB in total, of which four fit into 8 MiB. */
    const route = HttpRouter.add(
      "GET",
      "/",
      Effect.suspend(() =>
        Effect.as(++requests === 6 ? allArrived.open : allArrived.await, toHttpResponse({ status: 200, body }))
      )
    )
    const Service = Layer.effectDiscard(
      Effect.flatMap(HttpRouter.toHttpEffect(Layer.merge(route, RouterMiddleware)), serveRoutes)
    ).pipe(Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })))
    const responses = yield* Effect.provide(
      Effect.all(
        Array.from({ length: 6 }, () => fetchRaw("/", { "accept-encoding": "gzip" })),
        { concurrency: "unbounded" }
      ),
      Service
    )
    for (const { text } of responses) assert.isTrue(text === body)
    const codings = responses.map(({ headers }) => headers["content-encoding"])
    assert.sameMembers(codings, ["gzip", "gzip", "gzip", "gzip", undefined, undefined])
  })
)
