import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import {
  type Answer,
  ApiTest,
  baseUrl,
  type Client,
  errorOf,
  freshClient,
  install,
  makeClient
} from "../../support/http/Api.ts"
import { neighbour } from "../../support/process/Process.ts"
import { suspend } from "../../support/data/Writes.ts"

/** The same request `n` times at once, handed out to the clients in turn. */
const burst = (clients: ReadonlyArray<Client>, n: number, ask = (client: Client) => client.get("/products?limit=1")) =>
  Effect.all(
    Array.from({ length: n }, (_, index) => Effect.flatMap(Effect.fromNullishOr(clients[index % clients.length]), ask)),
    { concurrency: "unbounded" }
  ).pipe(Effect.orDie)

/** How often each status was answered. */
const statuses = (answers: ReadonlyArray<Answer>) => {
  const counted: Record<number, number> = {}
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

/** Lets `seconds` pass for one installation: the instants of its admitted requests move into the past. */
const pass = (seconds: number, { id }: Installation) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update rate_windows
      set hits = array(select hit - ${seconds * 1_000_000}::bigint from unnest(hits) with ordinality as h (hit, n) order by n)
      where installation_id = ${id}
    `
  )

/** A client of one installation on each of three servers that share the database. */
const onThreeServers = Effect.gen(function* () {
  const fresh = yield* freshClient()
  const others = [yield* neighbour, yield* neighbour].map((base) => makeClient(base, fresh.client.token))
  return { ...fresh, clients: [fresh.client, ...others] }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Rate limit", (it) => {
  it.effect("admits exactly 100 of any number of requests at once, through any number of servers", () =>
    Effect.gen(function* () {
      const { clients } = yield* onThreeServers
      const answers = yield* burst(clients, 270)
      assert.deepStrictEqual(statuses(answers), { 200: 100, 429: 170 })
    })
  )

  it.effect("refuses with 429 and no header that tells limit, remainder or waiting time", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* burst([client], 100)
      const refused = yield* client.get("/products")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.text, '{"error":"Rate limit exceeded"}')
      const names = [...refused.headers.keys()].filter((name) => /rate|retry|limit|remaining|reset/i.test(name))
      assert.deepStrictEqual(names, [])
    })
  )

  it.effect("slides: each request leaves the window 60 seconds after it was admitted", () =>
    Effect.gen(function* () {
      const { clients, installation } = yield* onThreeServers
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 60 })
      yield* pass(40, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 40, 429: 20 })
      yield* pass(10, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 10)), { 429: 10 })
      yield* pass(10, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 80)), { 200: 60, 429: 20 })
      yield* pass(40, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 40, 429: 20 })
    })
  )

  it.effect("does not count refused requests", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* burst([client], 100)
      yield* pass(50, installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 100)), { 429: 100 })
      yield* pass(10, installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 101)), { 200: 100, 429: 1 })
    })
  )

  it.effect("does not count requests that fail authentication", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const tokens = yield* Tokens
      const expired = makeClient(yield* baseUrl, Redacted.value((yield* tokens.issue(installation)).token))
      yield* sql`
        update access_tokens set expires_at = now() where token_hash = sha256(convert_to(${expired.token ?? ""}, 'UTF8'))
      `
      const unknown = makeClient(yield* baseUrl, "unknown")
      const nobody = makeClient(yield* baseUrl)
      assert.deepStrictEqual(statuses(yield* burst([expired, unknown, nobody], 150)), { 401: 150 })
      yield* suspend(installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 50)), { 403: 50 })
      yield* sql`update installations set is_active = true where id = ${installation.id}`
      assert.deepStrictEqual(statuses(yield* burst([client], 101)), { 200: 100, 429: 1 })
    })
  )

  it.effect("counts replays", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const answers = yield* burst([client], 103, ({ post }) => post("/products", { name: "Cup" }, { key: "one" }))
      assert.deepStrictEqual(statuses(answers), { 201: 100, 429: 3 })
      assert.lengthOf(
        answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
        99
      )
    })
  )

  it.effect("counts requests that are refused later: for a scope, a key, a body or an id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ scopes: ["write_products"] })
      assert.deepStrictEqual(statuses(yield* burst([client], 25)), { 403: 25 })
      const keyless = yield* burst([client], 25, ({ post }) => post("/products", { name: "Cup" }, { key: null }))
      assert.deepStrictEqual(statuses(keyless), { 400: 25 })
      const nameless = yield* burst([client], 25, ({ post }) => post("/products", {}))
      assert.deepStrictEqual(statuses(nameless), { 400: 25 })
      const idless = yield* burst([client], 26, (client) => client.delete("/products/1"))
      assert.deepStrictEqual(statuses(idless), { 400: 25, 429: 1 })
    })
  )

  it.effect("is looked at before the scope, the key and the body", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ scopes: ["read_products"] })
      yield* burst([client], 100)
      const refused = yield* client.post("/products", "not JSON", { key: null })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(errorOf(refused).error, "Rate limit exceeded")
    })
  )

  it.effect("is one for all tokens of an installation", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const tokens = yield* Tokens
      const second = makeClient(yield* baseUrl, Redacted.value((yield* tokens.issue(installation)).token))
      assert.deepStrictEqual(statuses(yield* burst([client, second], 150)), { 200: 100, 429: 50 })
    })
  )

  it.effect("of one installation leaves the others alone, on the same store too", () =>
    Effect.gen(function* () {
      const hot = yield* freshClient()
      const neighbours = [yield* install(hot.storeId), yield* freshClient()]
      // No more than may wait for their turn in one store.
      const [refused, ...calm] = yield* Effect.all(
        [burst([hot.client], 150), ...neighbours.map(({ client }) => burst([client], 20))],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(statuses(refused), { 200: 100, 429: 50 })
      assert.deepStrictEqual(calm.map(statuses), [{ 200: 20 }, { 200: 20 }])
    })
  )
})
