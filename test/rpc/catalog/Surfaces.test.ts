import { assert, layer } from "@effect/vitest"
import { Effect, Predicate, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import { MAX_LARGE_ANSWERS } from "../../../src/domain/Idempotency.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { Rpcs } from "../../../src/rpc/Rpcs.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { isText, makeMcp, makeRest, makeRpc, type Outcome, type Surface } from "../../support/rpc/Surfaces.ts"
import type { Writes } from "../../../src/domain/Write.ts"
import { performIn } from "../../support/data/Writes.ts"

const OWN = new Set([
  "id",
  "createdAt",
  "updatedAt",
  "occurredAt",
  "storeId",
  "actor",
  "originInstallationId",
  "productIds"
])

/** A document or an event without what no two writes share, nor the surfaces. */
const shared = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shared)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (OWN.has(key) ? [] : [[key, shared(inner)]]))
  )
}

/** Where a line of `issues` stands in a payload is told, too. */
const withoutPlace = (outcome: Outcome): Outcome =>
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

/** As whom, and through which surface, the writes of a store came, by its journal. */
const writersIn = (storeId: StoreId) =>
  Effect.map(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select distinct actor_type, surface from journal where store_id = ${storeId} and version is not null`
    ).pipe(Effect.orDie),
    (rows) => rows.map((row) => `${String(row["actor_type"])} ${String(row["surface"])}`)
  )

/** The rows that a store's writes left. */
const leftIn = (storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const documents = yield* sql`
      select document, version from products where store_id = ${storeId}
      union all select document, version from collections where store_id = ${storeId}
    `.pipe(Effect.orDie)
    const events = yield* sql`select payload from events where store_id = ${storeId} order by id`.pipe(Effect.orDie)
    return shared({
      documents: documents.map((row) => row["document"]),
      events: events.map(({ payload }) => (isText(payload) ? JSON.parse(payload) : payload))
    })
  })

const idIn = (outcome: Outcome) =>
  "made" in outcome ? String(outcome.made["id"]) : assert.fail(JSON.stringify(outcome))

const NOBODY = "019c1363-49c0-7fff-8000-000000000000"

const long = (bytes: number) => ({ text: "x".repeat(bytes) })

const narrow = (storeId: StoreId) =>
  Effect.gen(function* () {
    const { createPlan, setPlan } = yield* Stores
    const name = randomUUID()
    yield* Effect.orDie(createPlan(Plan.make({ name, productLimit: 1, collectionLimit: 1 })))
    const perform = yield* performIn(storeId)
    yield* Effect.orDie(perform(setPlan(storeId, name)))
  })

const fillAnswers = (storeId: StoreId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update large_answers set bytes = ${MAX_LARGE_ANSWERS} where store_id = ${storeId}`
  ).pipe(Effect.orDie)

const create = ({ write }: Surface, body: object = { name: "Cup" }) =>
  Effect.map(write("create", "product", { body }), idIn)
const group = ({ write }: Surface, body: object = { title: "Cups" }) =>
  Effect.map(write("create", "collection", { body }), idIn)

/** A write by its outcome's name: on a surface whose store may be made ready for it. */
const CASES: Readonly<
  Record<string, (surface: Surface) => Effect.Effect<Outcome, never, SqlClient.SqlClient | Stores | Writes>>
