import { HashMap, type HashSet, Option, Result, Schema } from "effect"
import { ProductId } from "../../domain/catalog/Product.ts"
import { findProduct, type StoredProduct, type StoreState } from "../../domain/catalog/ProductState.ts"
import type { Edit } from "../../domain/changeSets/Edit.ts"
import type { NumberedOperation, StoredOperation } from "../../domain/changeSets/StoredOperation.ts"
import { touchedByOperation } from "../../domain/changeSets/Touched.ts"
import { slugRequestOf } from "../catalog/Slugify.ts"
import type { Outdated } from "../journal/LaterChanges.ts"
import type { JournalRow } from "../journal/JournalRow.ts"
import { slugsOf } from "../journal/UndoProducts.ts"
import { ownersOf, type SkuOwner } from "./Skus.ts"

/* Products, slugs and members that operations on products name. */

/** No product, or more than one, has the SKU or external id. */
export class NotOneProduct extends Schema.TaggedError<NotOneProduct>()("NotOneProduct", {
  name: Schema.Literals(["SKU", "external id"]),
  value: Schema.String,
  count: Schema.Int
}) {
  override get message() {
    const found = this.count === 0 ? "No product has" : "Several products or variants have"
    return `${found} the ${this.name} ${JSON.stringify(this.value)}; name the product by its id`
  }
}

/** Operations on one product, of which many are written together. */
export type ProductOperation = Exclude<
  StoredOperation,
  { readonly op: "collection.create" | "collection.update" | "collection.delete" | "collection.members" }
>

export interface NumberedProductOperation extends NumberedOperation {
  readonly operation: ProductOperation
}

/** True if the operation is one of many that are written together. */
export const isBatched = (numbered: NumberedOperation): numbered is NumberedProductOperation => {
  const { operation } = numbered
  switch (operation.op) {
    case "product.create":
    case "product.update":
    case "product.delete":
    case "product.edit":
    case "inventory.change":
      return true
    case "entry.undo":
      return operation.resource === "product"
    case "collection.create":
    case "collection.update":
    case "collection.delete":
    case "collection.members":
      return false
  }
}

/** Products, ids and entries that the operations of a batch name, read before they are performed. */
export interface Loaded {
  readonly products: ReadonlyMap<ProductId, StoredProduct>
  readonly idsByExternalId: ReadonlyMap<string, string>
  /** Products that may have one of the SKUs. */
  readonly withSkus: ReadonlyArray<ProductId>
  readonly entries: ReadonlyMap<string, JournalRow>
  /** Products that were restored after one of the entries. */
  readonly restored: ReadonlySet<string>
}

/** State that the earlier operations of a batch leave. */
export interface Session {
  readonly state: StoreState
  /** Products by the external ids that they received. */
  readonly named: HashMap.HashMap<string, ProductId>
  /** Products whose SKUs changed. */
  readonly withSkus: HashSet.HashSet<ProductId>
  /** Versions whose states products have again, because their later changes are undone. */
  readonly undoneTo: HashMap.HashMap<string, number>
}

/** True if the journal holds all that restores the product of this entry: its deletion. */
export const isRestorable = ({ after, before, memberships, omitted }: JournalRow) =>
  before !== null && after === null && memberships !== null && omitted.length === 0

export const skuOf = (operation: ProductOperation) => ("sku" in operation ? operation.sku : undefined)

export const toId = (id: string) => ProductId.make(id, { disableChecks: true })

/** Finds the product with an external id. An earlier operation may have deleted it. */
export const ownerOf = (
  externalId: string,
  named: Session["named"],
  { idsByExternalId }: Loaded
): ProductId | undefined => {
  const found = idsByExternalId.get(externalId)
  return Option.getOrUndefined(HashMap.get(named, externalId)) ?? (found === undefined ? undefined : toId(found))
}

/** Finds the product of an operation. */
export const findTarget = (
  operation: Exclude<ProductOperation, { readonly op: "product.create" }>,
  { named, state, withSkus }: Session,
  loaded: Loaded
): Result.Result<SkuOwner, NotOneProduct> => {
  const sku = skuOf(operation)
  if (sku !== undefined) {
    // A product can have a SKU itself and in a variant.
    const found = [...new Set([...loaded.withSkus, ...withSkus])].flatMap((id) => {
      const stored = findProduct(state, id)
      return stored === undefined ? [] : ownersOf(stored.product, sku)
    })
    const [owner] = found
    const products = new Set(found.map(({ id }) => id))
    const isUnique = operation.op === "inventory.change" ? found.length === 1 : products.size === 1
    return owner !== undefined && isUnique
      ? Result.succeed(owner)
      : Result.fail(new NotOneProduct({ name: "SKU", value: sku, count: found.length }))
  }
  if ("externalId" in operation && operation.externalId !== undefined) {
    const { externalId } = operation
    const id = ownerOf(externalId, named, loaded)
    return id === undefined || findProduct(state, id) === undefined
      ? Result.fail(new NotOneProduct({ name: "external id", value: externalId, count: 0 }))
      : Result.succeed({ id, variantId: undefined })
  }
  return Result.succeed({ id: toId(operation.id ?? ""), variantId: undefined })
}

/** Returns the slugs that an operation may take. */
export const slugsOfOperation = (
  { operation }: NumberedProductOperation,
  edit: Edit | null,
  { entries, products }: Loaded
): ReadonlyArray<string> => {
  const others = (slug: string | undefined, id: string | undefined) =>
    slug === undefined || (id !== undefined && products.get(toId(id))?.product.slug === slug) ? [] : [slug]
  switch (operation.op) {
    case "product.create": {
      const { slug } = slugRequestOf(operation.product)
      return slug === "" ? [] : [slug]
    }
    case "product.update":
      return others(operation.patch.slug, operation.id)
    case "product.edit":
      return others(edit?.patch?.slug, operation.id)
    case "entry.undo": {
      const entry = entries.get(operation.entryId)
      return entry === undefined ? [] : slugsOf(entry)
    }
    case "product.delete":
    case "inventory.change":
      return []
  }
}

/**
 * Returns the change that an operation makes of a product which is another one, or has another version, than in the
 * preview; undefined if others cannot have changed it.
 */
export const findOutdated = (
  { base, operation }: NumberedProductOperation,
  session: Session,
  loaded: Loaded,
  edit: Edit | null
): Outdated | undefined => {
  if (base === null || operation.op === "product.create" || operation.op === "entry.undo") return undefined
  const target = findTarget(operation, session, loaded)
  if (Result.isFailure(target)) return undefined
  const { id, variantId } = target.success
  const product = findProduct(session.state, id)?.product
  if (product === undefined) return undefined
  const { version: current } = product
  // A resource that an earlier operation creates has another id in the preview.
  const isOther = base.id !== null && base.version > 0 && base.id !== id
  if (!isOther && current === base.version) return undefined
  const touched = touchedByOperation(operation, edit, { product, variantId })
  return { id, version: isOther ? null : base.version, current, touched }
}
