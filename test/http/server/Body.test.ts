import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"
import { type Answer, ApiTest, baseUrl, type Client, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const MIB = 1024 * 1024

/** Sends a raw body with the given headers. */
const sendRaw = Effect.fn(function* (
  client: Client,
  method: string,
  path: string,
  body: Uint8Array<ArrayBuffer> | string | undefined,
  headers: Record<string, string>
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(`${base}/api/platform/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${client.token}`, "idempotency-key": randomUUID(), ...headers },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
  })
})

const JSON_TYPE = { "content-type": "application/json" }

const assert400 = (answer: Answer, label: string) => {
  assert.strictEqual(answer.status, 400, `${label} ${answer.text.slice(0, 300)}`)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.isNotEmpty(errorOf(answer).error)
}

/** JSON text of a product with `depth` levels of nesting. The product itself is the first level. */
const nested = (depth: number, open: string, close: string) =>
  `{"name":"Deep","metafields":{"a":${open.repeat(depth - 2)}${close.repeat(depth - 2)}}}`

/** A body of exactly `size` bytes. */
const bodyOf = (size: number) => {
  const frame = '{"name":"Large","ignored":""}'
  return frame.replace('""', `"${"x".repeat(size - frame.length)}"`)
}

/** Bodies with the placeholder `@` in each position of a string or key. */
const TEXT_POSITIONS = [
  '{"name":@}',
  '{"name":"Cup","description":@}',
  '{"name":"Cup","tags":["a",@]}',
  '{"name":"Cup","variants":[{"title":@}]}',
  '{"name":"Cup","variants":[{"options":{@:"a"}}]}',
  '{"name":"Cup","metafields":{"a":[{"b":@}]}}',
  '{"name":"Cup","metafields":{"a":[{@:1}]}}',
  '{"name":"Cup","customFields":[{@:null}]}',
  '{"name":"Cup","dimensions":{@:1}}',
  '{"name":"Cup",@:1}',
  '{"name":"Cup","unknown":{"deep":[@]}}'
]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Request bodies", (it) => {
  it.effect("create and update reject a body that is not a JSON object with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = dataOf(yield* client.post("/products", { name: "Cup" }))
      const bodies = [
        "",
        " ",
        "[]",
        '[{"name":"Mug"}]',
        "null",
        "true",
        "12",
        "1e3",
        '"name"',
        "{",
        '{"name":"Mug"',
        '{"name":"Mug",}',
        "{'name':'Mug'}",
        '{name:"Mug"}',
        '{"name":"Mug"}{}',
        '{"name":"Mug"} x',
        '{"name":"Mug","price":01}',
        '{"name":"Mug","price":NaN}',
        '{"name":"Mug","price":.5}',
        '{"name":"Mug","price":+1}',
        '{"name":"Mu\ng"}',
        '{"name":"Mug"/* comment */}',
        "name=Mug"
      ]
      for (const body of bodies) {
        assert400(yield* sendRaw(client, "POST", "/products", body, JSON_TYPE), body)
        assert400(yield* sendRaw(client, "PATCH", `/products/${product["id"]}`, body, JSON_TYPE), body)
      }
      assert.deepStrictEqual((yield* client.get("/products")).json, { products: [product], nextCursor: null })
    })
  )

  it.effect("rejects a missing body with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert400(yield* sendRaw(client, "POST", "/products", undefined, {}), "no type")
      assert400(yield* sendRaw(client, "POST", "/products", undefined, JSON_TYPE), "with type")
    })
  )

  it.effect("rejects a body that is not UTF-8, and a charset other than utf-8, with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const latin = Buffer.from('{"name":"Café"}', "latin1")
      const overlong = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])
      const surrogate = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])
      const utf16 = Buffer.from('{"name":"Cup"}', "utf16le")
      for (const bytes of [latin, overlong, surrogate, utf16, Buffer.from([0xff, 0xfe])]) {
        assert400(yield* sendRaw(client, "POST", "/products", bytes, JSON_TYPE), bytes.toString("hex"))
      }
      const declared = { "content-type": "application/json; charset=iso-8859-1" }
      const refused = yield* sendRaw(client, "POST", "/products", '{"name":"Cup"}', declared)
      assert400(refused, "latin1")
      assert.match(errorOf(refused).error, /without parameters other than charset=utf-8$/)
    })
  )

  it.effect("rejects a content type other than application/json with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/merge-patch+json",
        "application/jsonx",
        "text/json",
        ""
      ]) {
        assert400(yield* sendRaw(client, "POST", "/products", '{"name":"Cup"}', { "content-type": type }), type)
      }
      for (const type of [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;",
        "application/json ; ; charset=utf-8;"
      ]) {
        const created = yield* sendRaw(client, "POST", "/products", '{"name":"Cup"}', { "content-type": type })
        assert.strictEqual(created.status, 201, type)
      }
    })
  )

  it.effect("rejects a compressed body with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const headers = { ...JSON_TYPE, "content-encoding": "gzip" }
      assert400(yield* sendRaw(client, "POST", "/products", gzipSync('{"name":"Cup"}'), headers), "gzip")
    })
  )

  it.effect("rejects a body larger than 1 MiB, counted in bytes, with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const largest = yield* client.post("/products", bodyOf(MIB))
      assert.strictEqual(largest.status, 201, largest.text.slice(0, 300))
      assert400(yield* client.post("/products", bodyOf(MIB + 1)), "one more")
      assert400(yield* client.post("/products", " ".repeat(20 * MIB)), "far more")
      const multibyte = bodyOf(MIB - 10).replace("xxxxxx", "€€€€€€")
      assert400(yield* client.post("/products", multibyte), "more bytes than characters")
      assert.strictEqual((yield* client.get("/products")).status, 200)
    })
  )

  it.effect("rejects an update with 422 if the product would exceed 1 MiB of JSON", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const half = "x".repeat(MIB / 2)
      const created = yield* client.post("/products", {
        name: "Large",
        metafields: { half },
        customFields: [{ a: "" }]
      })
      const { id, ...before } = dataOf(created)
      const availableBytes = MIB - (created.text.length - '{"data":}'.length)
      const growBy = (size: number) =>
        client.patch(`/products/${id}`, { customFields: [{ a: "€" + "x".repeat(size - 3) }] })

      const refused = yield* growBy(availableBytes + 1)
      assert.strictEqual(refused.status, 422)
      assert.isNotEmpty(errorOf(refused).error)
      assert.deepStrictEqual(dataOf(yield* client.patch(`/products/${id}`, {})), { id, ...before })

      const grown = yield* growBy(availableBytes)
      assert.strictEqual(grown.status, 200, grown.text.slice(0, 300))
      assert.strictEqual(Buffer.byteLength(grown.text) - '{"data":}'.length, MIB)
    })
  )

  it.effect("accepts 64 levels of nesting and rejects any greater depth with 400", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"]
      ] as const) {
        const nestedJson = (depth: number) => nested(depth, open, close).replace('"a":}', '"a":1}')
        const deep = yield* client.post("/products", nestedJson(64))
        assert.strictEqual(deep.status, 201, deep.text.slice(0, 300))
        assert.include(deep.text, nestedJson(64).slice('{"name":"Deep",'.length, -1))
        for (const depth of [65, 66, 1000, 100_000])
          assert400(yield* client.post("/products", nestedJson(depth)), `${depth}`)
      }
      assert400(yield* client.post("/products", "[".repeat(MIB)), "open")
      assert400(
        yield* client.post("/products", '{"name":"Cup","unknown":' + "[".repeat(65) + "]".repeat(65) + "}"),
        "unknown"
      )
    })
  )

  it.effect("rejects NUL and unpaired surrogates with 400 in every string and key", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const template of TEXT_POSITIONS) {
        for (const text of ['"a\\u0000b"', '"\\ud83d"', '"\\ude00 b"', '"\\ude00\\ud83d"']) {
          const refused = yield* client.post("/products", template.replace("@", text))
          assert400(refused, `${template} ${text}`)
          assert.strictEqual(errorOf(refused).issues?.length, 1)
        }
      }
      assert.deepStrictEqual((yield* client.get("/products")).json, { products: [], nextCursor: null })
    })
  )

  it.effect("stores surrogate pairs, escapes and all other characters unchanged", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const template of TEXT_POSITIONS.slice(1)) {
        const created = yield* client.post("/products", template.replace("@", '"\\ud83d\\ude00"'))
        assert.strictEqual(created.status, 201, created.text)
      }
      const description = "\u0001\u007f\u0085\u2028\ufeff\ufffe\uffff\\u0000 \\\"'<>&%_\r\n\t😀 é e\u0301"
      const created = yield* client.post("/products", {
        name: "Cup",
        description,
        metafields: { [description]: description }
      })
      assert.deepInclude(dataOf(created), { description, metafields: { [description]: description } })
      assert.deepInclude(dataOf(yield* client.patch(`/products/${dataOf(created)["id"]}`, { price: 1 })), {
        description
      })
    })
  )

  it.effect("accepts a byte order mark before the JSON object", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual((yield* client.post("/products", '\ufeff{"name":"Cup"}')).status, 201)
    })
  )

  it.effect("DELETE ignores the request body", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const body of ["{", "[]", "x", undefined]) {
        const { id } = dataOf(yield* client.post("/products", { name: "Cup" }))
        const deleted = yield* sendRaw(client, "DELETE", `/products/${id}`, body, { "content-type": "text/plain" })
        assert.deepStrictEqual(deleted.json, { data: { id, deleted: true } })
      }
    })
  )

  it.effect("rejects the key __proto__ with 400, at the top level and inside fields", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const body of ['{"name":"Cup","metafields":{"__proto__":{"a":1}}}', '{"name":"Cup","__proto__":1}']) {
        const refused = yield* client.post("/products", body)
        assert.strictEqual(refused.status, 400)
        assert.match(refused.text, /must not be __proto__/)
      }
    })
  )
})
