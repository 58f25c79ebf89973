import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as FastCheck from "fast-check"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { CollectionId, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { CreateProduct, ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { Activity, EntryId } from "../../../src/domain/journal/Activity.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Undo } from "../../../src/domain/journal/Undo.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Write, Writes } from "../../../src/domain/Write.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { AGENT, contextOf } from "../../support/data/Writes.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toProductPatch = Schema.decodeUnknownSync(UpdateProduct)
const toCollection = Schema.decodeUnknownSync(CreateCollection)
const toCollectionPatch = Schema.decodeUnknownSync(UpdateCollection)

const Documents = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
const documentsIn = Schema.decodeUnknownSync(Documents)
const Ids = Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.String })))
const idsIn = Schema.decodeUnknownSync(Ids)

const page = { cursor: undefined, limit: 200 }

/** Returns all documents of a store without versions and update times. */
const documentsOf = Effect.fn(function* (storeId: StoreId) {
  const catalog = yield* Catalog
  const all = [yield* catalog.listProducts(storeId, page), yield* catalog.listCollections(storeId, page)]
  return all.map(({ items }) => documentsIn(items).map(({ updatedAt: _, version: __, ...document }) => document))
})

const anyPlace = FastCheck.nat(7)
const anyTags = FastCheck.subarray(["tea", "sale", "new"])
const anyRules = FastCheck.subarray([
  { field: "tags", relation: "equals", value: "tea" },
  { field: "price", relation: "less_than", value: 50 }
])
const anyPlaces = FastCheck.uniqueArray(anyPlace, { maxLength: 6 })
const anyProduct = FastCheck.record(
  {
    name: FastCheck.constantFrom("Cup", "Jug", "Mug"),
    price: FastCheck.constantFrom(0, 0.1, 99.99),
    tags: anyTags,
    description: FastCheck.constantFrom(null, "Of clay"),
    variants: FastCheck.constantFrom([], [{ title: "Blue", stock: 1 }]),
    metafields: FastCheck.constantFrom({}, { care: { oil: null } })
  },
  { requiredKeys: ["name"] }
)
const anySlug = FastCheck.option(FastCheck.nat(1_000_000), { nil: undefined, freq: 4 })
const anyCollection = FastCheck.record(
  {
    title: FastCheck.constantFrom("Shelf", "Window"),
    isActive: FastCheck.boolean(),
    type: FastCheck.constantFrom("manual", "automated"),
    rules: anyRules
  },
  { requiredKeys: ["title"] }
)

/** A random write to the resource at a random position of the store. */
const anyStep = FastCheck.oneof(
  FastCheck.record({ step: FastCheck.constant("createProduct" as const), input: anyProduct }),
  FastCheck.record({
    step: FastCheck.constant("updateProduct" as const),
    place: anyPlace,
    patch: anyProduct,
    slug: anySlug
  }),
  FastCheck.record({ step: FastCheck.constant("setInventory" as const), place: anyPlace, stock: FastCheck.nat(5) }),
  FastCheck.record({ step: FastCheck.constant("deleteProduct" as const), place: anyPlace }),
  FastCheck.record({
    step: FastCheck.constant("createCollection" as const),
    input: anyCollection,
    places: anyPlaces
  }),
  FastCheck.record({
    step: FastCheck.constant("updateCollection" as const),
    place: anyPlace,
    patch: anyCollection,
    slug: anySlug,
    places: FastCheck.option(anyPlaces, { nil: undefined })
  }),
  FastCheck.record({ step: FastCheck.constant("deleteCollection" as const), place: anyPlace })
)
type AnyStep = typeof anyStep extends FastCheck.Arbitrary<infer Step> ? Step : never

const at = <A>(list: ReadonlyArray<A>, place: number): ReadonlyArray<A> =>
  list.length === 0 ? [] : list.slice(place % list.length, (place % list.length) + 1)

const toProductId = Schema.decodeSync(ProductId)
const toCollectionId = Schema.decodeSync(CollectionId)

const slugOf = (slug: number | undefined) => (slug === undefined ? {} : { slug: `slug-${slug}` })

