import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AppData } from "../../../src/domain/records/AppData.ts"
import { NOT_A_DOUBLE, NOT_A_DOUBLE_OR_TEXT } from "../../../src/domain/json/Numbers.ts"
import { HELD, NOT_HELD } from "../../data/numbers.ts"
import {
  type Answer,
  ApiTest,
  type Client,
  dataOf,
  errorOf,
  freshClient,
  install,
  makeClient,
  type Resource
} from "../../support/http/Api.ts"
import { entriesOf, fillAppData, keysOf, passTime, usageOf } from "../../support/data/AppData.ts"
import { connection, databaseUrl, startSecondServer, rowsOf } from "../../support/process/Process.ts"

const PATH = "/app-data/settings"

/** Sends the text unchanged as the body, and returns the stored entry. */
const put = (client: Client, text: string, path = PATH) =>
  Effect.map(client.put(path, text), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return dataOf(answer)
  })

const get = (client: Client, key: string) => client.get(`${PATH}?key=${key}`)

const statusesOf = (answers: ReadonlyArray<Answer>) =>
  [200, 422].map((expected) => answers.filter(({ status }) => status === expected).length)

const name = (max: number) => `must be 1 to ${max} of A-Z, a-z, 0-9 and . _ : -`

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("App data", (it) => {
  it.effect("an entry can be stored, read, listed, replaced and deleted", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const created = yield* put(client, '{"key": "theme", "value": {"name": "dark"}}')
      const { createdAt, updatedAt, ...rest } = created
      assert.deepStrictEqual(rest, { namespace: "settings", key: "theme", value: { name: "dark" }, expiresAt: null })
      assert.match(String(createdAt), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(updatedAt, createdAt)
      assert.deepStrictEqual(dataOf(yield* get(client, "theme")), created)

      const replaced = yield* put(client, '{"key": "theme", "value": null, "ttlSeconds": 60}')
      assert.deepInclude(replaced, { value: null, createdAt })
      assert.strictEqual(Date.parse(String(replaced["expiresAt"])) - Date.parse(String(replaced["updatedAt"])), 60_000)
      const other = yield* put(client, '{"key": "Size", "value": "large"}')
      assert.deepStrictEqual(entriesOf(yield* client.get(PATH)), { entries: [other, replaced], nextCursor: null })
      assert.deepStrictEqual(keysOf(yield* client.get("/app-data/elsewhere")), [])

      const deleted = yield* client.delete(`${PATH}?key=theme`)
      assert.deepStrictEqual(deleted.json, { data: { namespace: "settings", key: "theme", deleted: true } })
      for (const gone of [yield* get(client, "theme"), yield* client.delete(`${PATH}?key=theme`)]) {
        assert.strictEqual(gone.status, 404)
        assert.strictEqual(errorOf(gone).error, "Entry theme in settings was not found or has expired")
      }
      assert.deepStrictEqual(keysOf(yield* client.get(PATH)), ["Size"])
    })
  )

  const values = [
    ...HELD,
    ["1.0", "1"],
    ["1764000000000000", "1764000000000000"],
    ['"\\u00e9 é 😀 \\/"', '"é é 😀 /"'],
    ["[ 1 ,\n\t2 ]", "[1,2]"],
    ['{"value": {"key": "}"}, "b": 1, "b": 2}', '{"value":{"key":"}"},"b":2}'],
    ['""', '""'],
    ["false", "false"],
    ["[]", "[]"]
  ] as const
  it.effect.each(values)("the value %s is returned as %s", ([sent, stored]) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* put(client, `{"value":"first", "ttlSeconds":\n60 , "value" :  ${sent}\n, "key":"a"}`)
      assert.include((yield* get(client, "a")).text, `"value":${stored},"expiresAt"`)
      assert.include((yield* client.get(PATH)).text, `"value":${stored},"expiresAt"`)
    })
  )

  it.effect("entries within the bounds are accepted, and each invalid field is rejected with 400 and an issue", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const largest = "x".repeat(65_534)
      yield* put(client, JSON.stringify({ key: "a".repeat(256), value: largest, ttlSeconds: 31_536_000 }))
      yield* put(client, '{"key": "k", "value": 1}', `/app-data/${"n".repeat(64)}`)
      yield* put(client, '{"key": "A.b_c:d-9", "value": 1}', "/app-data/A.b_c%3Ad-9")
      assert.deepStrictEqual(keysOf(yield* client.get("/app-data/A.b_c:d-9")), ["A.b_c:d-9"])

      const tooLong = "value: must be JSON of at most 65,536 bytes"
      const ttl = "ttlSeconds: must be an integer from 1 to 31536000"
      const refused: ReadonlyArray<readonly [path: string, body: string, issues: ReadonlyArray<string>]> = [
        [PATH, "{}", ["key: is missing", "value: is missing"]],
        [PATH, '{"key": "", "value": 1}', [`key: ${name(256)}`]],
        [PATH, '{"key": "a/b", "value": 1, "ttlSeconds": 0}', [`key: ${name(256)}`, ttl]],
        [PATH, '{"key": "a", "value": 1, "ttlSeconds": 31536001}', [ttl]],
        [PATH, '{"key": "a", "value": 1, "ttlSeconds": 1.5}', [ttl]],
        [PATH, '{"key": "a", "value": 1, "ttlSeconds": 1e400}', [`ttlSeconds: ${NOT_A_DOUBLE}`]],
        ...NOT_HELD.map(
          (number) => [PATH, `{"key": "a", "value": {"n": ${number}}}`, [`value.n: ${NOT_A_DOUBLE_OR_TEXT}`]] as const
        ),
        [
          PATH,
          JSON.stringify({ key: "a", value: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [n, 1])) }),
          ["value: must be an object of at most 1,000 keys"]
        ],
        [PATH, '{"key": "a", "value": 1, "ttlSeconds": null}', [ttl]],
        [PATH, JSON.stringify({ key: "a", value: `${largest}x` }), [tooLong]],
        [PATH, `{"key": "a", "value": "${"é".repeat(32_768)}"}`, [tooLong]],
        [PATH, '{"key": "a", "value": "\\u0000"}', ["value: must not contain the NUL character"]],
        ["/app-data/a%2Fb", '{"key": "a", "value": 1}', [`namespace: ${name(64)}`]],
        ["/app-data/%ZZ", '{"key": "a", "value": 1}', [`namespace: ${name(64)}`]],
        [`/app-data/${"n".repeat(65)}`, '{"key": "a", "value": 1}', [`namespace: ${name(64)}`]]
      ]
      for (const [path, body, issues] of refused) {
        const answer = yield* client.put(path, body)
        assert.strictEqual(answer.status, 400, answer.text.slice(0, 300))
        assert.deepStrictEqual(errorOf(answer).issues, issues)
      }
      const strict = { headers: { prefer: "handling=strict" } }
      const extra = yield* client.put(PATH, { key: "a", value: 1, tll: 1 }, strict)
      assert.deepStrictEqual(errorOf(extra).issues, ["tll: is not a field that can be set"])
      assert.deepStrictEqual(errorOf(yield* client.delete(PATH)).issues, ["key: is missing"])
      for (const [query, issue] of [
        ["key=", `key: ${name(256)}`],
        ["cursor=a%2Fb", `cursor: ${name(256)}`],
        ["limit=0", "limit: must be an integer of at least 1"]
      ] as const)
        assert.deepStrictEqual(errorOf(yield* client.get(`${PATH}?${query}`)).issues, [issue])
    })
  )

  it.effect("each installation of a store has its own entries", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const { client: other } = yield* install(storeId)
      yield* put(client, '{"key": "a", "value": "mine"}')
      assert.strictEqual((yield* get(other, "a")).status, 404)
      assert.strictEqual((yield* other.delete(`${PATH}?key=a`)).status, 404)
      yield* put(other, '{"key": "a", "value": "theirs"}')
      assert.strictEqual(dataOf(yield* get(client, "a"))["value"], "mine")
      assert.lengthOf(entriesOf(yield* other.get(PATH)).entries, 1)
    })
  )

  it.effect("PUT and DELETE require an idempotency key, and a repeated key returns the stored response", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const refused of [
        yield* client.put(PATH, { key: "a", value: 1 }, { key: null }),
        yield* client.delete(`${PATH}?key=a`, { key: null })
      ])
        assert.strictEqual(errorOf(refused).error, "missing_key")
      const send = (text: string) => client.put(PATH, text, { key: "once" })
      const first = yield* send('{"key": "a", "value": {"b": 1.0, "c": 2}}')
      const again = yield* send('{"value":{"c":2,"b":1},"key":"a"}')
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(again.text, first.text)
      assert.strictEqual((yield* send('{"key": "a", "value": {"b": 1.5, "c": 2}}')).status, 409)
      const remove = client.delete(`${PATH}?key=a`, { key: "gone" })
      const deleted = yield* remove
      assert.strictEqual((yield* remove).text, deleted.text)
    })
  )

  it.effect("an expired entry is gone at once, and a write to its key creates a new entry", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const first = yield* put(client, '{"key": "a", "value": 1, "ttlSeconds": 60}')
      yield* put(client, '{"key": "b", "value": 1}')
      yield* passTime(installation, 59)
      assert.deepStrictEqual(keysOf(yield* client.get(PATH)), ["a", "b"])
      yield* passTime(installation, 1)
      assert.strictEqual((yield* get(client, "a")).status, 404)
      assert.strictEqual((yield* client.delete(`${PATH}?key=a`)).status, 404)
      assert.deepStrictEqual(keysOf(yield* client.get(PATH)), ["b"])
      const second = yield* put(client, '{"key": "a", "value": 2}')
      assert.isAtLeast(Date.parse(String(second["createdAt"])), Date.parse(String(first["createdAt"])))
      assert.strictEqual(second["createdAt"], second["updatedAt"])
      assert.deepInclude((yield* usageOf(installation))[0], { entries: 2, isRight: true })
    })
  )

  it.effect("entries are paged by ascending key, any key is a cursor, and a page ends after 1 MiB", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const text = "x".repeat(65_000)
      const keys = times(20).map((n) => `k${n}`)
      yield* Effect.forEach(keys, (key) => put(client, JSON.stringify({ key, value: text })), { concurrency: 4 })
      const seen: Array<unknown> = []
      const sizes: Array<number> = []
      let cursor: string | null = "A"
      while (cursor !== null) {
        const page: ReturnType<typeof entriesOf> = entriesOf(yield* client.get(`${PATH}?limit=200&cursor=${cursor}`))
        seen.push(...page.entries.map(({ key }) => key))
        sizes.push(page.entries.length)
        cursor = page.nextCursor
      }
      assert.deepStrictEqual(seen, keys.toSorted())
      assert.deepStrictEqual(sizes, [17, 3])
      const few = entriesOf(yield* client.get(`${PATH}?limit=3&cursor=k17`))
      assert.deepStrictEqual(
        few.entries.map(({ key }) => key),
        ["k18", "k19", "k2"]
      )
      assert.strictEqual(few.nextCursor, "k2")
      assert.isNull(entriesOf(yield* client.get(`${PATH}?limit=3&cursor=k6`)).nextCursor)
    })
  )

  const quotas = [
    ["entries", 9_990, 9_990, (n: number): Resource => ({ key: `k${n}`, value: 1 })],
    ["bytes of values", 159, 159 * 65_536, (n: number): Resource => ({ key: `k${n}`, value: "x".repeat(6551) })]
  ] as const
  for (const [quota, entries, bytes, body] of quotas) {
    it.effect(`concurrent writes on two servers fill the quota of ${quota} exactly`, () =>
      Effect.gen(function* () {
        const { client, installation } = yield* freshClient()
        yield* fillAppData(installation, entries, bytes)
        const other = makeClient(yield* startSecondServer, client.token)
        const servers = [client, other]
        const answers = yield* Effect.forEach(times(40), (n) => (servers[n % 2] ?? client).put(PATH, body(n)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(statusesOf(answers), [10, 30])
        assert.lengthOf(keysOf(yield* client.get(PATH)), 10)
        const refused = answers.find(({ status }) => status === 422) ?? assert.fail("none")
        assert.match(errorOf(refused).error, /at most 10,000 entries and 10 MiB of values/)
        assert.deepInclude((yield* usageOf(installation))[0], { isRight: true })

        const [existing] = keysOf(yield* client.get(PATH))
        assert.strictEqual((yield* client.put(PATH, { ...body(0), key: existing })).status, 200)
        assert.strictEqual((yield* client.put(PATH, { ...body(0), key: "new" })).status, 422)
        yield* client.delete(`${PATH}?key=${String(existing)}`)
        assert.strictEqual((yield* client.put(PATH, { ...body(0), key: "new" })).status, 200)
        assert.deepInclude((yield* usageOf(installation))[0], { isRight: true })
      })
    )
  }

  it.effect("expired entries do not count towards the quota, before or after the purge", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const { purge } = yield* AppData
      yield* fillAppData(installation, 9_990, 9_990)
      const race = (first: number) =>
        Effect.map(
          Effect.forEach(times(20), (n) => client.put(PATH, { key: `k${first + n}`, value: 1, ttlSeconds: 60 }), {
            concurrency: "unbounded"
          }),
          statusesOf
        )
      assert.deepStrictEqual(yield* race(0), [10, 10])
      yield* passTime(installation, 60)
      assert.deepStrictEqual(yield* race(20), [10, 10])
      assert.deepInclude((yield* usageOf(installation))[0], { entries: 10_010, isRight: true })
      assert.isAtLeast(yield* purge, 10)
      assert.deepInclude((yield* usageOf(installation))[0], { entries: 10_000, isRight: true })
      yield* passTime(installation, 60)
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      assert.deepInclude((yield* usageOf(installation))[0], { entries: 9_990, isRight: true })
      assert.deepStrictEqual(yield* race(40), [10, 10])
    })
  )

  it.effect("a write does not wait for another installation, and stores no event or journal entry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation, storeId } = yield* freshClient()
      const { client: other } = yield* install(storeId)
      for (const one of [client, other]) yield* put(one, '{"key": "a", "value": 1}')
      const holder = yield* connection(yield* databaseUrl)
      yield* rowsOf(holder, "begin")
      yield* rowsOf(holder, `select from app_data_usage where installation_id = '${installation.id}' for update`)
      yield* put(other, '{"key": "b", "value": 1}')
      assert.strictEqual((yield* other.delete(`${PATH}?key=b`)).status, 200)
      assert.strictEqual((yield* get(client, "a")).status, 200)
      yield* rowsOf(holder, "commit")
      yield* put(client, '{"key": "b", "value": 1}')
      assert.lengthOf(yield* sql`select from events where store_id = ${storeId}`, 0)
      assert.lengthOf(yield* sql`select from journal where store_id = ${storeId} and version is not null`, 0)
    })
  )
})
