import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Catalog } from "../../../src/domain/catalog/Catalog.ts"
import type { ProductId } from "../../../src/domain/catalog/Product.ts"
import { Edit } from "../../../src/domain/changeSets/Edit.ts"
import { EntryId } from "../../../src/domain/journal/Activity.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Undo } from "../../../src/domain/journal/Undo.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Write, Writes } from "../../../src/domain/Write.ts"
import { observeChanges } from "../../../src/layers/Writes.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import {
  changedBetween,
  interleaving,
  type Listed,
  ownOf,
  performAll,
  PRODUCTS,
  selectedOf,
  type State,
  stateOf,
  type Theirs,
  VARIANTS
} from "./InterleavingModel.ts"
import { applySet, createSelected, createSet, SetsTest } from "./Sets.ts"
import { context, decode } from "./SingleWrites.ts"

/*
 * Compares sets, between whose preview and application others write, with a model: an operation is refused exactly if
 * others changed what it writes or computes from, and no change of others is lost.
 */

const RUNS = 20
const SOAK_RUNS = 400

const decodeEdit = Schema.decodeUnknownSync(Edit)
const toEntryId = Schema.decodeSync(EntryId)

const makeProducts = Effect.fn(function* (storeId: StoreId) {
  const catalog = yield* Catalog
  const { perform } = yield* Writes
  return yield* Effect.forEach(Array.from({ length: PRODUCTS }), (_, n) => {
    const variants = Array.from({ length: VARIANTS }, (__, at) => ({ title: `Size ${at}`, price: 100, stock: 30 }))
    const more = n === 0 ? {} : { discountedPrice: 100 }
    const input = decode.product({ name: "A", price: 200, stock: 30, tags: ["new"], variants, ...more })
    return perform(context(storeId), catalog.createProduct(storeId, input))
  })
})

/** Reads products by their places. */
const readStates = Effect.fn(function* (storeId: StoreId, ids: ReadonlyArray<ProductId>) {
  const catalog = yield* Catalog
  const products = decode.products((yield* catalog.listProducts(storeId, { cursor: undefined, limit: 200 })).items)
  return new Map(products.map((product) => [ids.indexOf(product.id), stateOf(product)] as const))
})

/** Converts a change of a product to an operation of a set. */
const toOperation = (operation: Listed, { id, variants }: State) => {
  const idOf = (at: number | null) => (at === null ? {} : { variantId: variants[at]?.id })
  switch (operation.kind) {
    case "patch":
      return { op: "product.update", id, patch: operation.patch } as const
    case "variant": {
      const patched = variants.map((one, at) => ({ id: one.id, ...(at === operation.variant ? operation.member : {}) }))
      return { op: "product.update", id, patch: { variants: patched } } as const
    }
    case "adjust":
      return { op: "inventory.change", id, change: { adjust: operation.by, ...idOf(operation.variant) } } as const
    case "stock":
      return { op: "inventory.change", id, change: { stock: operation.stock, ...idOf(operation.variant) } } as const
    case "delete":
      return { op: "product.delete", id } as const
  }
}