const runStep = Effect.fn(function* (storeId: StoreId, step: AnyStep) {
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const write = <A, E>(described: Write<A, E>) => Effect.asVoid(perform(contextOf(storeId, AGENT), described))
  const products = idsIn((yield* catalog.listProducts(storeId, page)).items).map(({ id }) => toProductId(id))
  const collections = idsIn((yield* catalog.listCollections(storeId, page)).items).map(({ id }) => toCollectionId(id))
  const productIdsAt = (places: ReadonlyArray<number>) => [...new Set(places.flatMap((place) => at(products, place)))]
  switch (step.step) {
    case "createProduct":
      return yield* write(catalog.createProduct(storeId, toProduct(step.input)))
    case "updateProduct": {
      const patch = toProductPatch({ ...step.patch, ...slugOf(step.slug) })
      return yield* Effect.forEach(at(products, step.place), (id) =>
        write(catalog.updateProduct(storeId, id, patch, "any"))
      )
    }
    case "setInventory":
      return yield* Effect.forEach(at(products, step.place), (id) =>
        write(catalog.setInventory(storeId, id, { stock: step.stock }, "any"))
      )
    case "deleteProduct":
      return yield* Effect.forEach(at(products, step.place), (id) => write(catalog.deleteProduct(storeId, id, "any")))
    case "createCollection":
      return yield* write(
        catalog.createCollection(storeId, toCollection({ ...step.input, productIds: productIdsAt(step.places) }))
      )
    case "updateCollection": {
      const productIds = step.places === undefined ? {} : { productIds: productIdsAt(step.places) }
      const patch = toCollectionPatch({ ...step.patch, ...slugOf(step.slug), ...productIds })
      return yield* Effect.forEach(at(collections, step.place), (id) =>
        write(catalog.updateCollection(storeId, id, patch, "any"))
      )
    }
    case "deleteCollection":
      return yield* Effect.forEach(at(collections, step.place), (id) =>
        write(catalog.deleteCollection(storeId, id, "any"))
      )
  }
})

const setUp = Effect.gen(function* () {
  const storeId = yield* makeStore()
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const context = contextOf(storeId)
  const created = yield* Effect.forEach(["Cup", "Jug", "Mug", "Pot"], (name) =>
    perform(context, catalog.createProduct(storeId, toProduct({ name, tags: ["tea"] })))
  )
  const productIds = created.map(({ id }) => id)
  yield* perform(context, catalog.createCollection(storeId, toCollection({ title: "All", productIds })))
  const rules = [{ field: "tags", relation: "equals", value: "tea" }]
  yield* perform(context, catalog.createCollection(storeId, toCollection({ title: "Tea", rules })))
  return storeId
})

const right = { kinds: CatalogKind.literals, ownId: null }

const agentEntries = Effect.fn(function* (storeId: StoreId) {
  const activity = yield* Activity
  const { items } = yield* activity.list(storeId, { kinds: CatalogKind.literals, actorId: AGENT.id, limit: 200 })
  return idsIn(items).map(({ id }) => EntryId.make(id))
})

const all = { actorId: AGENT.id, since: "2000-01-01T00:00:00.000Z", until: "3000-01-01T00:00:00.000Z" }

const scene = Layer.provideMerge(DomainLive, PostgresTest)

layer(scene, { excludeTestServices: true, timeout: "60 seconds" })("Undo of random writes", (it) => {
  for (const how of ["one by one, the newest first", "all at once"]) {
    it.effect(`undo of an agent's changes, ${how}, restores all documents except versions and update times`, () =>
      Effect.gen(function* () {
        const { perform } = yield* Writes
        const { undo, undoSpan } = yield* Undo
        const runtime = yield* Effect.context<Layer.Success<typeof scene>>()
        const holds = (steps: ReadonlyArray<AnyStep>) =>
          Effect.gen(function* () {
            const storeId = yield* setUp
            const before = yield* documentsOf(storeId)
            yield* Effect.forEach(steps, (step) => Effect.ignore(runStep(storeId, step)))
            const entries = yield* agentEntries(storeId)
            const context = contextOf(storeId)
            if (how.startsWith("one")) {
              for (const id of entries) yield* perform(context, undo(storeId, id, right))
            } else {
              yield* perform(context, undoSpan(storeId, all, right))
            }
            assert.deepStrictEqual(yield* documentsOf(storeId), before)
          })
        yield* Effect.promise(() =>
          FastCheck.assert(
            FastCheck.asyncProperty(FastCheck.array(anyStep, { minLength: 1, maxLength: 14 }), (steps) =>
              Effect.runPromise(Effect.provide(holds(steps), runtime))
            ),
            { numRuns: propertyRuns(15, 40) }
          )
        )
      })
    )
  }
})
