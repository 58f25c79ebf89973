import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import { MAX_LARGE_RESPONSES } from "../../../src/domain/Idempotency.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { isText, makeMcp, makeRest, makeRpc, type Outcome, type Surface } from "../../support/rpc/Surfaces.ts"
import type { Writes } from "../../../src/domain/Write.ts"
import { performIn } from "../../support/data/Writes.ts"

const DIFFERING_MEMBERS = new Set([
  "id",
  "createdAt",
  "updatedAt",
  "occurredAt",
  "storeId",
  "actor",
  "originInstallationId",
  "productIds"
])

/** A document or an event without the members that differ between writes and surfaces. */
const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(comparable)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (DIFFERING_MEMBERS.has(key) ? [] : [[key, comparable(inner)]]))
  )
}

/** The outcome without the prefix that each surface adds to the paths in `issues`. */
const withoutPathPrefix = (outcome: Outcome): Outcome =>
  "made" in outcome
    ? outcome
    : {
        refused: {
          ...outcome.refused,
          ...(outcome.refused.issues === undefined
            ? {}
            : {
                issues: outcome.refused.issues.map((line) => line.replace(/^(?:product|collection|patch|change)\./, ""))
              })
        }
      }

/** The actors and surfaces of the writes of a store, from its journal. */
const writersOf = (storeId: StoreId) =>
  Effect.map(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select distinct actor_type, surface from journal where store_id = ${storeId} and version is not null`
    ).pipe(Effect.orDie),
    (rows) => rows.map((row) => `${String(row["actor_type"])} ${String(row["surface"])}`)
  )

/** The documents and events of a store, without members that differ between stores. */
const rowsOf = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const documents = yield* sql`
      select document, version from products where store_id = ${storeId}
      union all select document, version from collections where store_id = ${storeId}
    `.pipe(Effect.orDie)
    const events = yield* sql`select payload from events where store_id = ${storeId} order by id`.pipe(Effect.orDie)
    return comparable({
      documents: documents.map((row) => row["document"]),
      events: events.map(({ payload }) => (isText(payload) ? JSON.parse(payload) : payload))
    })
  })

const idOf = (outcome: Outcome) =>
  "made" in outcome ? String(outcome.made["id"]) : assert.fail(JSON.stringify(outcome))

const UNKNOWN_ID = "019c1363-49c0-7fff-8000-000000000000"

const longText = (bytes: number) => ({ text: "x".repeat(bytes) })

const limitToOneEach = (storeId: StoreId) =>
  Effect.gen(function* () {
    const { createPlan, setPlan } = yield* Stores
    const name = randomUUID()
    yield* Effect.orDie(createPlan(Plan.make({ name, productLimit: 1, collectionLimit: 1, mediaLimit: 0 })))
    const perform = yield* performIn(storeId)
    yield* Effect.orDie(perform(setPlan(storeId, name)))
  })

const fillLargeResponses = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update large_responses set bytes = ${MAX_LARGE_RESPONSES} where store_id = ${storeId}`
  ).pipe(Effect.orDie)

const createProduct = ({ write }: Surface, body: object = { name: "Cup" }) =>
  Effect.map(write("create", "product", { body }), idOf)
const createCollection = ({ write }: Surface, body: object = { title: "Cups" }) =>
  Effect.map(write("create", "collection", { body }), idOf)

/** Writes on a surface, by name. The first word of a failing write is its error tag. */
const CASES: Readonly<
  Record<string, (surface: Surface) => Effect.Effect<Outcome, never, SqlClient.SqlClient | Stores | Writes>>
