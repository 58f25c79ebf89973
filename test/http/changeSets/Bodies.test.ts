import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { gzipSync } from "node:zlib"
import { MAX_SELECTED_IDS } from "../../../src/domain/changeSets/ChangeSet.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { baseUrl, type Client, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, resultsOf, settled, setOf } from "../../support/http/ChangeSets.ts"

const NDJSON = "application/x-ndjson"

const CREATE = { op: "product.create", product: { name: "Cup", price: 3 } }

const jsonOf = (operations: ReadonlyArray<unknown>) => JSON.stringify({ mode: "each", operations })

const deletionOf = (where: object) => ({ mode: "each", where, change: { delete: true } })

const linesOf = (...lines: ReadonlyArray<unknown>) => lines.map((line) => `${JSON.stringify(line)}\n`).join("")

/** Sends a body as it is. */
const sendBody = Effect.fnUntraced(function* (
  client: Client,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {}
) {
  const base = yield* baseUrl
  return yield* Effect.promise(async () => {
    const response = await fetch(`${base}/api/platform/v1/change-sets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${client.token}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        ...headers
      },
      body
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
  })
})

/** Number of stored sets, uploads and operations of a store. */
const storedIn = Effect.fn(function* (storeId: StoreId) {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql<{ readonly sets: number; readonly uploads: number; readonly operations: number }>`
    select
      (select count(*)::integer from change_sets where store_id = ${storeId}) as sets,
      (select count(*)::integer from change_set_uploads where store_id = ${storeId}) as uploads,
      (select count(*)::integer from change_set_operations where store_id = ${storeId}) as operations
  `
  return counts ?? assert.fail("There is a row")
})

const NOTHING = { sets: 0, uploads: 0, operations: 0 }

/** Sends the first bytes of a body, and returns how to break the connection. */
const sendPart = Effect.fn(function* (client: Client, part: string, length: number) {
  const url = `${yield* baseUrl}/api/platform/v1/change-sets`
  return yield* Effect.sync(() => {
    const headers = {
      authorization: `Bearer ${client.token}`,
      "content-type": NDJSON,
      "content-length": length,
      "idempotency-key": randomUUID()
    }
    const sent = request(url, { method: "POST", headers })
    sent.on("error", () => {})
    sent.write(part)
    return Effect.sync(() => sent.destroy())
  })
})

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Bodies of change sets", (it) => {
  it.effect("JSON, NDJSON and gzip make the same set, and a key replays across media types", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const json = jsonOf([CREATE, CREATE])
      const ndjson = linesOf({ mode: "each" }, CREATE, CREATE)
      const key = { "idempotency-key": randomUUID() }
      const first = yield* sendBody(client, json, key)
      assert.strictEqual(first.status, 201, first.text)
      const variants = [
        sendBody(client, ndjson, { ...key, "content-type": NDJSON }),
        sendBody(client, `${ndjson.trimEnd()}`, { ...key, "content-type": `${NDJSON}; charset=utf-8` }),
        sendBody(client, gzipSync(json), { ...key, "content-encoding": "gzip" }),
        sendBody(client, gzipSync(ndjson), { ...key, "content-type": NDJSON, "content-encoding": "gzip" })
      ]
      for (const variant of variants) {
        const replayed = yield* variant
        assert.strictEqual(replayed.text, first.text)
        assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
      }
      const other = yield* sendBody(client, jsonOf([CREATE]), key)
      assert.strictEqual(other.status, 409)
      const gzipped = setOf(
        yield* sendBody(client, gzipSync(ndjson), { "content-type": NDJSON, "content-encoding": "gzip" })
      )
      assert.deepInclude(yield* settled(client, gzipped.id), {
        state: "ready",
        counts: { total: 2, changed: 2, unchanged: 0, refused: 0 }
      })
      yield* applied(client, gzipped.id)
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 2)
    })
  )

  it.effect("text in strings cannot end an operation, and members may come in any order", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const name = 'A "cup" ] }, {[ \\ 茶碗 😀'
      const body = `{ "operations" : [ ${JSON.stringify({ op: "product.create", product: { name } })} ,\n{"product":{"name":"B"},"op":"product.create"}], "note":"]", "mode":"each" }`
      const { id } = setOf(yield* sendBody(client, body))
      yield* settled(client, id)
      yield* applied(client, id)
      assert.deepStrictEqual(
        pageOf(yield* client.get("/products")).items.map((product) => product.name),
        [name, "B"]
      )
    })
  )

  it.effect("an empty list of operations is a set that changes nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = setOf(yield* sendBody(client, jsonOf([])))
      assert.deepInclude(yield* settled(client, id), {
        state: "ready",
        counts: { total: 0, changed: 0, unchanged: 0, refused: 0 }
      })
      assert.deepInclude(yield* applied(client, id), { state: "applied" })
      assert.deepStrictEqual(yield* resultsOf(client, id), [])
    })
  )

  it.effect("an invalid body is 400 with the path and advice, and stores nothing", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const valid = JSON.stringify(CREATE)
      const gzip = { "content-encoding": "gzip" }
      const lines = { "content-type": NDJSON }
      const cases: ReadonlyArray<readonly [string | Uint8Array<ArrayBuffer>, RegExp, Record<string, string>?]> = [
        ["", /body: is not valid JSON/],
        ["[]", /must be a JSON object/],
        [`{"mode":"each","operations":[${valid}`, /is not valid JSON/],
        [`{"mode":"each","operations":[${valid},]}`, /operations\.1: is not valid JSON/],
        [`{"mode":"each","operations":[${valid} ${valid}]}`, /operations\.0: is not valid JSON/],
        [jsonOf([CREATE, 1]), /operations\.1: must be an object/],
        [jsonOf([{ op: "product.paint" }]), /operations\.0\.op: must be one of product\.create, /],
        [
          jsonOf([CREATE, { op: "product.update", patch: {} }]),
          /operations\.1: must have exactly one of id, externalId, sku/
        ],
        [jsonOf([{ op: "product.update", id: randomUUID(), patch: { price: -1 } }]), /operations\.0\.patch\.price: /],
        [jsonOf([{ op: "product.delete", id: "7" }]), /operations\.0\.id: must be a UUID/],
        [jsonOf([{ op: "inventory.change", sku: "A", change: {} }]), /operations\.0\.change/],
        [JSON.stringify({ operations: [] }), /mode: /],
        [JSON.stringify({ mode: "some", operations: [] }), /mode: must be each or atomic/],
        [JSON.stringify({ mode: "each" }), /operations: is missing, or `where` and `change`/],
        [JSON.stringify({ mode: "each", operations: {} }), /operations: must be a list/],
        [JSON.stringify({ mode: "each", operations: [], where: { rules: [] } }), /must not be combined/],
        [JSON.stringify({ mode: "each", where: { rules: [] } }), /change: is missing/],
        [JSON.stringify({ mode: "each", change: { delete: true } }), /where: is missing/],
        [JSON.stringify({ mode: "each", where: { rules: [] }, change: {} }), /change: must have exactly one of/],
        [JSON.stringify(deletionOf({})), /where: must have exactly one of rules, ids/],
        [JSON.stringify(deletionOf({ rules: [], ids: [randomUUID()] })), /where: must have exactly one of rules, ids/],
        [JSON.stringify(deletionOf({ ids: [randomUUID()], disjunctive: true })), /where\.disjunctive: must not be/],
        [JSON.stringify(deletionOf({ ids: [] })), /where\.ids: must have at least one id/],
        [JSON.stringify(deletionOf({ ids: ["7"] })), /where\.ids\.0: must be a UUID/],
        [
          JSON.stringify(deletionOf({ ids: Array.from({ length: MAX_SELECTED_IDS + 1 }, () => randomUUID()) })),
          /where\.ids: must be a list of at most 5,000 ids/
        ],
        [
          JSON.stringify({ mode: "each", where: { rules: [] }, change: { price: { add: 1, set: 2 } } }),
          /exactly one of set, add, percent/
        ],
        [
          JSON.stringify({ mode: "each", where: { rules: [{ field: "colour" }] }, change: { delete: true } }),
          /where\.rules\.0/
        ],
        [JSON.stringify({ mode: "each", applyAt: "tomorrow", operations: [] }), /applyAt: must be a time of RFC 3339/],
        [`${linesOf({ mode: "each" }, CREATE)}{`, /operations\.1: is not valid JSON/, lines],
        [linesOf({ mode: "each", operations: [CREATE] }), /operations: must follow the first line/, lines],
        [linesOf(CREATE), /mode: /, lines],
        [`{"mode":"each","operations":[${valid}],"operations":[${valid}]}`, /^operations: must be given only once$/m],
        [`{"mode":"each","operations":[],"\\u006fperations" : [${valid}]}`, /^operations: must be given only once$/m],
        [`{"mode":"each","operations":[${valid}],"mode" :"atomic"}`, /^mode: must be given only once$/m],
        [`{"mode":"each","mode":"atomic"}\n${valid}`, /^mode: must be given only once$/m, lines],
        ["no gzip", /The body is not valid gzip/, gzip],
        [gzipSync(jsonOf([CREATE])).subarray(0, 30), /The body is not valid gzip/, gzip],
        [jsonOf([]), /Content-Encoding of the body must be gzip, or absent/, { "content-encoding": "br" }],
        [jsonOf([]), /must be application\/json or application\/x-ndjson/, { "content-type": "text/plain" }]
      ]
      for (const [body, expected, headers] of cases) {
        const refused = yield* sendBody(client, body, headers)
        const { error, issues = [] } = errorOf(refused)
        assert.strictEqual(refused.status, 400, `${String(body).slice(0, 100)} ${refused.text}`)
        assert.match([error, ...issues].join("\n"), expected)
        if (issues.length > 0) assert.strictEqual(error, "The request is invalid")
      }
      assert.deepStrictEqual(yield* storedIn(storeId), NOTHING)
    })
  )

  it.effect("only `operations` of the object has operations; other lists are unknown fields", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = { op: "product.delete", id: randomUUID() }
      const bodies = [
        { archived: [other], mode: "each", operations: [CREATE], more: [{ operations: [other] }] },
        { mode: "each", operations: [CREATE], more: { operations: [other] } }
      ]
      for (const indent of [0, 2]) {
        for (const body of bodies) {
          // Members of the object are separated by a space and a colon in one of the forms.
          const text = JSON.stringify(body, null, indent).replaceAll('":', indent === 0 ? '":' : '" :')
          const { id } = setOf(yield* sendBody(client, text))
          assert.deepInclude(yield* settled(client, id), {
            counts: { total: 1, changed: 1, unchanged: 0, refused: 0 }
          })
          const strict = yield* sendBody(client, text, { prefer: "handling=strict" })
          assert.strictEqual(strict.status, 400, strict.text)
          assert.match(errorOf(strict).issues?.join("\n") ?? "", /^more: /m)
        }
      }
      const alone = yield* sendBody(client, JSON.stringify({ mode: "each", archived: [other] }))
      assert.match(errorOf(alone).issues?.join("\n") ?? "", /operations: is missing/)
    })
  )

  it.effect("Prefer: handling=strict refuses unknown members of operations", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const body = jsonOf([{ ...CREATE, colour: "red" }])
      const lenient = yield* sendBody(client, body)
      assert.strictEqual(lenient.status, 201, lenient.text)
      const strict = yield* sendBody(client, body, { prefer: "handling=strict" })
      assert.strictEqual(strict.status, 400)
      assert.match(errorOf(strict).issues?.join("\n") ?? "", /operations\.0\.colour/)
    })
  )

  it.effect("more than 100,000 operations, more than 10,000 of an atomic set and more than 64 MiB are refused", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const many = yield* sendBody(client, jsonOf(Array.from({ length: 100_001 }, () => 1)))
      assert.strictEqual(many.status, 400)
      assert.match(errorOf(many).error, /at most 100,000 operations; split it/)
      const operation = { op: "product.delete", id: randomUUID() }
      const atomic = JSON.stringify({ mode: "atomic", operations: Array.from({ length: 10_001 }, () => operation) })
      const tooManyAtomic = yield* sendBody(client, gzipSync(atomic), { "content-encoding": "gzip" })
      assert.strictEqual(tooManyAtomic.status, 400)
      assert.match(errorOf(tooManyAtomic).error, /at most 10,000 operations; split it, or use mode `each`/)
      const large = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1, " "))
      for (const headers of [{}, { "content-type": NDJSON }]) {
        const tooLarge = yield* sendBody(client, large, { ...headers, "content-encoding": "gzip" })
        assert.strictEqual(tooLarge.status, 400)
        assert.match(errorOf(tooLarge).error, /at most 67108864 bytes, also after decompression/)
      }
      const long = jsonOf([{ op: "product.create", product: { name: "x".repeat(1024 * 1024) } }])
      for (const body of [long, JSON.stringify({ mode: "each", note: "x".repeat(1024 * 1024), operations: [] })]) {
        assert.strictEqual((yield* sendBody(client, body)).status, 400)
      }
      assert.deepStrictEqual(yield* storedIn(storeId), NOTHING)
    })
  )

  it.effect("a body that is cut off leaves nothing", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const part = linesOf({ mode: "each" }, ...Array.from({ length: 500 }, () => CREATE))
      const disconnect = yield* sendPart(client, part, part.length + 1_000)
      const poll = { schedule: Schedule.spaced("20 millis") }
      yield* Effect.repeat(storedIn(storeId), { until: ({ uploads }) => uploads > 0, ...poll })
      yield* disconnect
      yield* Effect.repeat(storedIn(storeId), { until: ({ uploads }) => uploads === 0, ...poll })
      assert.deepStrictEqual(yield* storedIn(storeId), NOTHING)
    })
  )
})
