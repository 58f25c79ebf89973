import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, baseUrl } from "../../support/http/Api.ts"
import { callTool, CLIENTS, freshAgent, type Result } from "../../support/rpc/Mcp.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { agentOf } from "../../support/rpc/Rpc.ts"

type Json = Readonly<Record<string, unknown>>
type Path = ReadonlyArray<string>

/** A word that stands in everything that the other store has. */
const SECRET = "Zyxwv"

const keyed = () => ({ idempotencyKey: randomUUID() })

/** What the stranger has of their own, so that one id of a call can be good where another is not. */
type Own = Readonly<Record<"product" | "collection", string>>

/** A call of every tool that is good but for the ids of what there is not, which are put in where its schema takes an id. */
const CALLS: Readonly<Record<string, (own: Own) => Json>> = {
  store_get: () => ({}),
  products_list: () => ({}),
  products_search: () => ({ query: SECRET }),
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
  orders_list: () => ({}),
  orders_get: () => ({ whole: true }),
  customers_list: () => ({}),
  customers_get: () => ({ whole: true }),
  proposals_list: () => ({}),
  proposals_get: () => ({ whole: true }),
  proposals_withdraw: keyed,
  activity_list: () => ({}),
  activity_get: () => ({ whole: true }),
  activity_undo: keyed,
  activity_undoSpan: () => ({ ...keyed(), since: "2020-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z" })
}

/** Where the schema of an argument takes an id, or a list of them. */
const idsIn = (schema: unknown, path: Path = []): ReadonlyArray<{ readonly path: Path; readonly isList: boolean }> => {
  if (!Predicate.isObject(schema)) return []
  if (schema["format"] === "uuid") return [{ path, isList: false }]
  const { anyOf, items, properties } = schema
  const ofList = idsIn(items, path).map((one) => ({ ...one, isList: true }))
  const ofWays = Array.isArray(anyOf) ? anyOf.flatMap((way) => idsIn(way, path)) : []
  const ofMembers = Predicate.isObject(properties)
    ? Object.entries(properties).flatMap(([name, member]) => idsIn(member, [...path, name]))
    : []
  return [...ofList, ...ofWays, ...ofMembers]
}

const put = (given: unknown, [name, ...rest]: Path, value: unknown): unknown => {
  if (name === undefined) return value
  const members = Predicate.isObject(given) ? given : {}
  return { ...members, [name]: put(members[name], rest, value) }
}

const argumentsOf = (given: Json, path: Path, value: unknown): Record<string, unknown> => {
  const made = put(given, path, value)
  return Predicate.isObject(made) ? made : assert.fail("The arguments are an object")
}

/** What was answered, but for the id that was asked for and the marks around the text. */
const told = ({ isError, structuredContent }: Result, id: string) =>
  JSON.stringify({ isError, structuredContent }).replaceAll(id, "the id")

/** An id of nothing, next to one of something: as a cursor both stand at one place. */
const nextTo = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`

const idOf = ({ structuredContent: { id } }: Result) => String(id)

/** A store with one of everything, and the ids of all of it. */
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
  const ids = {
    store: storeId,
    product: idOf(product),
    variant: variant?.id,
    collection: idOf(collection),
    customer: customer?.id,
    order: order?.id,
    proposal: proposal?.id,
    entry: entries.at(-1)?.id,
    agent: store.agent.id,
    merchant: merchantId
  }
  const seen = Effect.all([
    client.products.list({ storeId }),
    client.collections.list({ storeId }),
    client.proposals.list({ storeId }),
    client.activity.list({ storeId })
  ])
  return { ids, seen }
})

/** Tools whose ids choose among what the stranger has: none of it is found. */
const CHOOSING = new Set(["cursor", "actorId", "resourceId"])

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("an agent of another store", (it) => {
  it.effect("is told by every tool, of every id, what it is told of one that there is not", () =>
    Effect.gen(function* () {
      const { ids, seen } = yield* richStore
      const before = yield* seen
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
        const good = () => CALLS[name]?.({ product, collection }) ?? assert.fail(name)
        for (const { isList, path } of idsIn(inputSchema)) {
          const ask = (id: string, more: Json = {}) =>
            Effect.map(
              callTool(token, name, { ...argumentsOf(good(), path, isList ? [id] : id), ...more }),
              (result) => {
                const place = `${name} ${path.join(".")}: ${JSON.stringify(result)}`
                assert.notInclude(JSON.stringify(result), SECRET, place)
                const [last = ""] = path.slice(-1)
                assert.strictEqual(result.isError, CHOOSING.has(last) ? undefined : true, place)
                return told(result, id)
              }
            )
          const isSame = (kind: string, id: string, more?: Json) =>
            Effect.gen(function* () {
              assert.strictEqual(
                yield* ask(id, more),
                yield* ask(nextTo(id), more),
                `${name} ${path.join(".")} ${kind}`
              )
            })
          yield* Effect.forEach(Object.entries(ids), ([kind, id = assert.fail(kind)]) => isSame(kind, id), {
            concurrency: 4,
            discard: true
          })
          if ("idempotencyKey" in good()) yield* isSame("dry run", ids.product, { dryRun: true })
        }
      }
      // What takes no id of that form.
      for (const more of [{}, { cursor: `words.${ids.product}` }]) {
        const searched = yield* callTool(token, "products_search", { query: SECRET, ...more })
        assert.deepStrictEqual(searched.structuredContent["items"], [])
      }
      const matching = yield* callTool(token, "collections_preview", {
        ...CALLS["collections_preview"]?.({ product, collection })
      })
      assert.deepInclude(matching.structuredContent, { productCount: 0 })
      assert.deepStrictEqual(yield* seen, before)
    })
  )
})
