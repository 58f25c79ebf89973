import { Array, Effect, Option, Result } from "effect"
import {
  changed,
  type CreateProduct,
  type Product,
  ProductLimitReached,
  type ProductTooLarge
} from "../../domain/catalog/Product.ts"
import type { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportedProduct } from "../../domain/imports/Product.ts"
import { type ExternalId, type ImportItem, type ImportOutcome, InvalidRow } from "../../domain/imports/Put.ts"
import { ProductBatch, type ProductDraft } from "../catalog/ProductBatch.ts"
import { ProductRepository } from "../catalog/ProductRepository.ts"
import type { StoredProduct } from "../catalog/ProductRows.ts"
import { stampOf, StoreAllocation } from "../catalog/StoreAllocation.ts"

/** Planned result of a row that can be stored. */
type Draft =
  | { readonly outcome: "created"; readonly input: CreateProduct; readonly externalId: ExternalId }
  | { readonly outcome: "updated"; readonly before: StoredProduct; readonly after: Product }
  | { readonly outcome: "unchanged" }

type DraftResult = Result.Result<Draft, InvalidRow>

const draftOf = (
  { externalId, input }: ImportItem<ImportedProduct>,
  before: StoredProduct | undefined,
  at: Date
): DraftResult =>
  input(before?.product, at).pipe(
    Result.flatMap((patch): Result.Result<Draft, ReadonlyArray<string>> => {
      if (before !== undefined) {
        const after = changed(before.product, patch, at)
        return Result.succeed(
          after === before.product ? { outcome: "unchanged" } : { outcome: "updated", before, after }
        )
      }
      const { name, ...fields } = patch
      return name === undefined
        ? Result.fail(["name: is missing; a product that does not exist yet needs one"])
        : Result.succeed({ externalId, outcome: "created", input: { name, ...fields } })
    }),
    Result.mapError((issues) => new InvalidRow({ issues }))
  )

/** Returns the drafts before the first new product that the plan does not allow. */
const takeAllowed = (drafts: ReadonlyArray<DraftResult>, capacity: number): ReadonlyArray<DraftResult> => {
  let left = capacity
  const end = drafts.findIndex((draft) => Result.isSuccess(draft) && draft.success.outcome === "created" && left-- <= 0)
  return end === -1 ? drafts : drafts.slice(0, end)
}

type PutError = ProductTooLarge | SlugTaken

/** Makes the import of products. */
export const productImport = Effect.gen(function* () {
  const { lockCapacity } = yield* StoreAllocation
  const { lockByExternalIds } = yield* ProductRepository
  const batch = yield* ProductBatch

  const putProducts: typeof Imports.Service.putProducts = Effect.fn("Imports.putProducts")(
    function* (store, items, planned) {
      const { capacity, clock, limit } = yield* lockCapacity(store)
      const existing = yield* lockByExternalIds(
        store,
        items.map(({ externalId }) => externalId)
      )
      const { at } = stampOf(clock)
      const all = items.map((item) => draftOf(item, existing.get(item.externalId), at))
      const drafts = takeAllowed(all, capacity - planned)
      const changes = Array.getSuccesses(drafts).flatMap((draft): ReadonlyArray<ProductDraft> =>
        draft.outcome === "unchanged" ? [] : [draft]
      )
      const stored = Array.zip(changes, yield* batch.store(store, changes))
      const errors = new Map<object, PutError>()
      for (const [draft, result] of stored) if (Result.isFailure(result)) errors.set(draft, result.failure)
      return {
        outcomes: drafts.map(
          Result.flatMap((draft): Result.Result<ImportOutcome, PutError> => {
            const error = errors.get(draft)
            return error === undefined ? Result.succeed(draft.outcome) : Result.fail(error)
          })
        ),
        limit: drafts.length === all.length ? Option.none() : Option.some(new ProductLimitReached({ limit }))
      }
    }
  )
  return putProducts
})
