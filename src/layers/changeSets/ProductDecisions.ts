import { Option, Result, Schema } from "effect"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { withStock } from "../../domain/catalog/Inventory.ts"
import { patchProduct, type Product, ProductId } from "../../domain/catalog/Product.ts"
import type { OnConflict } from "../../domain/changeSets/ChangeSet.ts"
import { type Edit, editProduct } from "../../domain/changeSets/Edit.ts"
import type { NumberedOperation, Performed, StoredOperation } from "../../domain/changeSets/StoredOperation.ts"
import { touchedByOperation } from "../../domain/changeSets/Touched.ts"
import { parseMembers } from "../../domain/json/StoredDocument.ts"
import { restoreMembers } from "../../domain/journal/Entry.ts"
import type { StoredProduct } from "../catalog/ProductRows.ts"
import type { Outdated } from "../journal/LaterChanges.ts"
import { type JournalRow, membersOfSide } from "../journal/JournalRow.ts"
import type { SkuOwner } from "./Skus.ts"

/* Pure decisions about operations of products. */

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

/** An error that refuses an operation. */
export interface Refusal {
  readonly message: string
  readonly issues?: ReadonlyArray<string> | undefined
}

/** A new product has the external id of another one. */
export class ExternalIdTaken extends Schema.TaggedError<ExternalIdTaken>()("ExternalIdTaken", {
  externalId: Schema.String
}) {
  override get message() {
    return `Another product has the external id ${JSON.stringify(this.externalId)}; change that product, or use another id`
  }
}

export const refused = (
  { index }: NumberedOperation,
  { issues, message }: Refusal,
  at: Pick<Performed, "resource" | "id" | "seen">
): Performed => ({
  index,
  outcome: "refused",
  ...at,
  version: null,
  entryId: null,
  error: message,
  issues: issues === undefined || issues.length === 0 ? null : issues
})

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

/** Products, ids and entries that the operations of a batch name, read and locked before they are performed. */
export interface Loaded {
  readonly products: Map<ProductId, StoredProduct>
  readonly idsByExternalId: ReadonlyMap<string, string>
  readonly owners: ReadonlyMap<string, ReadonlyArray<SkuOwner>>
  readonly entries: ReadonlyMap<string, JournalRow>
  /** Products that were restored after one of the entries. */
  readonly restored: ReadonlySet<string>
}

/** True if the journal holds all that restores the product of this entry: its deletion. */
export const isRestorable = ({ after, before, memberships, omitted }: JournalRow) =>
  before !== null && after === null && memberships !== null && omitted.length === 0

export const skuOf = (operation: ProductOperation) => ("sku" in operation ? operation.sku : undefined)

export const toId = (id: string) => ProductId.make(id, { disableChecks: true })

/** Finds the product of an operation. */
export const findTarget = (
  operation: Exclude<ProductOperation, { readonly op: "product.create" }>,
  { idsByExternalId, owners }: Loaded
): Result.Result<SkuOwner, NotOneProduct> => {
  const sku = skuOf(operation)
  if (sku !== undefined) {
    const found = owners.get(sku) ?? []
    const [owner] = found
    const products = new Set(found.map(({ id }) => id))
    const isUnique = operation.op === "inventory.change" ? found.length === 1 : products.size === 1
    return owner !== undefined && isUnique
      ? Result.succeed(owner)
      : Result.fail(new NotOneProduct({ name: "SKU", value: sku, count: found.length }))
  }
  if ("externalId" in operation && operation.externalId !== undefined) {
    const { externalId } = operation
    const id = idsByExternalId.get(externalId)
    return id === undefined
      ? Result.fail(new NotOneProduct({ name: "external id", value: externalId, count: 0 }))
      : Result.succeed({ id: toId(id), variantId: undefined })
  }
  return Result.succeed({ id: toId(operation.id ?? ""), variantId: undefined })
}

/**
 * Returns the change that an operation makes of a product which is another one, or has another version, than in the
 * preview; undefined if others cannot have changed it.
 */
export const findOutdated = (
  { base, operation }: NumberedProductOperation,
  loaded: Loaded & { readonly edit: Edit | null }
): Outdated | undefined => {
  if (base === null || operation.op === "product.create" || operation.op === "entry.undo") return undefined
  const target = findTarget(operation, loaded)
  if (Result.isFailure(target)) return undefined
  const { id, variantId } = target.success
  const product = loaded.products.get(id)?.product
  if (product === undefined) return undefined
  const { version: current } = product
  // A resource that an earlier operation creates has another id in the preview.
  const isOther = base.id !== null && base.version > 0 && base.id !== id
  if (!isOther && current === base.version) return undefined
  const touched = touchedByOperation(operation, loaded.edit, { product, variantId })
  return { id, version: isOther ? null : base.version, current, touched }
}

/** Computes the next state of a product, null if it is deleted; none if the operation is not a simple change. */
export const nextOf = (
  operation: Exclude<ProductOperation, { readonly op: "product.create" }>,
  before: StoredProduct,
  variantId: string | undefined,
  at: Date,
  { edit, entries, onConflict }: Loaded & { readonly edit: Edit | null; readonly onConflict: OnConflict }
): Result.Result<Option.Option<Product | null>, Refusal> => {
  const { product } = before
  switch (operation.op) {
    case "product.update":
      return Result.succeed(Option.some(patchProduct(product, operation.patch, at)))
    case "inventory.change": {
      const change = variantId === undefined ? operation.change : { ...operation.change, variantId }
      return Result.map(withStock(product, change, at), Option.some)
    }
    case "product.delete":
      return Result.succeed(Option.some(null))
    case "product.edit":
      if (edit?.delete === true) return Result.succeed(Option.some(null))
      return Result.map(editProduct(product, edit ?? {}, at), Option.some)
    case "entry.undo": {
      const entry = entries.get(operation.entryId)
      const isLast = entry?.version === product.version
      // Nothing has changed the product since its creation.
      if (entry?.before === null && isLast) return Result.succeed(Option.some(null))
      const isSimple =
        entry !== undefined && entry.before !== null && entry.after !== null && entry.omitted.length === 0
      if (!isSimple || (!isLast && onConflict === "skip")) {
        return Result.succeed(Option.none())
      }
      const fields = restoreMembers(parseMembers(before.json), membersOfSide(entry.before), membersOfSide(entry.after))
      const restored = ProductDocument.decode(fields)
      return Result.succeed(Option.some({ ...restored, version: product.version + 1, updatedAt: at.toISOString() }))
    }
  }
}
