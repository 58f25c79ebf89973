import { assert, layer } from "@effect/vitest"
import { Context, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { Grants } from "../../../src/domain/access/AccessRule.ts"
import { WINDOW } from "../../../src/domain/access/Agents.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { AccessPolicy } from "../../../src/rpc/Annotations.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { PAYLOADS, REQUESTS } from "../../support/access/Calls.ts"
import { assertHidden, makeMarkedStore, PRODUCT, STOCK } from "../../support/access/MarkedStore.ts"
import { dataOf, errorOf, install } from "../../support/http/Api.ts"
import { JobsTest, previewed, resultsOf, setOf } from "../../support/http/ChangeSets.ts"
import { type Documented, operations } from "../../support/http/OpenApi.ts"
import { agentOf, callLine, memberOf, post } from "../../support/rpc/Rpc.ts"

/** Each scope alone, without and with the capability of personal data, and all scopes but those of products. */
const GRANTS: ReadonlyArray<Grants> = [
  ...Scope.literals.map((scope): Grants => ({ scopes: [scope], capabilities: [] })),
  ...(["read_orders", "read_customers"] as const).map((scope): Grants => ({
    scopes: [scope],
    capabilities: ["customer_pii"]
  })),
  { scopes: Scope.literals.filter((scope) => !/products/.test(scope)), capabilities: [] }
]

const keyed = () => ({ idempotencyKey: randomUUID() })

const isCreation = ({ operationId }: Documented) => operationId === "createChangeSet"

/** The change sets of an author, after their previews. */
const settledSets = Effect.fn(function* (authorId: string) {
  const sql = yield* SqlClient.SqlClient
  const running = sql`select from change_sets where actor_id = ${authorId} and state in ('previewing', 'applying')`
  yield* Effect.repeat(running, { until: ({ length }) => length === 0, schedule: Schedule.spaced("20 millis") })
  const sets = yield* sql<{ readonly id: string }>`select id from change_sets where actor_id = ${authorId} order by id`
  return sets.map(({ id }) => id)
})

/** Calls of one caller run together. */
const TOGETHER = { concurrency: 8, discard: true } as const

/** Ends the unfinished change sets of a store, which are limited. */
const cancelAll = Effect.fn(function* (storeId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update change_sets set state = 'canceled', finished_at = now() where store_id = ${storeId} and state = 'ready'`
})

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("What callers see", (it) => {
  it.effect("no response of any REST operation has a field that the grants do not show", () =>
    Effect.gen(function* () {
      const { ids, marked, storeId } = yield* makeMarkedStore
      assert.sameMembers(
        Object.keys(REQUESTS),
        operations.map(({ operationId }) => operationId),
        "Each operation needs its requests in REQUESTS"
      )
      for (const grants of GRANTS) {
        const { client, installation } = yield* install(storeId, grants)
        const callAll = (called: ReadonlyArray<Documented>, set: string) =>
          Effect.forEach(
            called.flatMap((one) =>
              (REQUESTS[one.operationId]?.(ids, set) ?? []).map((request) => ({ ...one, request }))
            ),
            ({ method, operationId, path, request }) =>
              Effect.map(client.send(method, request.path ?? path, request), ({ status, text }) => {
                const isValid = operationId === "createFile" || ![400, 410, 429, 500].includes(status)
                assert.isTrue(isValid, `${operationId} ${text}`)
                assertHidden(marked, grants, operationId, text)
              }),
            TOGETHER
          )
        yield* callAll(operations.filter(isCreation), "")
        const sets = yield* settledSets(installation.id)
        const reads = operations.filter(({ operationId }) =>
          /^(?:getChangeSet|listChangeSetResults)$/.test(operationId)
        )
        yield* Effect.forEach(sets, (set) => callAll(reads, set), TOGETHER)
        yield* callAll(
          operations.filter((operation) => !isCreation(operation)),
          sets[0] ?? randomUUID()
        )
        yield* settledSets(installation.id)
        yield* cancelAll(storeId)
      }
    })
  )

  it.effect("no response of any procedure has a field that the scopes of an agent do not show", () =>
    Effect.gen(function* () {
      const { ids, marked, storeId } = yield* makeMarkedStore
      const open = [...Rpcs.requests.values()].filter(
        ({ annotations }) => Context.get(annotations, AccessPolicy).agents !== "none"
      )
      const tags = open.map(({ _tag }) => _tag).filter((tag) => tag in PAYLOADS || !tag.endsWith(".follow"))
      assert.sameMembers(Object.keys(PAYLOADS), tags, "Each procedure needs its payloads in PAYLOADS")
      const member = { storeId, ...(yield* memberOf(storeId)) }
      for (const grants of GRANTS.filter(({ capabilities }) => capabilities.length === 0)) {
        const agent = yield* agentOf(member, { scopes: grants.scopes, window: WINDOW.most })
        const callAll = (called: ReadonlyArray<string>, set: string) =>
          Effect.forEach(
            called.flatMap((tag) => (PAYLOADS[tag]?.(ids, set) ?? []).map((payload) => ({ tag, payload }))),
            ({ payload, tag }) => {
              const isWrite = /create|update|delete|change$|apply|cancel|undo|fetch|withdraw/.test(tag)
              const line = callLine(tag, { storeId, ...(isWrite ? keyed() : {}), ...payload })
              return Effect.map(post(line, { authorization: agent.authorization }), ({ text }) => {
                assert.notMatch(text, /InternalError|RateLimitExceeded/, tag)
                assertHidden(marked, grants, tag, text)
              })
            },
            TOGETHER
          )
        yield* callAll(["changeSets.create"], "")
        const sets = yield* settledSets(agent.id)
        yield* Effect.forEach(sets, (set) => callAll(["changeSets.get", "changeSets.results"], set), TOGETHER)
        yield* callAll(
          tags.filter((tag) => tag !== "changeSets.create"),
          sets[0] ?? randomUUID()
        )
        yield* settledSets(agent.id)
        yield* cancelAll(storeId)
      }
    })
  )

  it.effect(
    "an app with write_inventory selects no products by rules, and its stock changes return the stock only",
    () =>
      Effect.gen(function* () {
        const { ids, storeId } = yield* makeMarkedStore
        const { client, installation } = yield* install(storeId, { scopes: ["write_inventory"] })
        const bySearch = yield* client.post("/change-sets", {
          mode: "each",
          where: { rules: [] },
          change: { stock: { add: 1 } }
        })
        assert.strictEqual(bySearch.status, 403)
        assert.match(errorOf(bySearch).error, /read_products or write_products/)
        assert.isNull(dataOf(yield* client.get("/store"))["productCount"])

        const inventory = `/products/${ids.product}/inventory`
        const reduced = dataOf(yield* client.patch(inventory, { adjust: 0 }))
        assert.sameMembers(Object.keys(reduced), ["id", "version", "sku", "stock", "trackInventory", "variants"])
        assert.deepInclude(reduced, { id: ids.product, ...STOCK, trackInventory: true })
        const change = { mode: "each", where: { ids: [ids.product] }, change: { stock: { add: 1 } } }
        const { id, preview } = yield* previewed(client, change)
        assert.deepInclude(preview, { updated: 1, collections: null, lowestPrice: null })
        assert.deepInclude((yield* resultsOf(client, id))[0], { id: ids.product, outcome: "updated" })

        // The grants of the time of a response decide, also for replays and for sets that were made with others.
        const sql = yield* SqlClient.SqlClient
        const grant = (scope: Scope) => sql`update installations set scopes = ${[scope]} where id = ${installation.id}`
        yield* grant("write_products")
        const key = randomUUID()
        assert.deepInclude(dataOf(yield* client.patch(inventory, { adjust: 0 }, { key })), { name: PRODUCT.name })
        const repriced = yield* previewed(client, {
          mode: "each",
          where: { rules: [] },
          change: { price: { add: 0.5 } }
        })
        assert.isNumber(repriced.preview?.highestPrice)
        assert.lengthOf(yield* resultsOf(client, repriced.id), 2)
        yield* grant("write_inventory")
        assert.deepStrictEqual(dataOf(yield* client.patch(inventory, { adjust: 0 }, { key })), reduced)
        assert.isNull(setOf(yield* client.get(`/change-sets/${repriced.id}`)).preview)
        const results = yield* client.get(`/change-sets/${repriced.id}/results`)
        assert.strictEqual(results.status, 403)
        assert.match(errorOf(results).error, /write_products/)
      })
  )
})