> = {
  "a product": ({ write }) =>
    write("create", "product", {
      body: { name: " Desk ", price: 12.5, tags: ["Oak", "oak"], variants: [{ title: "A" }], metafields: { a: [1] } }
    }),
  "a product of many bytes": ({ write }) =>
    write("create", "product", { body: { name: "D", metafields: long(60_000) } }),
  "a product that changes": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("update", "product", { id, body: { stock: 3 }, version: 1 })),
  "a change that changes nothing": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("update", "product", { id, body: { name: "Cup" } })),
  "a product that goes": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("delete", "product", { id, version: 1 })),
  "a stock that changes": (surface) =>
    Effect.flatMap(create(surface), (id) =>
      surface.write("stock", "product", { id, body: { adjust: 2, expectedStock: 0, reason: "Found" } })
    ),
  "a collection by hand": (surface) =>
    Effect.flatMap(create(surface), (id) =>
      surface.write("create", "collection", { body: { title: "Cups", productIds: [id] } })
    ),
  "a collection by rules that changes": (surface) =>
    Effect.gen(function* () {
      yield* create(surface)
      const id = yield* group(surface, { title: "All", rules: [{ field: "title", relation: "contains", value: "u" }] })
      return yield* surface.write("update", "collection", { id, body: { type: "manual" } })
    }),
  "a collection that goes": (surface) =>
    Effect.flatMap(group(surface), (id) => surface.write("delete", "collection", { id })),
  BadRequest: ({ write }) => write("create", "product", { body: { name: "", price: -1, nmae: 1, media: [{}] } }),
  "BadRequest of rules": ({ write }) =>
    write("create", "collection", {
      body: { title: "A", rules: [{ field: "onSale", relation: "contains", value: 1 }] }
    }),
  ProductLimitReached: (surface) =>
    Effect.gen(function* () {
      yield* create(surface)
      yield* narrow(surface.storeId)
      return yield* surface.write("create", "product", { body: { name: "Mug" } })
    }),
  CollectionLimitReached: (surface) =>
    Effect.gen(function* () {
      yield* group(surface)
      yield* narrow(surface.storeId)
      return yield* surface.write("create", "collection", { body: { title: "Mugs" } })
    }),
  ProductTooLarge: (surface) =>
    Effect.gen(function* () {
      const id = yield* create(surface, { name: "Cup", metafields: long(600_000) })
      return yield* surface.write("update", "product", { id, body: { customFields: long(600_000) } })
    }),
  "SlugTaken by a create": (surface) =>
    Effect.andThen(create(surface), surface.write("create", "product", { body: { name: "Cup", slug: "cup" } })),
  "SlugTaken by an update": (surface) =>
    Effect.gen(function* () {
      yield* group(surface)
      const id = yield* group(surface, { title: "Mugs" })
      return yield* surface.write("update", "collection", { id, body: { slug: "cups" } })
    }),
  VariantNotFound: (surface) =>
    Effect.flatMap(create(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: 1, variantId: NOBODY } })
    ),
  StockMismatch: (surface) =>
    Effect.flatMap(create(surface), (id) =>
      surface.write("stock", "product", { id, body: { stock: 1, expectedStock: 7 } })
    ),
  StockOutOfRange: (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("stock", "product", { id, body: { adjust: -1 } })),
  "BadRequest of a stock": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("stock", "product", { id, body: { stock: -1, adjust: 1 } })),
  "ProductNotFound by a stock": ({ write }) => write("stock", "product", { id: NOBODY, body: { stock: 1 } }),
  "VersionMismatch by a stock": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("stock", "product", { id, body: { stock: 3 }, version: 7 })),
  "ProductNotFound by an update": ({ write }) => write("update", "product", { id: NOBODY, body: {} }),
  "ProductNotFound by a delete": ({ write }) => write("delete", "product", { id: NOBODY }),
  "CollectionNotFound by an update": ({ write }) => write("update", "collection", { id: NOBODY, body: {} }),
  "CollectionNotFound by a delete": ({ write }) => write("delete", "collection", { id: NOBODY }),
  "VersionMismatch by an update": (surface) =>
    Effect.flatMap(create(surface), (id) => surface.write("update", "product", { id, body: { stock: 3 }, version: 7 })),
  "VersionMismatch by a delete": (surface) =>
    Effect.flatMap(group(surface), (id) => surface.write("delete", "collection", { id, version: 7 })),
  UnknownProducts: ({ write }) => write("create", "collection", { body: { title: "A", productIds: [NOBODY] } }),
  TooManyProductIds: ({ write }) =>
    write("create", "collection", {
      body: { title: "A", productIds: Array.from({ length: 10_001 }, () => randomUUID()) }
    }),
  KeyReused: ({ write }) =>
    Effect.andThen(
      write("create", "product", { body: { name: "Cup" }, key: "one" }),
      write("create", "product", { body: { name: "Mug" }, key: "one" })
    ),
  AnswersFull: (surface) =>
    Effect.gen(function* () {
      yield* create(surface, { name: "Cup", metafields: long(20_000) })
      yield* fillAnswers(surface.storeId)
      return yield* surface.write("create", "product", { body: { name: "Mug", metafields: long(20_000) } })
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
 * What takes thousands of products, seconds, or an event to answer: the same writes are refused so in tests of the first.
 * And what agents alone are refused with.
 */
const ELSEWHERE = ["TooManyMembers", "RulesTooSlow", "EventLoop", "BudgetSpent", "ApprovalNeeded", "TooManyProposals"]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("all surfaces", (it) => {
  for (const [name, run] of Object.entries(CASES)) {
    it.effect(`come to the same by the same write: ${name}`, () =>
      Effect.gen(function* () {
        const surfaces = [yield* makeRest, yield* makeRpc, yield* makeMcp] as const
        const [rest, ...others] = surfaces
        const expected = yield* run(rest)
        assert.strictEqual("refused" in expected, /^[A-Z]/.test(name))
        for (const other of others) {
          assert.deepStrictEqual(shared(withoutPlace(yield* run(other))), shared(expected))
          assert.deepStrictEqual(yield* leftIn(other.storeId), yield* leftIn(rest.storeId))
        }
        const written = (yield* writersIn(rest.storeId)).length > 0
        for (const { storeId, writer } of surfaces) {
          assert.deepStrictEqual(yield* writersIn(storeId), written ? [writer] : [])
        }
      })
    )
  }

  it("every error that the catalog's procedures declare is among them", () => {
    const declared = [...Rpcs.requests.values()]
      .filter(({ _tag }) => /^(?:products|collections|inventory)\./.test(_tag))
      .flatMap(({ errorSchema }) => tagsOf(errorSchema.ast))
    const shown = new Set(Object.keys(CASES).map((name) => name.split(" ")[0]))
    assert.deepStrictEqual([...new Set(declared)].filter((tag) => !shown.has(tag)).toSorted(), ELSEWHERE.toSorted())
  })
})
