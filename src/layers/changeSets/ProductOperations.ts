import { Array, Context, Effect, Layer, Option, Result } from "effect"
import {
  MAX_PRODUCT_BYTES,
  type Product,
  type ProductId,
  ProductLimitReached,
  ProductNotFound
} from "../../domain/catalog/Product.ts"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import type { Edit } from "../../domain/changeSets/Edit.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import { ChangedByOthers } from "../../domain/changeSets/Refusals.ts"
import { isOverlap } from "../../domain/journal/Conflicts.ts"
import type { StoreId } from "../../domain/Store.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { ProductBatch, type ProductDraft } from "../catalog/ProductBatch.ts"
import type { StoredProduct } from "../catalog/ProductRows.ts"
import { slugify } from "../catalog/Slugify.ts"
import { stampOf, StoreAllocation } from "../catalog/StoreAllocation.ts"
import { type JournalRow, membersOfSide } from "../journal/JournalRow.ts"
import type { FindConflicts } from "../journal/LaterChanges.ts"
import { productReferences } from "../journal/UndoProducts.ts"
import { FileRows } from "../media/FileRows.ts"
import { loadedProducts } from "./LoadedProducts.ts"
import {
  ExternalIdTaken,
  findOutdated,
  findTarget,
  isRestorable,
  type Loaded,
  nextOf,
  type NumberedProductOperation,
  type ProductOperation,
  type Refusal,
  refused,
  skuOf
} from "./ProductDecisions.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

const encode = (product: Product): StoredProduct => ({ product, json: ProductDocument.stringify(product) })

const isTooLarge = ({ json }: StoredProduct) => Buffer.byteLength(json) > MAX_PRODUCT_BYTES

/** Decision about one operation. */
type Decision =
  | { readonly kind: "write"; readonly draft: ProductDraft; readonly seen: number | null }
  | { readonly kind: "done"; readonly performed: Performed }
  /** The operation depends on an earlier one of the batch, which must be written first. */
  | { readonly kind: "wait" }
  /** The operation is not a simple change of a product. */
  | { readonly kind: "single" }

/**
 * Creations, changes and deletions of products by change sets. Each operation is decided by the functions of a single write; many are
 * then written by few statements.
 */
