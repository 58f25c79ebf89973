import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { callLine, errorOf, exitsOf, freshMember, post } from "../../support/rpc/Rpc.ts"

const reasonOf = (text: string): unknown => JSON.parse(text).error

layer(ApiTest)("what is no call", (it) => {
  it.effect("only POST is taken, of ndjson in UTF-8, from a page of the service's own", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const base = yield* baseUrl
      const line = callLine("store.get", { storeId })
      const statusOf = (headers: Record<string, string>) =>
        Effect.map(post(line, { cookie, ...headers }), ({ status }) => status)

      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const refused = yield* post(line, { cookie }, method)
        assert.strictEqual(refused.status, 405, method)
        assert.strictEqual(refused.headers.get("allow"), "POST")
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
      assert.strictEqual(yield* statusOf({ origin: base, "content-type": "Application/NDJSON;charset=UTF-8" }), 200)
      const elsewhere = yield* Effect.promise(() => fetch(`${base}/rpc/more`, { method: "POST", body: line }))
      assert.strictEqual(elsewhere.status, 404)
    })
  )

  it.effect("a body that is no list of calls is refused whole, and nothing of it is done", () =>
    Effect.gen(function* () {
      const { client, cookie, storeId } = yield* freshMember()
      const good = (id: number) =>
        callLine(
          "products.create",
          { storeId, idempotencyKey: randomUUID(), product: { name: "Cup" } },
          { id: String(id) }
        )
      const bodies: Record<string, string | Uint8Array<ArrayBuffer>> = {
        nothing: "",
        "white space": "\n\n",
        "no JSON": `${good(1)}{"_tag":`,
        "an empty line": `${good(1)}\n${good(2)}`,
        "a list": `[${good(1).trim()}]`,
        text: '"Request"',
        "another message": `${good(1)}{"_tag":"Interrupt","requestId":"1"}`,
        "the end": `${good(1)}{"_tag":"Eof"}`,
        "a defect": '{"_tag":"Defect","defect":"x"}',
        "an id that is no number": callLine("store.get", { storeId }, { id: "__proto__" }),
        "an id that is a number": callLine("store.get", { storeId }, { id: 1 }),
        "an id without end": callLine("store.get", { storeId }, { id: "1".repeat(16) }),
        "no tag": '{"_tag":"Request","id":"1","payload":{}}',
        "17 calls": Array.from({ length: 17 }, (_, index) => good(index)).join(""),
        "20,000 calls": '{"_tag":"Request","id":"1","tag":"x"}\n'.repeat(20_000),
        "no UTF-8": new Uint8Array([0x22, 0xff, 0x22])
      }
      for (const [name, body] of Object.entries(bodies)) {
        const refused = yield* post(body, { cookie })
        assert.strictEqual(refused.status, 400, name)
        assert.isString(reasonOf(refused.text), name)
      }
      const large = yield* post(`${good(1)}${" ".repeat(2 * 1024 * 1024)}`, { cookie })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(yield* client.products.list({ storeId }), { items: [], nextCursor: null })
    })
  )

  it.effect("a call that asks for what there is not fails by itself", () =>
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

  it.effect("payloads are strict, and every line that is wrong with one is told", () =>
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
      assert.deepStrictEqual(yield* issuesOf("store.get", { storeId, "\u0000": 1, a: ["\u0000"], b: 1e300 }), [
        "a key must not contain the NUL character",
        "a.0: must not contain the NUL character",
        "b: must be a number of at most 999999999999999"
      ])
      assert.deepStrictEqual(yield* issuesOf("store.get", [storeId]), ["The payload must be a JSON object"])
      assert.deepStrictEqual(yield* issuesOf("store.get", null), ["The payload must be a JSON object"])
      assert.deepStrictEqual(yield* client.products.list({ storeId }), { items: [], nextCursor: null })
    })
  )
})
