import { Array, Clock, Effect, HashMap, Option, Result } from "effect"
import {
  changed,
  type CreateProduct,
  type ProductLimitReached,
  type ProductNotFound,
  type ProductTooLarge
} from "../../domain/catalog/Product.ts"
import {
  decideChange,
  type Decided,
  decideCreation,
  type ProductChange,
  type StoredProduct,
  type StoreState
} from "../../domain/catalog/ProductState.ts"
import type { SlugTaken } from "../../domain/catalog/Slug.ts"
import type { Imports } from "../../domain/imports/Imports.ts"
import type { ImportedProduct, ProductPatch } from "../../domain/imports/Product.ts"
import { type ExternalId, type ImportItem, type ImportOutcome, InvalidRow } from "../../domain/imports/Put.ts"
import type { VersionMismatch } from "../../domain/Version.ts"
import { ProductRepository } from "../catalog/ProductRepository.ts"
import { ProductWrites } from "../catalog/ProductWrites.ts"
import { slugRequestOf } from "../catalog/Slugify.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"

/** Write that a row causes: it creates a product, or changes one. */
type Draft =
  | { readonly input: CreateProduct; readonly externalId: ExternalId }
  | { readonly before: StoredProduct; readonly patch: ProductPatch }

const draftOf = (
  { externalId, input }: ImportItem<ImportedProduct>,
  before: StoredProduct | undefined,
  at: Date
): Result.Result<Draft, InvalidRow> =>
  input(before?.product, at).pipe(
    Result.flatMap((patch): Result.Result<Draft, ReadonlyArray<string>> => {
      if (before !== undefined) return Result.succeed({ before, patch })
      const { name, ...fields } = patch
      return name === undefined
        ? Result.fail(["name: is missing; a product that does not exist yet needs one"])
        : Result.succeed({ externalId, input: { name, ...fields } })
    }),
    Result.mapError((issues) => new InvalidRow({ issues }))
  )

/** Slug that a row needs; none if its product keeps its own. */
const slugOf = (draft: Draft): ReadonlyArray<string> => {
  if ("input" in draft) {
    const { slug } = slugRequestOf(draft.input)
    return slug === "" ? [] : [slug]
  }
  const { before, patch } = draft
  return patch.slug === undefined || patch.slug === before.product.slug ? [] : [patch.slug]
}

type Refused = ProductLimitReached | ProductNotFound | ProductTooLarge | SlugTaken | VersionMismatch

const decide = (state: StoreState, draft: Draft): Result.Result<Decided<StoreState>, Refused> =>
  "input" in draft
    ? decideCreation(state, draft.input, slugRequestOf(draft.input), { externalId: draft.externalId })
    : decideChange(state, draft.before.product.id, "any", (before, at) =>
        Result.succeed(changed(before, draft.patch, at))
      )

const outcomeOf = (change: ProductChange | null): ImportOutcome =>
  change === null ? "unchanged" : change.before === null ? "created" : "updated"

/** Makes the import of products. */
export const productImport = Effect.gen(function* () {
  const { allocateProducts, lockStore } = yield* StoreAllocation
  const { lockByExternalIds } = yield* ProductRepository
  const writes = yield* ProductWrites

  const putProducts: typeof Imports.Service.putProducts = Effect.fn("Imports.putProducts")(
    function* (store, items, planned) {
      yield* lockStore(store)
      const existing = yield* lockByExternalIds(
        store,
        items.map(({ externalId }) => externalId)
      )
      const at = new Date(yield* Clock.currentTimeMillis)
      const drafts = items.map((item) => draftOf(item, existing.get(item.externalId), at))
      const slugs = Array.getSuccesses(drafts).flatMap(slugOf)
      const allocated = yield* allocateProducts(store, { instants: items.length, slugs })
      let state: StoreState = {
        ...allocated,
        places: allocated.places - planned,
        products: HashMap.fromIterable([...existing.values()].map((stored) => [stored.product.id, stored] as const))
      }
      const outcomes: Array<Result.Result<ImportOutcome, ProductTooLarge | SlugTaken | InvalidRow>> = []
      const changes: Array<ProductChange> = []
      let limit = Option.none<ProductLimitReached>()
      for (const draft of drafts) {
        if (Result.isFailure(draft)) {
          outcomes.push(Result.fail(draft.failure))
          continue
        }
        const decided = decide(state, draft.success)
        if (Result.isSuccess(decided)) {
          state = decided.success.state
          const { change } = decided.success
          if (change !== null) changes.push(change)
          outcomes.push(Result.succeed(outcomeOf(change)))
          continue
        }
        const { failure } = decided
        if (failure._tag === "ProductLimitReached") {
          limit = Option.some(failure)
          break
        }
        // The product is locked, and a row names no version.
        if (failure._tag === "ProductNotFound" || failure._tag === "VersionMismatch") return yield* Effect.die(failure)
        outcomes.push(Result.fail(failure))
      }
      yield* writes.store(store, changes)
      return { outcomes, limit }
    }
  )
  return putProducts
})
