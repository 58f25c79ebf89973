import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, Struct } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { callTool, CLIENTS, freshAgent, type Result } from "../../support/rpc/Mcp.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { agentOf } from "../../support/rpc/Rpc.ts"

type Json = Readonly<Record<string, unknown>>
type Path = ReadonlyArray<string>

/** A word that is in every resource of the other store. */
const SECRET = "Zyxwv"

const keyed = () => ({ idempotencyKey: randomUUID() })

/** Resources of the calling agent, so that a call can have one foreign id beside valid ones. */
type OwnIds = Readonly<Record<"product" | "collection", string>>

/** Valid arguments of every tool. The test inserts a foreign id wherever the schema takes an id. */
const CALLS: Readonly<Record<string, (ids: OwnIds) => Json>> = {
  store_get: () => ({}),
  products_list: () => ({}),
  products_search: () => ({ query: SECRET }),
  products_query: () => ({ search: SECRET }),
  collections_query: () => ({ search: SECRET }),
  orders_query: () => ({}),
  orders_summary: () => ({ days: 7 }),
  customers_query: () => ({ search: SECRET }),
  products_get: () => ({ whole: true }),
  products_create: () => ({ ...keyed(), product: { name: "Mine" } }),
  products_update: () => ({ ...keyed(), patch: { name: "Mine" } }),
  products_delete: keyed,
  inventory_change: ({ product }) => ({ ...keyed(), id: product, change: { adjust: 1 } }),
  collections_list: () => ({}),
  collections_get: () => ({ whole: true }),
  collections_create: () => ({ ...keyed(), collection: { title: "Mine" } }),
  collections_update: ({ collection }) => ({ ...keyed(), id: collection, patch: {} }),
  collections_delete: keyed,
  collections_preview: () => ({ rules: [{ field: "title", relation: "contains", value: SECRET }], disjunctive: false }),
  collections_why: ({ collection, product }) => ({ id: collection, productId: product }),
  changeSets_list: () => ({}),
  changeSets_get: () => ({ whole: true }),
  changeSets_results: () => ({ whole: true }),
  changeSets_create: () => ({ ...keyed(), mode: "each", operations: [] }),
  changeSets_apply: keyed,
  changeSets_cancel: keyed,
  changeSets_undo: keyed,
  changes_list: () => ({}),
  digest_get: () => ({ resource: "products" }),
  orders_list: () => ({}),
  orders_get: () => ({ whole: true }),
  customers_list: () => ({}),
  customers_get: () => ({ whole: true }),
  proposals_list: () => ({}),
  proposals_get: () => ({ whole: true }),
  proposals_withdraw: keyed,
  files_fetch: () => ({ ...keyed(), url: "https://127.0.0.1/desk.png" }),
  activity_list: () => ({}),
  activity_get: () => ({ whole: true }),
  activity_fields: () => ({ resource: "product" }),
  activity_undo: keyed,
  activity_undoSpan: () => ({ ...keyed(), since: "2020-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z" })
}

/** Paths at which the schema of the arguments takes an id or a list of ids. */
const idsIn = (schema: unknown, path: Path = []): ReadonlyArray<{ readonly path: Path; readonly isList: boolean }> => {
  if (!Predicate.isObject(schema)) return []
  if (schema["format"] === "uuid") return [{ path, isList: false }]
  const { anyOf, items, properties } = schema
  const inItems = idsIn(items, path).map((found) => ({ ...found, isList: true }))
  const inAnyOf = Array.isArray(anyOf) ? anyOf.flatMap((option) => idsIn(option, path)) : []
  const inProperties = Predicate.isObject(properties)
    ? // A position is a time. The preview refuses operations and selected ids (test/rpc/changeSets, test/http/changeSets).
      Object.entries(Struct.omit(properties, ["after", "operations", "where"])).flatMap(([name, member]) =>
        idsIn(member, [...path, name])
      )
    : []
  return [...inItems, ...inAnyOf, ...inProperties]
}

const replaceAt = (original: unknown, [name, ...rest]: Path, value: unknown): unknown => {
  if (name === undefined) return value
  const members = Predicate.isObject(original) ? original : {}
  return { ...members, [name]: replaceAt(members[name], rest, value) }
}

const argumentsOf = (original: Json, path: Path, value: unknown): Record<string, unknown> => {
  const args = replaceAt(original, path, value)
  return Predicate.isObject(args) ? args : assert.fail("The arguments must be an object")
}

/** The result without its marked text, and with a placeholder for the id. */
const withoutId = ({ isError, structuredContent }: Result, id: string) =>
  JSON.stringify({ isError, structuredContent }).replaceAll(id, "the id")

