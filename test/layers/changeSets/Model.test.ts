import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { ChangeSetId } from "../../../src/domain/changeSets/ChangeSet.ts"
import { ChangeSets } from "../../../src/domain/changeSets/ChangeSets.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { operation, type RandomOperation } from "../../data/RandomOperations.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import {
  changePrices,
  context,
  type MadeStore,
  makeStore,
  performSingly,
  readStore,
  type SingleResult,
  undoSingly,
  UUID
} from "./SingleWrites.ts"
import { applySet, createSet, decodeSet, right, SetsTest } from "./Sets.ts"

/*
 * Compares change sets with the same writes made one after the other, in a second store: results, final states, and
 * the preview with what is then committed. Then undoes both, and undoes the undo.
 */

const RUNS = 12
const SOAK_RUNS = 500

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

/** Creates the set that undoes another one. */
const createUndo = Effect.fn(function* ({ storeId }: MadeStore, id: ChangeSetId) {
  const sets = yield* ChangeSets
  const { perform } = yield* Writes
  return decodeSet(yield* perform(context(storeId), sets.undo(context(storeId), id, right))).id
})

layer(SetsTest, { excludeTestServices: true, timeout: "120 seconds" })("Change sets against single writes", (it) => {
  it.effect(
    "a random set and its undo have the results and states of their writes one after the other, and of their previews",
    () =>
      Effect.gen(function* () {
        const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261_126)
        const cases = fc.sample(fc.array(operation, { minLength: 1, maxLength: 25 }), {
          seed,
          numRuns: propertyRuns(RUNS, SOAK_RUNS)
        })
        const outcomes = new Set<string>()
        for (const random of cases) {
          const [single, listed] = [yield* makeStore, yield* makeStore]
          const label = JSON.stringify(random)
          const compare = Effect.fnUntraced(function* (expected: ReadonlyArray<SingleResult>, id: ChangeSetId) {
            const { after, applied, before, previewed } = yield* applySet(listed.storeId, id)
            const shown = applied.map(({ error, outcome }) => ({
              outcome,
              error:
                error !== null && / (?:SKU|has the external id) /.test(error)
                  ? "SKU"
                  : (error?.replace(UUID, "id") ?? null)
            }))
            assert.deepStrictEqual(
              shown,
              expected.map(({ error, outcome }) => ({ outcome, error })),
              label
            )
            assert.deepStrictEqual(normalized(yield* readStore(listed)), normalized(yield* readStore(single)), label)
            assert.deepStrictEqual(
              previewed.map(({ error, outcome }) => ({ error, outcome })),
              applied.map(({ error, outcome }) => ({ error, outcome })),
              label
            )
            assert.deepStrictEqual(after.counts, before.counts, label)
            for (const { outcome } of applied) outcomes.add(outcome)
          })
          let id = yield* createSet(
            listed.storeId,
            random.map((one) => toOperation(listed, one))
          )
          let results: ReadonlyArray<SingleResult> = yield* Effect.forEach(random, (one) => performSingly(single, one))
          yield* compare(results, id)
          if (random.length % 2 === 0) yield* Effect.forEach([single, listed], changePrices)
          // An undo, and the undo of the undo.
          for (const _ of [1, 2]) {
            if (results.every(({ entryId }) => entryId === null)) break
            id = yield* createUndo(listed, id)
            results = yield* undoSingly(single, results)
            yield* compare(results, id)
          }
        }
        assert.sameMembers([...outcomes], ["created", "updated", "deleted", "unchanged", "refused"])
      })
  )
})
