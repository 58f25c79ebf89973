import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CreateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import {
  type ActivityEntry,
  EntryId,
  MAX_EXAMINED_ENTRIES,
  MAX_DISPLAY_NAMES
} from "../../../src/domain/journal/Activity.ts"
import { type Write, Writes } from "../../../src/domain/Write.ts"
import { type Client, performed } from "../../../src/rpc/Client.ts"
import { makeActivityHandlers } from "../../../src/rpc/handlers/Activity.ts"
import { ApiTest, dataOf, install } from "../../support/http/Api.ts"
import { agentOf, asAgent, callLine, errorOf, freshMember, newKey, post } from "../../support/rpc/Rpc.ts"
import { AGENT, contextOf } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)

const isEntryOf = (resourceId: unknown) => (entry: ActivityEntry) => entry.resourceId === resourceId

/** Lists the pages of entries that match a filter. */
const listPages = Effect.fn(function* (client: Client, filter: Parameters<Client["activity"]["list"]>[0]) {
  const pages: Array<ReadonlyArray<ActivityEntry>> = []
  let cursor: EntryId | null | undefined
  while (cursor !== null) {
    const { items, nextCursor } = yield* client.activity.list({
      ...filter,
      ...(cursor === undefined ? {} : { cursor })
    })
    pages.push(items)
    cursor = nextCursor
  }
  return pages
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Activity", (it) => {
  it.effect("an entry records actor, surface, request id, versions and diff; the newest entry is first", () =>
    Effect.gen(function* () {
      const { client, cookie, merchantId, storeId } = yield* freshMember()
      const app = yield* install(storeId)
      const options = { key: "made", headers: { "x-request-id": "trace/1" } }
      const product = dataOf(yield* app.client.post("/products", { name: "Cup", price: 0.1 }, options))
      const resourceId = String(product["id"])
      const payload = { storeId, idempotencyKey: "changed", id: resourceId, patch: { price: 0.2, sku: "C" } }
      yield* post(callLine("products.update", payload), { cookie, "x-request-id": "trace/2" })
      yield* app.client.patch(`/products/${resourceId}/inventory`, { adjust: 2, reason: "Found" })
      yield* app.client.delete(`/products/${resourceId}`)

      const { items, nextCursor } = yield* client.activity.list({ storeId })
      assert.isNull(nextCursor)
      const [deleted, restocked, updated, created] = items
      const common = { resource: "product" as const, resourceId, omitted: [], hops: 0, undoes: null }
      assert.deepInclude(created, {
        ...common,
        at: String(product["createdAt"]),
        actor: { type: "app", id: app.installation.id },
        surface: "rest",
        versions: { before: null, after: 1 },
        idempotencyKey: "made",
        requestId: "trace/1",
        reason: null,
        before: null
      })
      assert.strictEqual(created?.after?.["name"], "Cup")
      assert.deepInclude(updated, {
        ...common,
        actor: { type: "merchant", id: merchantId },
        surface: "rpc",
        versions: { before: 1, after: 2 },
        idempotencyKey: "changed",
        requestId: "trace/2"
      })
      assert.deepInclude(updated?.before, { version: 1, price: 0.1, sku: null })
      assert.deepInclude(updated?.after, { version: 2, price: 0.2, sku: "C" })
      assert.deepInclude(restocked, { reason: "Found", versions: { before: 2, after: 3 } })
      assert.deepInclude(deleted, { versions: { before: 3, after: null }, after: null })
      assert.deepStrictEqual(yield* client.activity.get({ storeId, id: updated?.id ?? assert.fail() }), updated)
      const unknown = EntryId.make("01890a5d-ac96-774b-bcce-b302099a8057")
      assert.strictEqual((yield* Effect.flip(client.activity.get({ storeId, id: unknown })))._tag, "EntryNotFound")
    })
  )

  it.effect("activity.list filters by actor, surface, resource and time, and pages without gaps", () =>
    Effect.gen(function* () {
      // Staff do not see the entries of members.
      const { client, merchantId, storeId } = yield* freshMember({ role: "staff" })
      const other = yield* freshMember()
      const catalog = yield* Catalog
      const { perform } = yield* Writes
      const write = <A, E>(write: Write<A, E>) => perform({ ...contextOf(storeId, AGENT), surface: "mcp" }, write)
      const createProduct = (name: string) =>
        performed(client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct({ name }) }))
      const cup = yield* createProduct("Cup")
      yield* createProduct("Jug")
      yield* write(catalog.updateProduct(storeId, cup.id, { stock: 1 }, "any"))
      yield* write(catalog.createCollection(storeId, toCollection({ title: "Shelf" })))
      yield* createProduct("Mug")
      yield* other.client.products.create({
        storeId: other.storeId,
        idempotencyKey: newKey(),
        product: toProduct({ name: "Secret" })
      })

      const all = (yield* client.activity.list({ storeId })).items
      assert.lengthOf(all, 5)
      assert.deepStrictEqual(
        all,
        all.toSorted((a, b) => (a.id < b.id ? 1 : -1))
      )
      const pages = yield* listPages(client, { storeId, limit: 2 })
      assert.deepStrictEqual(
        pages.map(({ length }) => length),
        [2, 2, 1]
      )
      assert.deepStrictEqual(pages.flat(), all)

      const entriesWhere = (filter: object) =>
        Effect.map(client.activity.list({ storeId, ...filter }), ({ items }) => items)
      const merchantEntries = all.filter(({ actor }) => actor.id === merchantId)
      assert.deepStrictEqual(yield* entriesWhere({ actorId: merchantId }), merchantEntries)
      assert.deepStrictEqual(
        (yield* listPages(client, { storeId, actorId: merchantId, limit: 1 })).flat(),
        merchantEntries
      )
      assert.deepStrictEqual(yield* entriesWhere({ actorType: "merchant" }), merchantEntries)
      assert.deepStrictEqual(yield* entriesWhere({ surface: "rpc" }), merchantEntries)
      assert.deepStrictEqual(
        yield* entriesWhere({ surface: "rpc", resourceId: cup.id }),
        merchantEntries.filter(isEntryOf(cup.id))
      )
      assert.deepStrictEqual(yield* entriesWhere({ surface: "import" }), [])
      assert.deepStrictEqual(yield* entriesWhere({ resourceId: cup.id }), all.filter(isEntryOf(cup.id)))
      assert.deepStrictEqual(yield* entriesWhere({ resourceId: cup.id, actorId: AGENT.id }), all.slice(2, 3))
      assert.deepStrictEqual(yield* entriesWhere({ resource: "collection" }), all.slice(1, 2))
      const at = all[2]?.at
      assert.deepStrictEqual(
        yield* entriesWhere({ since: at }),
        all.filter((entry) => entry.at >= String(at))
      )
      assert.deepStrictEqual(
        yield* entriesWhere({ until: at }),
        all.filter((entry) => entry.at < String(at))
      )
      assert.deepStrictEqual(yield* entriesWhere({ since: at, until: at }), [])
    })
  )

  it.effect("activity.fields returns the entries that last set each field, also by an undo", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, merchantId, storeId } = member
      const agent = yield* agentOf(member, { scopes: ["write_products", "write_inventory"] })
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      const { id } = yield* performed(
        client.products.create({ ...keyed(), product: toProduct({ name: "Cup", price: 1 }) })
      )
      yield* performed(agent.client.products.update({ ...keyed(), id, patch: { price: 2, sku: "A" } }))
      yield* performed(client.products.update({ ...keyed(), id, patch: { sku: "B" } }))
      yield* performed(client.inventory.change({ ...keyed(), id, change: { adjust: 2, reason: "Found" } }))

      const fieldsOf = (resourceId: string = id) =>
        Effect.map(client.activity.fields({ storeId, resource: "product", resourceId }), ({ items }) => items)
      const [stock, sku, price, created] = yield* fieldsOf()
      assert.deepInclude(stock, { fields: ["stock"], reason: "Found", actor: { type: "merchant", id: merchantId } })
      assert.deepInclude(sku, { fields: ["sku"], versions: { before: 2, after: 3 } })
      assert.deepInclude(price, { fields: ["price"], actor: { type: "agent", id: agent.id } })
      assert.include(created?.fields ?? [], "name")
      assert.notInclude(created?.fields ?? [], "version")

      yield* performed(client.activity.undo({ ...keyed(), id: sku?.id ?? assert.fail("It was set") }))
      assert.deepInclude((yield* fieldsOf())[0], { fields: ["sku"], undoes: sku?.id ?? null })

      yield* performed(client.products.delete({ ...keyed(), id }))
      const [deletion = assert.fail("It was deleted")] = (yield* client.activity.list({ storeId })).items
      yield* performed(client.activity.undo({ ...keyed(), id: deletion.id }))
      const [restored] = yield* fieldsOf()
      assert.includeMembers([...(restored?.fields ?? [])], ["name", "price", "sku", "stock"])

      assert.deepStrictEqual(yield* fieldsOf(storeId), [])
      const refused = yield* Effect.flip(
        agent.client.activity.fields({ storeId, resource: "collection", resourceId: id })
      )
      assert.strictEqual(refused._tag, "AgentScopeMissing")
    })
  )

  it.effect("activity.names returns the names of actors and resources of the store, to staff too", () =>
    Effect.gen(function* () {
      const staff = yield* freshMember({ role: "staff" })
      const { client, merchantId, storeId } = staff
      const other = yield* freshMember()
      const otherProduct = yield* performed(
        other.client.products.create({
          storeId: other.storeId,
          idempotencyKey: newKey(),
          product: toProduct({ name: "Secret" })
        })
      )
      const { installation } = yield* install(storeId)
      const agent = yield* agentOf(staff, { name: "Restocker" })
      const keyed = () => ({ storeId, idempotencyKey: newKey() })
      const cup = yield* performed(client.products.create({ ...keyed(), product: toProduct({ name: "Cup" }) }))
      const shelf = yield* performed(
        client.collections.create({ ...keyed(), collection: toCollection({ title: "Shelf" }) })
      )
      const { appName } = yield* client.installations.get({ storeId, id: installation.id })
      yield* client.agents.revoke({ ...keyed(), id: agent.id })
      yield* client.installations.uninstall({ ...keyed(), id: installation.id })

      const expected = new Map<string, string>([
        [cup.id, "Cup"],
        [shelf.id, "Shelf"],
        [agent.id, "Restocker"],
        [installation.id, appName],
        [merchantId, "Ada"]
      ])
      const ids = [...expected.keys(), otherProduct.id, other.merchantId, EntryId.make(AGENT.id)]
      const names = yield* client.activity.names({ storeId, ids })
      assert.deepStrictEqual(new Map(names.map(({ id, name }) => [id, name])), expected)
      assert.deepStrictEqual(yield* client.activity.names({ storeId, ids: [] }), [])
      const tooMany = Array.from({ length: MAX_DISPLAY_NAMES + 1 }, () => cup.id)
      const response = yield* post(callLine("activity.names", { storeId, ids: tooMany }), { cookie: staff.cookie })
      assert.strictEqual(errorOf(response.text)?.["_tag"], "BadRequest")
    })
  )

  it.effect("a page of a sparse filter ends early, and its cursor continues after the examined entries", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const sql = yield* SqlClient.SqlClient
      const rare = yield* performed(
        client.collections.create({ storeId, idempotencyKey: newKey(), collection: toCollection({ title: "Rare" }) })
      )
      yield* sql`
        insert into journal (
          store_id, id, part, at, actor_type, actor_id, surface, hops, resource, resource_id, version, after, omitted
        )
        select store_id, gen_random_uuid(), part, at, actor_type, actor_id, surface, 0, 'product', gen_random_uuid(), 1,
          '{}', '{}'
        from journal, generate_series(1, ${2 * MAX_EXAMINED_ENTRIES}) where store_id = ${storeId} and resource_id = ${rare.id}
      `
      // The smallest id, so that the matching entry is the last of all.
      yield* sql`
        insert into journal select (jsonb_populate_record(j, ${JSON.stringify({ id: "00000000-0000-7000-8000-000000000001" })}::jsonb)).*
        from journal j where store_id = ${storeId} and resource_id = ${rare.id}
      `
      const pages = yield* listPages(client, { storeId, resource: "collection", limit: 200 })
      assert.strictEqual(pages.length, 3)
      assert.strictEqual(pages.flat().at(-1)?.resourceId, rare.id)
      const page = yield* client.activity.list({ storeId, resource: "collection", resourceId: rare.id })
      assert.isNull(page.nextCursor)
    })
  )

  it.effect("an agent sees the entries that its scopes can read; the error names the missing scope", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const { "activity.get": get, "activity.list": list } = yield* makeActivityHandlers
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup" }) })
      yield* client.collections.create({
        storeId,
        idempotencyKey: newKey(),
        collection: toCollection({ title: "Cups" })
      })
      const [collection, product] = (yield* client.activity.list({ storeId })).items
      const reader = asAgent(storeId, ["read_products"])
      assert.deepStrictEqual(yield* reader(list, {}), { items: [product], nextCursor: null })
      assert.deepStrictEqual(yield* reader(get, { id: product?.id }), product)
      const missing = { _tag: "AgentScopeMissing", scope: "read_collections" }
      assert.deepInclude(yield* reader(list, { resource: "collection" }), missing)
      assert.deepInclude(yield* reader(get, { id: collection?.id }), missing)
      const otherAgent = asAgent(storeId, ["read_orders"])
      assert.deepInclude(yield* otherAgent(list, {}), { _tag: "AgentScopeMissing", scope: "read_products" })
    })
  )

  it.effect("PostgreSQL rejects updates and deletes of journal entries with 42501", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshMember()
      const sql = yield* SqlClient.SqlClient
      yield* client.products.create({ storeId, idempotencyKey: newKey(), product: toProduct({ name: "Cup" }) })
      const [before] = (yield* client.activity.list({ storeId })).items
      const [row] = yield* sql<{ readonly part: number }>`select part from journal where id = ${before?.id ?? ""}`
      for (const table of ["journal", `journal_${row?.part}`]) {
        for (const change of [`update ${table} set reason = 'x'`, `delete from ${table}`]) {
          const { reason } = yield* Effect.flip(sql.unsafe(`${change} where id = '${before?.id}'`))
          assert.propertyVal(reason.cause, "code", "42501", change)
        }
      }
      const after = yield* client.activity.list({ storeId })
      assert.deepStrictEqual(after.items[0], before)
    })
  )
})
