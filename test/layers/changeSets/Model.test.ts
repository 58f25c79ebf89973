import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Result, Schema } from "effect"
import * as fc from "fast-check"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { Actor, IMPORTER } from "../../../src/domain/Actor.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import { Collection, CreateCollection, UpdateCollection } from "../../../src/domain/catalog/Collection.ts"
import { SetInventory } from "../../../src/domain/catalog/Inventory.ts"
import { CreateProduct, Product, type ProductId, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import { ChangeSet, OperationResult } from "../../../src/domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../../src/domain/changeSets/ChangeSets.ts"
import { SCOPES_OF_OPERATION } from "../../../src/domain/changeSets/Operation.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ChangeSetJobs } from "../../../src/layers/changeSets/ChangeSetJobs.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { Jobs } from "../../../src/layers/jobs/Jobs.ts"
import { type Write, Writes } from "../../../src/domain/Write.ts"
import { operation, PRODUCTS, type RandomOperation, SKUS } from "../../data/RandomOperations.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

/*
 * Compares change sets with the same writes made one after the other, in a second store: results, final states, and
 * the preview with what is then committed.
 */

const Live = Jobs.layer.pipe(Layer.provideMerge(DomainLive), Layer.provideMerge(PostgresTest))

const RUNS = 40

const context = (storeId: StoreId) =>
  ({ storeId, actor: Actor.Merchant({ id: IMPORTER }), surface: "cli", cause: null, mode: "perform" }) as const

const decode = {
  product: Schema.decodeUnknownSync(CreateProduct),
  patch: Schema.decodeUnknownSync(UpdateProduct),
  change: Schema.decodeUnknownSync(SetInventory),
  collection: Schema.decodeUnknownSync(CreateCollection),
  collectionPatch: Schema.decodeUnknownSync(UpdateCollection),
  products: Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Product))),
  collections: Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Collection))),
  set: Schema.decodeUnknownSync(Schema.fromJsonString(ChangeSet)),
  results: Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(OperationResult)))
}

const makeStore = Effect.gen(function* () {
  const stores = yield* Stores
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
  const ids: Array<ProductId> = []
  for (let n = 0; n < PRODUCTS; n++) {
    const input = decode.product({ name: `Product ${n}`, sku: SKUS[n % 3], stock: 2, price: n })
    ids.push((yield* perform(context(storeId), catalog.createProduct(storeId, input))).id)
  }
  const collection = yield* perform(
    context(storeId),
    catalog.createCollection(storeId, decode.collection({ title: "Manual", productIds: ids.slice(0, 2) }))
  )
  yield* perform(
    context(storeId),
    catalog.createCollection(
      storeId,
      decode.collection({ title: "Cheap", rules: [{ field: "price", relation: "less_than", value: 10 }] })
    )
  )
  return { storeId, ids, collection: collection.id }
})
type MadeStore = Effect.Success<typeof makeStore>

const readStore = Effect.fn(function* ({ storeId }: MadeStore) {
  const catalog = yield* Catalog
  const page = { cursor: undefined, limit: 200 }
  return {
    products: decode.products((yield* catalog.listProducts(storeId, page)).items),
    collections: decode.collections((yield* catalog.listCollections(storeId, page)).items)
  }
})

