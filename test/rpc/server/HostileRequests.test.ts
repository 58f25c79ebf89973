import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { callLine, errorOf, exitsOf, freshMember, post } from "../../support/rpc/Rpc.ts"

const reasonOf = (text: string): unknown => JSON.parse(text).error

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Invalid RPC requests", (it) => {
  it.effect("/rpc accepts only POST of UTF-8 ndjson, and no foreign origin", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const base = yield* baseUrl
      const line = callLine("store.get", { storeId })
      const statusOf = (headers: Record<string, string>) =>
        Effect.map(post(line, { cookie, ...headers }), ({ status }) => status)

      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const response = yield* post(line, { cookie }, method)
        assert.strictEqual(response.status, 405, method)
        assert.strictEqual(response.headers.get("allow"), "POST")
      }
      for (const type of [
        "text/plain",
        "application/json",
        "application/x-www-form-urlencoded",
        "application/ndjson; charset=latin1"
      ]) {
        assert.strictEqual(yield* statusOf({ "content-type": type }), 415, type)
      }
      assert.strictEqual(yield* statusOf({ "content-encoding": "gzip" }), 415)
      for (const foreign of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" }
      ]) {
        assert.strictEqual(yield* statusOf(foreign), 403, JSON.stringify(foreign))
      }
      for (const type of ["Application/NDJSON;charset=UTF-8", "application/ndjson;"]) {
        assert.strictEqual(yield* statusOf({ origin: base, "content-type": type }), 200, type)
      }
      const unknownPath = yield* Effect.promise(() => fetch(`${base}/rpc/more`, { method: "POST", body: line }))
      assert.strictEqual(unknownPath.status, 404)
    })
  )

  it.effect("a body with an invalid line is rejected as a whole, and none of its calls run", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const createCall = (id: number) =>
        callLine(
          "products.create",
          { storeId, idempotencyKey: randomUUID(), product: { name: "Cup" } },
          { id: String(id) }
        )
      const bodies: Record<string, string | Uint8Array<ArrayBuffer>> = {
        "no content": "",
        "only line breaks": "\n\n",
        "invalid JSON": `${createCall(1)}{"_tag":`,
        "an empty line": `${createCall(1)}\n${createCall(2)}`,
        "a list": `[${createCall(1).trim()}]`,
        "a string": '"Request"',
        "another message": `${createCall(1)}{"_tag":"Interrupt","requestId":"1"}`,
        "an end message": `${createCall(1)}{"_tag":"Eof"}`,
        "a defect": '{"_tag":"Defect","defect":"x"}',
        "an id without digits": callLine("store.get", { storeId }, { id: "__proto__" }),
        "an id that is a number": callLine("store.get", { storeId }, { id: 1 }),
        "an id that is too long": callLine("store.get", { storeId }, { id: "1".repeat(16) }),
        "no tag": '{"_tag":"Request","id":"1","payload":{}}',
        "17 calls": Array.from({ length: 17 }, (_, index) => createCall(index)).join(""),
        "20,000 calls": '{"_tag":"Request","id":"1","tag":"x"}\n'.repeat(20_000),
        "invalid UTF-8": new Uint8Array([0x22, 0xff, 0x22])
      }
      for (const [name, body] of Object.entries(bodies)) {
        const response = yield* post(body, { cookie })
        assert.strictEqual(response.status, 400, name)
        assert.isString(reasonOf(response.text), name)
      }
      const large = yield* post(`${createCall(1)}${" ".repeat(2 * 1024 * 1024)}`, { cookie })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(yield* client.products.list({ storeId }), { items: [], nextCursor: null })
    })
  )

  it.effect("a call of an unknown procedure fails alone", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      for (const tag of ["", "products.fly", "__proto__", "constructor", "products"]) {
        const body = `${callLine(tag, { storeId })}${callLine("store.get", { storeId }, { id: "2" })}`
        const exits = exitsOf((yield* post(body, { cookie })).text)
        assert.deepInclude(exits.get("1"), { _tag: "Failure" })
        assert.strictEqual(exits.get("2")?._tag, "Success")
      }
    })
  )

  it.effect("a payload is checked strictly, and the error lists every issue", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const idempotencyKey = randomUUID()
      const issuesOf = (tag: string, payload: unknown) =>
        Effect.map(post(callLine(tag, payload), { cookie }), ({ text }) => {
          const { _tag, issues, reason } = errorOf(text) ?? {}
          assert.strictEqual(_tag, "BadRequest", text)
          return Array.isArray(issues) ? issues : [reason]
        })

      assert.sameMembers(
        yield* issuesOf("products.create", {
          storeId,
          idempotencyKey,
          product: { nmae: "Cup", price: "3", id: 1 },
          hurry: true
        }),
        [
          "hurry: is not a field that can be set",
          "product.name: is missing",
          "product.nmae: is not a field that can be set",
          "product.id: is not a field that can be set",
          "product.price: must be a number from 0 to 999999999999999"
        ]
      )
      assert.deepStrictEqual(
        yield* issuesOf("products.create", { storeId, idempotencyKey: "with space", product: { name: "Cup" } }),
        ["idempotencyKey: must be 1 to 255 visible ASCII characters"]
      )
      assert.deepStrictEqual(yield* issuesOf("products.create", { storeId, product: { name: "Cup" } }), [
        "idempotencyKey: is missing"
      ])
      assert.deepStrictEqual(yield* issuesOf("products.list", { storeId: "x", limit: 201 }), [
        "storeId: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057",
        "limit: must be an integer from 1 to 200"
      ])
      assert.deepStrictEqual(
        yield* issuesOf("products.delete", { storeId, idempotencyKey, id: storeId, expectedVersion: 0 }),
        ["expectedVersion: must be an integer of at least 1"]
      )
      assert.deepStrictEqual(yield* issuesOf("store.get", { storeId, "\u0000": 1, a: ["\u0000"] }), [
        "a key must not contain the NUL character",
        "a.0: must not contain the NUL character"
      ])
      assert.deepStrictEqual(yield* issuesOf("store.get", [storeId]), ["The payload must be a JSON object"])
      assert.deepStrictEqual(yield* issuesOf("store.get", null), ["The payload must be a JSON object"])
      assert.deepStrictEqual(yield* client.products.list({ storeId }), { items: [], nextCursor: null })
    })
  )
})
