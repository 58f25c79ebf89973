import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, makeClient, performed } from "../../../src/rpc/Client.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { databaseUrl, lockStore, startSecondServer, waitForLockWaits } from "../../support/process/Process.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

/** An agent with a client on each of two servers. */
const scene = Effect.fn(function* (budget: number) {
  const member = yield* freshMember()
  const agent = yield* agentOf(member, { budget, window: 1_000 })
  const headers = { authorization: agent.authorization }
  const second = yield* makeClient({ url: `${yield* startSecondServer}/rpc`, headers })
  return { ...agent, clients: [agent.client, second], member, storeId: member.storeId }
})

const create = (client: Client, storeId: StoreId, name: string) =>
  client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct({ name }) })

/** Creates `n` products at once, alternating between the clients, and returns the outcome of each. */
const createAll = (clients: ReadonlyArray<Client>, storeId: StoreId, n: number) =>
  Effect.forEach(
    times(n),
    (index) =>
      Effect.flatMap(Effect.orDie(Effect.fromNullishOr(clients[index % clients.length])), (client) =>
        Effect.match(create(client, storeId, `Cup ${index}`), {
          onSuccess: () => "done",
          onFailure: ({ _tag }): string => _tag
        })
      ),
    { concurrency: "unbounded" }
  )

const countOf = (outcomes: ReadonlyArray<string>, expected: string) =>
  outcomes.filter((outcome) => outcome === expected).length

const writesToday = ({ member, storeId }: Effect.Success<ReturnType<typeof scene>>) =>
  Effect.map(member.client.agents.list({ storeId }), ({ items }) => items[0]?.writesToday)

const productsOf = (storeId: StoreId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select id from products where store_id = ${storeId}`)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Budgets of agents", (it) => {
  it.effect("concurrent writes on two servers stop at the budget, and the error has the time of its renewal", () =>
    Effect.gen(function* () {
      const agent = yield* scene(23)
      const { clients, storeId } = agent
      const outcomes = yield* createAll(clients, storeId, 64)
      assert.strictEqual(countOf(outcomes, "done"), 23)
      assert.strictEqual(countOf(outcomes, "BudgetSpent"), 41)
      assert.lengthOf(yield* productsOf(storeId), 23)
      assert.strictEqual(yield* writesToday(agent), 23)

      const refused = yield* Effect.flip(create(agent.client, storeId, "Cup"))
      if (refused._tag !== "BudgetSpent") return assert.fail(refused._tag)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql`select (now() at time zone 'UTC')::date + 1 = ${refused.renewsAt}::date as is_tomorrow`
      assert.deepStrictEqual(row, { is_tomorrow: true })
      assert.match(refused.renewsAt, /T00:00:00\.000Z$/)
      assert.strictEqual(refused.budget, 23)
    })
  )

  it.effect("repeated, failed and unchanged writes and dry runs do not count, and work with no budget left", () =>
    Effect.gen(function* () {
      const agent = yield* scene(2)
      const { client, storeId } = agent
      const request = { storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup", slug: "cup" }) }
      const created = yield* performed(client.products.create(request))
      const unchanged = { storeId, id: created.id, patch: { name: "Cup" } }

      const uncountedCalls = Effect.gen(function* () {
        yield* client.products.create(request)
        const withTakenSlug = client.products.create({ ...request, idempotencyKey: newKey() })
        assert.strictEqual((yield* Effect.flip(withTakenSlug))._tag, "SlugTaken")
        yield* client.products.update({ ...unchanged, idempotencyKey: newKey() })
        const product = toProduct({ name: "Plate" })
        const dryRun = yield* client.products.create({ storeId, idempotencyKey: newKey(), product, dryRun: true })
        assert.property(dryRun, "dryRun")
        yield* client.products.list({ storeId })
      })
      yield* uncountedCalls
      assert.strictEqual(yield* writesToday(agent), 1)
      yield* create(client, storeId, "Mug")
      assert.strictEqual(yield* writesToday(agent), 2)
      assert.strictEqual((yield* Effect.flip(create(client, storeId, "Jug")))._tag, "BudgetSpent")
      yield* uncountedCalls
    })
  )

  it.effect("a budget renews each day, and a changed budget applies at once", () =>
    Effect.gen(function* () {
      const agent = yield* scene(3)
      const { clients, id, member, storeId } = agent
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(countOf(yield* createAll(clients, storeId, 8), "done"), 3)
      yield* member.client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { budget: 5 } })
      assert.strictEqual(countOf(yield* createAll(clients, storeId, 8), "done"), 2)
      yield* sql`update agents set written_on = written_on - 1 where store_id = ${storeId}`
      assert.strictEqual(yield* writesToday(agent), 0)
      assert.strictEqual(countOf(yield* createAll(clients, storeId, 8), "done"), 5)
      // After the clock is set back, the stored day is in the future and its count still applies.
      yield* sql`update agents set written_on = written_on + 1 where store_id = ${storeId}`
      assert.strictEqual(countOf(yield* createAll(clients, storeId, 8), "done"), 0)
    })
  )

  it.effect("no write of an agent is committed after the response to its revocation", () =>
    Effect.gen(function* () {
      const agent = yield* scene(1_000)
      const { clients, id, member, storeId } = agent
      const writes = yield* Effect.forkChild(createAll(clients, storeId, 64))
      yield* Effect.repeat(productsOf(storeId), { until: (products) => products.length > 3 })
      yield* member.client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      const productsAtRevocation = yield* productsOf(storeId)
      const outcomes = yield* Fiber.join(writes)
      assert.strictEqual(countOf(outcomes, "done"), productsAtRevocation.length)
      assert.strictEqual(countOf(outcomes, "InvalidToken"), 64 - productsAtRevocation.length)
      assert.lengthOf(yield* productsOf(storeId), productsAtRevocation.length)
    })
  )

  it.effect("a waiting write fails if its agent is revoked or restricted to proposals meanwhile", () =>
    Effect.gen(function* () {
      const { client, id, member, storeId } = yield* scene(10)
      const errorDuring = Effect.fn(function* <A, E>(change: Effect.Effect<A, E>) {
        const { release, watcher } = yield* lockStore(yield* databaseUrl, storeId)
        const write = yield* Effect.forkChild(Effect.flip(create(client, storeId, "Cup")))
        yield* waitForLockWaits(watcher, 1)
        yield* change
        yield* release
        return (yield* Fiber.join(write))._tag
      })
      const { agents } = member.client
      assert.strictEqual(
        yield* errorDuring(agents.update({ storeId, idempotencyKey: newKey(), id, patch: { proposalsOnly: true } })),
        "ApprovalNeeded"
      )
      yield* agents.update({ storeId, idempotencyKey: newKey(), id, patch: { proposalsOnly: false } })
      assert.strictEqual(yield* errorDuring(agents.revoke({ storeId, idempotencyKey: newKey(), id })), "InvalidToken")
      assert.lengthOf(yield* productsOf(storeId), 0)
    })
  )
})