/** Replaces ids and times, which differ between the stores, by their places. */
const normalized = ({ collections, products }: Effect.Success<ReturnType<typeof readStore>>) => {
  const place = new Map(products.map(({ id }, at) => [id, at]))
  return {
    products: products.map(({ createdAt: _, id, slug, updatedAt: __, variants, ...fields }) => ({
      ...fields,
      slug: slug.replace(id.slice(-8), "id"),
      variants: variants.map(({ id: ___, ...variant }) => variant)
    })),
    collections: collections.map(({ createdAt: _, id, productIds, slug, updatedAt: __, ...fields }) => ({
      ...fields,
      slug: slug.replace(id.slice(-8), "id"),
      productIds: productIds.map((one) => place.get(one))
    }))
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** Converts a random operation to one of a change set. */
const toOperation = ({ collection, ids }: MadeStore, random: RandomOperation) => {
  const at = (n: number) => ids[n] ?? assert.fail("No such product")
  const expected = "version" in random && random.version !== null ? { expectedVersion: random.version } : {}
  const named = "target" in random ? { id: at(random.target) } : "sku" in random ? { sku: random.sku } : {}
  switch (random.op) {
    case "product.create":
    case "collection.create":
      return random
    case "product.update":
      return { op: random.op, ...named, patch: random.patch, ...expected }
    case "inventory.change":
      return { op: random.op, ...named, change: random.change }
    case "product.delete":
      return { op: random.op, ...named, ...expected }
    case "collection.update":
      return { op: random.op, id: collection, patch: random.patch }
    case "collection.members":
      return { op: random.op, id: collection, add: random.add.map(at), remove: random.remove.map(at) }
    case "collection.delete":
      return { op: random.op, id: collection }
  }
}

/** Performs an operation as a single write. Returns its outcome, and the reason of a refusal. */
const performSingly = Effect.fn(function* (store: MadeStore, random: RandomOperation) {
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  const { collection, ids, storeId } = store
  const before = yield* readStore(store)
  const condition = "version" in random && random.version !== null ? [random.version] : ("any" as const)
  const owners: ReadonlyArray<{ readonly id: ProductId; readonly variantId: string | undefined }> =
    "sku" in random
      ? before.products.flatMap((one) => {
          const variants = one.variants.filter((variant) => variant.sku === random.sku)
          const own = one.sku === random.sku && variants.length === 0 ? [undefined] : []
          return [...variants.map(({ id }) => id), ...own].map((variantId) => ({ id: one.id, variantId }))
        })
      : "target" in random
        ? [{ id: ids[random.target] ?? assert.fail("No such product"), variantId: undefined }]
        : []
  const [owner] = owners
  const isUnique =
    random.op === "inventory.change" ? owners.length === 1 : new Set(owners.map(({ id }) => id)).size === 1
  const isNamed = "sku" in random || "target" in random
  if (isNamed && (owner === undefined || !isUnique)) return { outcome: "refused", error: "SKU" }
  const target = owner ?? { id: ids[0] ?? assert.fail("No product"), variantId: undefined }
  const current = before.collections.find(({ id }) => id === collection)
  const write = (): Write<unknown, { readonly message: string }> => {
    switch (random.op) {
      case "product.create":
        return catalog.createProduct(storeId, decode.product(random.product))
      case "product.update":
        return catalog.updateProduct(storeId, target.id, decode.patch(random.patch), condition)
      case "inventory.change": {
        const { variantId } = target
        const input = { ...random.change, ...(variantId === undefined ? {} : { variantId }) }
        return catalog.setInventory(storeId, target.id, decode.change(input), "any")
      }
      case "product.delete":
        return catalog.deleteProduct(storeId, target.id, condition)
      case "collection.create":
        return catalog.createCollection(storeId, decode.collection(random.collection))
      case "collection.update":
        return catalog.updateCollection(storeId, collection, decode.collectionPatch(random.patch), "any")
      case "collection.members": {
        const removed = new Set(random.remove.map((n) => ids[n]))
        const kept = (current?.productIds ?? []).filter((id) => !removed.has(id))
        const productIds = [...kept, ...random.add.flatMap((n) => ids[n] ?? [])]
        return catalog.updateCollection(storeId, collection, { productIds }, "any")
      }
      case "collection.delete":
        return catalog.deleteCollection(storeId, collection, "any")
    }
  }
  const result = yield* Effect.result(perform(context(storeId), write()))
  if (Result.isFailure(result)) {
    return { outcome: "refused", error: result.failure.message.replace(UUID, "id") }
  }
  const after = yield* readStore(store)
  const size = (state: typeof after) => state.products.length + state.collections.length
  const isSame = JSON.stringify(after) === JSON.stringify(before)
  const outcome =
    size(after) > size(before) ? "created" : size(after) < size(before) ? "deleted" : isSame ? "unchanged" : "updated"
  return { outcome, error: null }
})

/** Runs the job of the only unfinished set to its end. */
const runJob = Effect.gen(function* () {
  const jobs = yield* Jobs
  const { apply, preview } = yield* ChangeSetJobs
  const job = Option.getOrThrow(yield* jobs.claim(undefined))
  const { step } = job.kind === "changeSet.preview" ? preview : apply
  yield* Effect.repeat(step(job), { until: (left) => left === "finished" })
})

const performAsSet = Effect.fn(function* (store: MadeStore, random: ReadonlyArray<RandomOperation>) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  const { storeId } = store
  const right = { scopes: Scope.literals, ownId: null }
  const id = yield* sets.begin(storeId)
  const operations = random.map((one) => toOperation(store, one))
  yield* sets.stage(
    storeId,
    id,
    0,
    operations.map((one) => JSON.stringify(one))
  )
  const scopes = new Set(operations.map(({ op }) => SCOPES_OF_OPERATION[op]))
  yield* perform(
    context(storeId),
    sets.create(context(storeId), id, { mode: "each" }, { operations: operations.length, scopes })
  )
  yield* runJob
  const read = Effect.map(sets.results(storeId, id, { cursor: undefined, limit: 200 }, undefined, right), ({ items }) =>
    decode.results(items)
  )
  const previewed = yield* read
  const before = decode.set(yield* sets.get(storeId, id, right))
  yield* perform(context(storeId), sets.apply(storeId, id, "skip", right, Actor.Merchant({ id: IMPORTER })))
  yield* runJob
  return { previewed, before, applied: yield* read, after: decode.set(yield* sets.get(storeId, id, right)) }
})

layer(Live, { excludeTestServices: true, timeout: "120 seconds" })("Change sets against single writes", (it) => {
  it.effect(
    "a random set has the results and the final state of its writes one after the other, and of its preview",
    () =>
      Effect.gen(function* () {
        const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261_126)
        const runs = Number(process.env["CHANGE_SET_RUNS"] ?? RUNS)
        const cases = fc.sample(fc.array(operation, { minLength: 1, maxLength: 25 }), { seed, numRuns: runs })
        const outcomes = new Set<string>()
        for (const random of cases) {
          const [single, listed] = [yield* makeStore, yield* makeStore]
          const expected: Array<{ readonly outcome: string; readonly error: string | null }> = []
          for (const one of random) expected.push(yield* performSingly(single, one))
          const { after, applied, before, previewed } = yield* performAsSet(listed, random)
          const label = JSON.stringify(random)
          const shown = applied.map(({ error, outcome }) => ({
            outcome,
            error:
              error !== null && / (?:SKU|has the external id) /.test(error)
                ? "SKU"
                : (error?.replace(UUID, "id") ?? null)
          }))
          assert.deepStrictEqual(shown, expected, label)
          assert.deepStrictEqual(normalized(yield* readStore(listed)), normalized(yield* readStore(single)), label)
          assert.deepStrictEqual(
            previewed.map(({ error, outcome }) => ({ error, outcome })),
            applied.map(({ error, outcome }) => ({ error, outcome })),
            label
          )
          assert.deepStrictEqual(after.counts, before.counts, label)
          for (const { outcome } of applied) outcomes.add(outcome)
        }
        assert.sameMembers([...outcomes], ["created", "updated", "deleted", "unchanged", "refused"])
      })
  )
})