/** An unknown id adjacent to an id: as cursors, both lead to the same page. */
const unknownIdNear = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`

const idOf = ({ structuredContent: { id } }: Result) => String(id)

/** A store with one resource of each kind, and their ids. */
const richStore = Effect.gen(function* () {
  const store = yield* freshAgent()
  const { client, merchantId, storeId, token } = store
  const product = yield* callTool(token, "products_create", {
    ...keyed(),
    product: { name: SECRET, variants: [{ name: SECRET, stock: 3 }] }
  })
  const [variant] = (yield* client.products.list({ storeId })).items.flatMap(({ variants }) => variants)
  const collection = yield* callTool(token, "collections_create", {
    ...keyed(),
    collection: { title: SECRET, productIds: [idOf(product)] }
  })
  const [customer] = yield* putCustomers(storeId, [{ name: SECRET }])
  const [order] = yield* putOrders(storeId, [{ number: SECRET }])
  const proposer = yield* agentOf(store, { proposalsOnly: true })
  yield* callTool(proposer.token ?? "", "products_create", { ...keyed(), product: { name: SECRET } })
  const [proposal] = (yield* client.proposals.list({ storeId })).items
  const entries = (yield* client.activity.list({ storeId })).items
  const changeSet = yield* callTool(token, "changeSets_create", {
    ...keyed(),
    mode: "each",
    note: SECRET,
    operations: [{ op: "product.delete", id: idOf(product) }]
  })
  const ids = {
    store: storeId,
    product: idOf(product),
    variant: variant?.id,
    collection: idOf(collection),
    customer: customer?.id,
    order: order?.id,
    proposal: proposal?.id,
    changeSet: idOf(changeSet),
    entry: entries.at(-1)?.id,
    agent: store.agent.id,
    merchant: merchantId
  }
  const readAll = Effect.all([
    client.products.list({ storeId }),
    client.collections.list({ storeId }),
    client.proposals.list({ storeId }),
    client.activity.list({ storeId })
  ])
  return { ids, readAll }
})

/** Arguments that page or filter the resources of the agent: a foreign id in them is no error. */
const FILTER_ARGUMENTS = new Set(["after", "cursor", "ids", "actorId", "resourceId", "customerId"])

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Isolation of stores over MCP", (it) => {
  it.effect("every tool returns the same result for a foreign id as for an unknown id", () =>
    Effect.gen(function* () {
      const { ids, readAll } = yield* richStore
      const before = yield* readAll
      const { token } = yield* freshAgent()
      const client = yield* CLIENTS["2026-07-28"](yield* baseUrl, token)
      const tools = yield* client.listTools
      assert.sameMembers(
        tools.map(({ name }) => name),
        Object.keys(CALLS)
      )
      const product = idOf(yield* callTool(token, "products_create", { ...keyed(), product: { name: "Mine" } }))
      const collection = idOf(
        yield* callTool(token, "collections_create", { ...keyed(), collection: { title: "Mine", productIds: [] } })
      )

      for (const { inputSchema, name } of tools) {
        const validArguments = () => CALLS[name]?.({ product, collection }) ?? assert.fail(name)
        for (const { isList, path } of idsIn(inputSchema)) {
          const call = (id: string, more: Json = {}) =>
            Effect.map(
              callTool(token, name, { ...argumentsOf(validArguments(), path, isList ? [id] : id), ...more }),
              (result) => {
                const label = `${name} ${path.join(".")}: ${JSON.stringify(result)}`
                assert.notInclude(JSON.stringify(result), SECRET, label)
                const [last = ""] = path.slice(-1)
                assert.strictEqual(result.isError, FILTER_ARGUMENTS.has(last) ? undefined : true, label)
                return withoutId(result, id)
              }
            )
          // One call, because the result of an unknown id does not depend on the id.
          const unknown = yield* call(unknownIdNear(ids.product))
          yield* Effect.forEach(
            Object.entries(ids),
            ([kind, id = assert.fail(kind)]) =>
              Effect.map(call(id), (result) =>
                assert.strictEqual(result, unknown, `${name} ${path.join(".")} ${kind}`)
              ),
            { concurrency: 4, discard: true }
          )
          if (!("idempotencyKey" in validArguments())) continue
          const dryRun = { dryRun: true }
          assert.strictEqual(
            yield* call(ids.product, dryRun),
            yield* call(unknownIdNear(ids.product), dryRun),
            `${name} ${path.join(".")} dry run`
          )
        }
      }
      // These arguments do not have the format of a UUID.
      for (const more of [{}, { cursor: `words.${ids.product}` }]) {
        const searched = yield* callTool(token, "products_search", { query: SECRET, ...more })
        assert.deepStrictEqual(searched.structuredContent["items"], [])
      }
      const matching = yield* callTool(token, "collections_preview", {
        ...CALLS["collections_preview"]?.({ product, collection })
      })
      assert.deepInclude(matching.structuredContent, { productCount: 0 })
      assert.deepStrictEqual(yield* readAll, before)
    })
  )
})