/** Performs a write of another. */
const performTheirs = Effect.fn(function* (storeId: StoreId, theirs: Theirs, { id, variants }: State) {
  const catalog = yield* Catalog
  const { undo } = yield* Undo
  const { perform } = yield* Writes
  const entries: Array<EntryId> = []
  const write = <A, E>(one: Write<A, E>) =>
    perform(
      context(storeId),
      observeChanges(one, (changes) => entries.push(...changes.map((change) => toEntryId(change.id))))
    )
  const patch = (patched: object) => write(catalog.updateProduct(storeId, id, decode.patch(patched), "any"))
  const kept = variants.map((one) => ({ id: one.id }))
  switch (theirs.kind) {
    case "patch":
      return yield* patch(theirs.patch)
    case "undone":
      yield* patch(theirs.patch)
      return yield* Effect.forEach(entries.slice(), (entry) =>
        write(undo(storeId, entry, { kinds: CatalogKind.literals, ownId: null }))
      )
    case "variant":
      return yield* patch({
        variants: kept.map((one, at) => (at === theirs.variant ? { ...one, ...theirs.member } : one))
      })
    case "addVariant":
      return yield* patch({ variants: [...kept, { title: "New", stock: 30 }] })
    case "removeVariant":
      return yield* patch({ variants: kept.filter((_, at) => at !== theirs.variant) })
    case "adjust": {
      const variantId = theirs.variant === null ? undefined : variants[theirs.variant]?.id
      const change = { adjust: theirs.by, ...(variantId === undefined ? {} : { variantId }) }
      return yield* write(catalog.setInventory(storeId, id, decode.change(change), "any"))
    }
    case "delete":
      return yield* write(catalog.deleteProduct(storeId, id, "any"))
  }
})

layer(SetsTest, { excludeTestServices: true, timeout: "120 seconds" })("Change sets between writes of others", (it) => {
  it.effect("loses no update, and refuses an operation only if others changed what it writes or computes from", () =>
    Effect.gen(function* () {
      const stores = yield* Stores
      const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261_128)
      const cases = fc.sample(interleaving, { seed, numRuns: propertyRuns(RUNS, SOAK_RUNS) })
      const seen = new Set<string>()
      for (const { set, theirs } of cases) {
        const label = JSON.stringify({ set, theirs })
        const storeId = yield* stores.create({ name: "A store", plan: "scale", currencyCode: "EUR" })
        const ids = (yield* makeProducts(storeId)).map(({ id }) => id)
        const initial = yield* readStates(storeId, ids)
        const at = (product: number) => initial.get(product) ?? assert.fail("There are as many products")
        const own =
          "change" in set
            ? ids.map((_, product) => selectedOf(set.change, product))
            : set.operations.map((operation) => ownOf(operation, at(operation.product)))
        const id =
          "change" in set
            ? yield* createSelected(storeId, { where: { ids }, change: decodeEdit(set.change) })
            : yield* createSet(
                storeId,
                set.operations.map((operation) => toOperation(operation, at(operation.product)))
              )

        const changed = new Map<number, ReadonlyArray<string>>()
        let between: ReadonlyMap<number, State> = initial
        const meanwhile = Effect.gen(function* () {
          for (const one of theirs) {
            const before = between.get(one.product)
            if (before === undefined) continue
            yield* performTheirs(storeId, one, before)
            between = yield* readStates(storeId, ids)
            const after = between.get(one.product)
            const members = after === undefined ? [] : changedBetween(before, after)
            changed.set(one.product, [...(changed.get(one.product) ?? []), ...members])
          }
        })
        const { applied, previewed } = yield* applySet(storeId, id, meanwhile)

        const preview = performAll(own, initial, () => false)
        assert.deepStrictEqual(
          previewed.map(({ outcome }) => outcome),
          preview.outcomes,
          label
        )
        const expected = performAll(own, between, ({ product, touched }, state, index) => {
          const isChanged = preview.outcomes[index] === "updated" || preview.outcomes[index] === "deleted"
          if (!isChanged) return true
          const members = touched(state)
          const others = changed.get(product) ?? []
          const isOverlap = members === null ? others.length > 0 : members.some((member) => others.includes(member))
          if (others.length > 0) seen.add(isOverlap ? "refused" : "applied beside others")
          return isOverlap
        })
        assert.deepStrictEqual(
          applied.map(({ outcome }) => outcome),
          expected.outcomes.map((outcome, index) => (preview.outcomes[index] === "unchanged" ? "unchanged" : outcome)),
          label
        )
        assert.deepStrictEqual(yield* readStates(storeId, ids), expected.states, label)
      }
      assert.sameMembers([...seen], ["refused", "applied beside others"])
    })
  )
})
