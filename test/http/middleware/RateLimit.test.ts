import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { type Answer, ApiTest, baseUrl, type Client, freshClient, install, makeClient } from "../../support/http/Api.ts"
import { startSecondServer } from "../../support/process/Process.ts"
import { suspend } from "../../support/data/Writes.ts"

/** Sends the same request `n` times concurrently, distributed round-robin over the clients. */
const burst = (clients: ReadonlyArray<Client>, n: number, send = (client: Client) => client.get("/products?limit=1")) =>
  Effect.all(
    Array.from({ length: n }, (_, index) =>
      Effect.flatMap(Effect.fromNullishOr(clients[index % clients.length]), send)
    ),
    { concurrency: "unbounded" }
  ).pipe(Effect.orDie)

/** Number of responses by status. */
const statuses = (responses: ReadonlyArray<Answer>) => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Advances time for one installation by moving its admitted requests into the past. */
const advanceTime = (seconds: number, { id }: Installation) =>
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
  const others = [yield* startSecondServer, yield* startSecondServer].map((base) =>
    makeClient(base, fresh.client.token)
  )
  return { ...fresh, clients: [fresh.client, ...others] }
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Rate limit", (it) => {
  it.effect("admits exactly 100 of any number of concurrent requests, across all servers", () =>
    Effect.gen(function* () {
      const { clients } = yield* onThreeServers
      const responses = yield* burst(clients, 270)
      assert.deepStrictEqual(statuses(responses), { 200: 100, 429: 170 })
    })
  )

  it.effect("each request leaves the rolling window 60 seconds after its admission", () =>
    Effect.gen(function* () {
      const { clients, installation } = yield* onThreeServers
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 60 })
      yield* advanceTime(40, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 40, 429: 20 })
      yield* advanceTime(10, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 10)), { 429: 10 })
      yield* advanceTime(10, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 80)), { 200: 60, 429: 20 })
      yield* advanceTime(40, installation)
      assert.deepStrictEqual(statuses(yield* burst(clients, 60)), { 200: 40, 429: 20 })
    })
  )

  it.effect("rejected requests do not count toward the limit", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* burst([client], 100)
      yield* advanceTime(50, installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 100)), { 429: 100 })
      yield* advanceTime(10, installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 101)), { 200: 100, 429: 1 })
    })
  )

  it.effect("requests that fail authentication do not count toward the limit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const tokens = yield* Tokens
      const expired = makeClient(yield* baseUrl, Redacted.value((yield* tokens.issue(installation)).token))
      yield* sql`
        update access_tokens set expires_at = now() where token_hash = sha256(convert_to(${expired.token ?? ""}, 'UTF8'))
      `
      const unknown = makeClient(yield* baseUrl, "unknown")
      const withoutToken = makeClient(yield* baseUrl)
      assert.deepStrictEqual(statuses(yield* burst([expired, unknown, withoutToken], 150)), { 401: 150 })
      yield* suspend(installation)
      assert.deepStrictEqual(statuses(yield* burst([client], 50)), { 403: 50 })
      yield* sql`update installations set is_active = true where id = ${installation.id}`
      assert.deepStrictEqual(statuses(yield* burst([client], 101)), { 200: 100, 429: 1 })
    })
  )

  it.effect("replays count toward the limit", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const responses = yield* burst([client], 103, ({ post }) => post("/products", { name: "Cup" }, { key: "one" }))
      assert.deepStrictEqual(statuses(responses), { 201: 100, 429: 3 })
      assert.lengthOf(
        responses.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
        99
      )
    })
  )

  it.effect("requests rejected later for a scope, key, body or id count toward the limit", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ scopes: ["write_products"] })
      assert.deepStrictEqual(statuses(yield* burst([client], 25)), { 403: 25 })
      const withoutKey = yield* burst([client], 25, ({ post }) => post("/products", { name: "Cup" }, { key: null }))
      assert.deepStrictEqual(statuses(withoutKey), { 400: 25 })
      const withoutName = yield* burst([client], 25, ({ post }) => post("/products", {}))
      assert.deepStrictEqual(statuses(withoutName), { 400: 25 })
      const withoutId = yield* burst([client], 26, (client) => client.delete("/products/1"))
      assert.deepStrictEqual(statuses(withoutId), { 400: 25, 429: 1 })
    })
  )

  it.effect("all tokens of an installation share one limit", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const tokens = yield* Tokens
      const second = makeClient(yield* baseUrl, Redacted.value((yield* tokens.issue(installation)).token))
      assert.deepStrictEqual(statuses(yield* burst([client, second], 150)), { 200: 100, 429: 50 })
    })
  )

  it.effect("the limit of one installation does not affect others, even on the same store", () =>
    Effect.gen(function* () {
      const limited = yield* freshClient()
      const neighbours = [yield* install(limited.storeId), yield* freshClient()]
      // The requests of one store fit into its queue.
      const [refused, ...unaffected] = yield* Effect.all(
        [burst([limited.client], 150), ...neighbours.map(({ client }) => burst([client], 20))],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(statuses(refused), { 200: 100, 429: 50 })
      assert.deepStrictEqual(unaffected.map(statuses), [{ 200: 20 }, { 200: 20 }])
    })
  )
})