> = {
  "a product create": ({ write }) =>
    write("create", "product", {
      body: { name: " Desk ", price: 12.5, tags: ["Oak", "oak"], variants: [{ title: "A" }], metafields: { a: [1] } }
    }),
  "a large product": ({ write }) => write("create", "product", { body: { name: "D", metafields: longText(60_000) } }),
  "a product update": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("update", "product", { id, body: { stock: 3 }, version: 1 })
    ),
  "an update without changes": (surface) =>
    Effect.flatMap(createProduct(surface), (id) => surface.write("update", "product", { id, body: { name: "Cup" } })),
  "a product delete": (surface) =>
    Effect.flatMap(createProduct(surface), (id) => surface.write("delete", "product", { id, version: 1 })),
  "a stock change": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("stock", "product", { id, body: { adjust: 2, expectedStock: 0, reason: "Found" } })
    ),
  "a manual collection": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("create", "collection", { body: { title: "Cups", productIds: [id] } })
    ),
  "an automated collection that becomes manual": (surface) =>
    Effect.gen(function* () {
      yield* createProduct(surface)
      const id = yield* createCollection(surface, {
        title: "All",
        rules: [{ field: "title", relation: "contains", value: "u" }]
      })
      return yield* surface.write("update", "collection", { id, body: { type: "manual" } })
    }),
  "a collection delete": (surface) =>
    Effect.flatMap(createCollection(surface), (id) => surface.write("delete", "collection", { id })),
  BadRequest: ({ write }) => write("create", "product", { body: { name: "", price: -1, nmae: 1, media: [{}] } }),
  "BadRequest of rules": ({ write }) =>
    write("create", "collection", {
      body: { title: "A", rules: [{ field: "onSale", relation: "contains", value: 1 }] }
    }),
  ProductLimitReached: (surface) =>
    Effect.gen(function* () {
      yield* createProduct(surface)
      yield* limitToOneEach(surface.storeId)
      return yield* surface.write("create", "product", { body: { name: "Mug" } })
    }),
  CollectionLimitReached: (surface) =>
    Effect.gen(function* () {
      yield* createCollection(surface)
      yield* limitToOneEach(surface.storeId)
      return yield* surface.write("create", "collection", { body: { title: "Mugs" } })
    }),
  ProductTooLarge: (surface) =>
    Effect.gen(function* () {
      const id = yield* createProduct(surface, { name: "Cup", metafields: longText(600_000) })
      return yield* surface.write("update", "product", { id, body: { customFields: longText(600_000) } })
    }),
  "SlugTaken by a create": (surface) =>
    Effect.andThen(createProduct(surface), surface.write("create", "product", { body: { name: "Cup", slug: "cup" } })),
  "SlugTaken by an update": (surface) =>
    Effect.gen(function* () {
      yield* createCollection(surface)
      const id = yield* createCollection(surface, { title: "Mugs" })
      return yield* surface.write("update", "collection", { id, body: { slug: "cups" } })
    }),
  VariantNotFound: (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: 1, variantId: UNKNOWN_ID } })
    ),
  StockMismatch: (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: 1, expectedStock: 7 } })
    ),
  StockOutOfRange: (surface) =>
    Effect.flatMap(createProduct(surface), (id) => surface.write("stock", "product", { id, body: { adjust: -1 } })),
  "BadRequest of a stock": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: -1, adjust: 1 } })
    ),
  "ProductNotFound by a stock": ({ write }) => write("stock", "product", { id: UNKNOWN_ID, body: { stock: 1 } }),
  "VersionMismatch by a stock": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: 3 }, version: 7 })
    ),
  "ProductNotFound by an update": ({ write }) => write("update", "product", { id: UNKNOWN_ID, body: {} }),
  "ProductNotFound by a delete": ({ write }) => write("delete", "product", { id: UNKNOWN_ID }),
  "CollectionNotFound by an update": ({ write }) => write("update", "collection", { id: UNKNOWN_ID, body: {} }),
  "CollectionNotFound by a delete": ({ write }) => write("delete", "collection", { id: UNKNOWN_ID }),
  "VersionMismatch by an update": (surface) =>
    Effect.flatMap(createProduct(surface), (id) =>
      surface.write("update", "product", { id, body: { stock: 3 }, version: 7 })
    ),
  "VersionMismatch by a delete": (surface) =>
    Effect.flatMap(createCollection(surface), (id) => surface.write("delete", "collection", { id, version: 7 })),
  UnknownProducts: ({ write }) => write("create", "collection", { body: { title: "A", productIds: [UNKNOWN_ID] } }),
  TooManyProductIds: ({ write }) =>
    write("create", "collection", {
      body: { title: "A", productIds: Array.from({ length: 10_001 }, () => randomUUID()) }
    }),
  KeyReused: ({ write }) =>
    Effect.andThen(
      write("create", "product", { body: { name: "Cup" }, key: "one" }),
      write("create", "product", { body: { name: "Mug" }, key: "one" })
    ),
  StoredResponsesFull: (surface) =>
    Effect.gen(function* () {
      yield* createProduct(surface, { name: "Cup", metafields: longText(20_000) })
      yield* fillLargeResponses(surface.storeId)
      return yield* surface.write("create", "product", { body: { name: "Mug", metafields: longText(20_000) } })
    })
}

/** The tags of the errors of a schema. */
const tagsOf = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(tagsOf)
  const encoded = SchemaAST.toEncoded(ast)
  return SchemaAST.isObjects(encoded)
    ? encoded.propertySignatures.flatMap(({ name, type }) =>
        name === "_tag" && SchemaAST.isLiteral(type) ? [String(type.literal)] : []
      )
    : []
}

/**
 * Errors that need thousands of products, seconds or a chain of events. The tests of the REST API cover them.
 * Errors that only agents get are here too.
 */
const TESTED_ELSEWHERE = [
  "TooManyMembers",
  "RulesTooSlow",
  "QueryTooSlow",
  "EventLoop",
  "BudgetSpent",
  "ApprovalNeeded",
  "TooManyProposals"
]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Surfaces", (it) => {
  for (const [name, run] of Object.entries(CASES)) {
    it.effect(`every surface has the same result for ${name}`, () =>
      Effect.gen(function* () {
        const surfaces = [yield* makeRest, yield* makeRpc, yield* makeMcp] as const
        const [rest, ...others] = surfaces
        const expected = yield* run(rest)
        assert.strictEqual("refused" in expected, /^[A-Z]/.test(name))
        for (const other of others) {
          assert.deepStrictEqual(comparable(withoutPathPrefix(yield* run(other))), comparable(expected))
          assert.deepStrictEqual(yield* rowsOf(other.storeId), yield* rowsOf(rest.storeId))
        }
        const hasWritten = (yield* writersOf(rest.storeId)).length > 0
        for (const { storeId, writer } of surfaces) {
          assert.deepStrictEqual(yield* writersOf(storeId), hasWritten ? [writer] : [])
        }
      })
    )
  }

  it("every error that the catalog procedures declare has a case", () => {
    const declared = [...Rpcs.requests.values()]
      .filter(({ _tag }) => /^(?:products|collections|inventory)\./.test(_tag))
      .flatMap(({ errorSchema }) => tagsOf(errorSchema.ast))
    const covered = new Set(Object.keys(CASES).map((name) => name.split(" ")[0]))
    assert.deepStrictEqual(
      [...new Set(declared)].filter((tag) => !covered.has(tag)).toSorted(),
      TESTED_ELSEWHERE.toSorted()
    )
  })
})