export class ProductOperations extends Context.Service<ProductOperations>()("layers/changeSets/ProductOperations", {
  make: Effect.gen(function* () {
    const { lockCapacity } = yield* StoreAllocation
    const batch = yield* ProductBatch
    const load = yield* loadedProducts
    const restoreReferences = yield* productReferences
    const { restore: restoreFiles } = yield* FileRows

    /** Finds the changes of others since the preview with which operations conflict, by their places in the set. */
    const listConflicts = Effect.fnUntraced(function* (
      operations: ReadonlyArray<NumberedProductOperation>,
      loaded: Loaded & { readonly edit: Edit | null },
      findConflicts: FindConflicts
    ) {
      const outdated = operations.flatMap((numbered) => {
        const found = findOutdated(numbered, loaded)
        return found === undefined ? [] : [{ ...found, index: numbered.index }]
      })
      const conflicts = outdated.length === 0 ? [] : yield* findConflicts(outdated)
      return new Map(Array.zip(outdated, conflicts).map(([{ index }, members]) => [index, members] as const))
    })

    return {
      /**
       * Performs the first operations, up to one that depends on an earlier one of them or is not a simple change, and at
       * least one unless it returns none. Locks the store.
       */
      perform: Effect.fn("ProductOperations.perform")(function* (
        store: StoreId,
        operations: ReadonlyArray<NumberedProductOperation>,
        { change: edit, onConflict }: Pick<StoredChangeSet, "change" | "onConflict">,
        findConflicts: FindConflicts
      ) {
        const { capacity, clock, limit } = yield* lockCapacity(store)
        const { at } = stampOf(clock)
        const loaded = { ...(yield* load(store, operations)), edit, onConflict }
        const conflicts = yield* listConflicts(operations, loaded, findConflicts)
        let free = capacity
        let changesSkus = false
        let hasDeleted = false
        const written = new Set<string>()
        /** States after updates that keep the slug. The next update of the product starts from it, unless it is too large. */
        const updated = new Map<ProductId, Product>()
        const freedSlugs = new Set<string>()
        const named = new Set<string>()

        /** A new product whose slug would be a number after the same text may get this one. */
        const freeSlug = (slug: string) => freedSlugs.add(slug).add(slug.replace(/-[0-9]+$/, ""))

        /** Takes a place for a new product. Returns another decision if there is none. */
        const takePlace = (slug: string, refuse: (error: Refusal) => Decision): Decision | undefined => {
          if (freedSlugs.has(slug)) return { kind: "wait" }
          // A creation before this one may be refused, which leaves its place free, as a deletion does.
          if (free <= 0) {
            return free < capacity || hasDeleted ? { kind: "wait" } : refuse(new ProductLimitReached({ limit }))
          }
          free--
          changesSkus = true
          return undefined
        }

        /** Restores a deleted product, if nobody has done so. */
        const decideRestoration = (
          id: ProductId,
          entry: JournalRow | undefined,
          refuse: (error: Refusal) => Decision
        ): Decision => {
          if (entry === undefined || !isRestorable(entry) || loaded.restored.has(id)) return { kind: "single" }
          const restored = ProductDocument.decode(membersOfSide(entry.before))
          const other = takePlace(restored.slug, refuse)
          if (other !== undefined) return other
          written.add(id)
          if (entry.externalId !== null) named.add(entry.externalId)
          return { kind: "write", draft: { outcome: "created", restored, undoes: entry.id }, seen: null }
        }

        const decideCreation = (
          numbered: NumberedProductOperation,
          { externalId, product }: Extract<ProductOperation, { readonly op: "product.create" }>
        ): Decision => {
          const refuse = (error: Refusal): Decision => ({
            kind: "done",
            performed: refused(numbered, error, { resource: "product", id: null, seen: null })
          })
          if (externalId !== undefined) {
            if (named.has(externalId)) return { kind: "wait" }
            const owner = loaded.idsByExternalId.get(externalId)
            if (owner !== undefined && written.has(owner)) return { kind: "wait" }
            if (owner !== undefined) return refuse(new ExternalIdTaken({ externalId }))
          }
          const other = takePlace(product.slug ?? slugify(product.name), refuse)
          if (other !== undefined) return other
          if (externalId !== undefined) named.add(externalId)
          return { kind: "write", draft: { outcome: "created", input: product, externalId }, seen: null }
        }

        const decide = (numbered: NumberedProductOperation): Decision => {
          const { operation } = numbered
          if (operation.op === "product.create") return decideCreation(numbered, operation)
          if (changesSkus && skuOf(operation) !== undefined) return { kind: "wait" }
          if ("externalId" in operation && named.has(operation.externalId ?? "")) return { kind: "wait" }
          const refuse = (error: Refusal, id: string | null, version: number | null): Decision => ({
            kind: "done",
            performed: refused(numbered, error, { resource: "product", id, seen: version })
          })
          const target = findTarget(operation, loaded)
          if (Result.isFailure(target)) return refuse(target.failure, null, null)
          const { id, variantId } = target.success
          const earlier = updated.get(id)
          if (written.has(id) && (earlier === undefined || operation.op === "entry.undo")) return { kind: "wait" }
          const before = earlier === undefined ? loaded.products.get(id) : encode(earlier)
          if (earlier !== undefined && before !== undefined && isTooLarge(before)) return { kind: "wait" }
          if (before === undefined) {
            return operation.op === "entry.undo"
              ? decideRestoration(id, loaded.entries.get(operation.entryId), (error) => refuse(error, id, null))
              : refuse(new ProductNotFound({ id }), id, null)
          }
          const { version } = before.product
          const expected = "expectedVersion" in operation ? operation.expectedVersion : undefined
          if (expected !== undefined && expected !== version) {
            return refuse(new VersionMismatch({ current: version }), id, version)
          }
          const conflict = conflicts.get(numbered.index)
          if (conflict !== undefined && isOverlap(conflict)) {
            return refuse(new ChangedByOthers({ members: conflict, current: version }), id, version)
          }
          const next = nextOf(operation, before, variantId, at, loaded)
          if (Result.isFailure(next)) return refuse(next.failure, id, version)
          if (Option.isNone(next.success)) return { kind: "single" }
          const after = next.success.value
          const undoes = operation.op === "entry.undo" ? { undoes: operation.entryId } : {}
          if (earlier !== undefined && after?.slug !== earlier.slug) return { kind: "wait" }
          if (after === null) {
            freeSlug(before.product.slug)
            changesSkus = true
            hasDeleted = true
            written.add(id)
            return { kind: "write", draft: { outcome: "deleted", before, ...undoes }, seen: version }
          }
          if (after === before.product) {
            const performed: Performed = {
              index: numbered.index,
              outcome: "unchanged",
              resource: "product",
              id,
              seen: version,
              version,
              entryId: null,
              error: null,
              issues: null
            }
            return { kind: "done", performed }
          }
          if (after.slug !== before.product.slug) {
            if (freedSlugs.has(after.slug)) return { kind: "wait" }
            freeSlug(before.product.slug)
          }
          // A change of stock makes new variants, with the same SKUs.
          const keepsSkus = operation.op === "inventory.change"
          if (!keepsSkus && (after.sku !== before.product.sku || after.variants !== before.product.variants)) {
            changesSkus = true
          }
          written.add(id)
          if (operation.op !== "entry.undo" && after.slug === before.product.slug) updated.set(id, after)
          const reason = operation.op === "inventory.change" ? (operation.change.reason ?? null) : null
          return { kind: "write", draft: { outcome: "updated", before, after, reason, ...undoes }, seen: version }
        }

        const decided: Array<readonly [NumberedProductOperation, Decision]> = []
        for (const numbered of operations) {
          const decision = decide(numbered)
          if (decision.kind === "wait" || decision.kind === "single") break
          decided.push([numbered, decision])
        }
        const drafts = decided.flatMap(([, decision]) => (decision.kind === "write" ? [decision.draft] : []))
        const stored = new Map(Array.zip(drafts, yield* batch.store(store, drafts)))
        for (const [draft, result] of stored) {
          const entry = draft.undoes === undefined ? undefined : loaded.entries.get(draft.undoes)
          if (Result.isFailure(result) || entry === undefined) continue
          if ("restored" in draft) yield* restoreReferences(store, draft.restored.id, entry)
          if (draft.outcome === "updated") yield* restoreFiles(store, draft.after, draft.before.product)
        }
        return decided.flatMap(([numbered, decision]): ReadonlyArray<Performed> => {
          if (decision.kind === "done") return [decision.performed]
          if (decision.kind !== "write") return []
          const { draft, seen } = decision
          const result = stored.get(draft)
          const id = "before" in draft ? draft.before.product.id : "restored" in draft ? draft.restored.id : null
          if (result === undefined) return []
          if (Result.isFailure(result)) return [refused(numbered, result.failure, { resource: "product", id, seen })]
          const { eventId, product } = result.success
          return [
            {
              index: numbered.index,
              outcome: draft.outcome,
              resource: "product",
              id: product.id,
              seen,
              version: product.version,
              entryId: eventId,
              error: null,
              issues: null
            }
          ]
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
