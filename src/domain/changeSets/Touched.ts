import { Struct } from "effect"
import { isObject, type JsonObject } from "../json/Json.ts"
import { type Members, pathOfVariant, VARIANT_IDS } from "../journal/Conflicts.ts"
import type { Edit } from "./Edit.ts"
import type { StoredOperation } from "./StoredOperation.ts"

/*
 * Members that changes write or compute from, which decides their conflicts (docs/change-sets.md). Relative changes
 * touch nothing, because they keep what others changed: adjustments of stock, tags and products that are added or removed.
 */

const idOf = (variant: unknown) => {
  const id = isObject(variant) ? variant["id"] : undefined
  return typeof id === "string" ? id.toLowerCase() : undefined
}

/** Returns the members that a patch of a product touches, by its current variants. Omitted variants are removed. */
export const touchedByPatch = ({ variants, ...fields }: JsonObject, current: ReadonlyArray<unknown>): Members => {
  const members = Object.keys(fields)
  if (!Array.isArray(variants)) return variants === undefined ? members : [...members, "variants"]
  const named = new Set(variants.map(idOf))
  return [
    ...members,
    VARIANT_IDS,
    ...variants.flatMap((variant) => {
      const id = idOf(variant)
      return id === undefined
        ? []
        : Object.keys(variant).flatMap((name) => (name === "id" ? [] : [pathOfVariant(id, name)]))
    }),
    ...current.flatMap((variant) => {
      const id = idOf(variant)
      return id === undefined || named.has(id) ? [] : [pathOfVariant(id)]
    })
  ]
}

/** Returns the members that a patch of a collection touches. Its type decides about its products. */
export const touchedByCollectionPatch = (patch: JsonObject): Members => {
  const members = Object.keys(patch)
  return members.includes("type") || members.includes("productIds") ? [...members, "type", "productIds"] : members
}

/** Returns the members that a change of stock touches: none if it adjusts the stock. */
export const touchedByStock = (isSet: boolean, variantId: string | undefined): Members =>
  isSet ? [variantId === undefined ? "stock" : pathOfVariant(variantId.toLowerCase(), "stock")] : []

/** State of a product that an edit is computed from. */
interface Edited {
  readonly discountedPrice: number | null
  readonly variants: ReadonlyArray<unknown>
}

/** Returns members of all variants. */
const ofVariants = (variants: ReadonlyArray<unknown>, members: ReadonlyArray<string>) =>
  variants.flatMap((variant) => {
    const id = idOf(variant)
    return id === undefined ? [] : members.map((member) => pathOfVariant(id, member))
  })

/** Members that each kind of change touches. */
const TOUCHED_BY: { readonly [Name in keyof Edit]-?: (edit: Edit, product: Edited) => Members } = {
  patch: ({ patch = {} }, { variants }) => touchedByPatch(patch, variants),
  price: ({ price }, { variants }) => ["price", ...(price?.variants === false ? [] : ofVariants(variants, ["price"]))],
  discountedPrice: ({ discountedPrice: edit }, { discountedPrice, variants }) => [
    "discountedPrice",
    ...(edit?.set === undefined && discountedPrice === null ? ["price"] : []),
    ...(edit?.variants === false
      ? []
      : ofVariants(variants, edit?.set === undefined ? ["discountedPrice", "price"] : ["discountedPrice"]))
  ],
  stock: ({ stock }, { variants }) => {
    if (stock?.add !== undefined && stock.round === undefined) return []
    return stock?.variants === true && variants.length > 0 ? ofVariants(variants, ["stock"]) : ["stock"]
  },
  tags: () => [],
  collections: () => [],
  delete: () => null
}

/** Returns the members that the change of a selected product touches. It has exactly one member. */
const touchedByEdit = (edit: Edit, product: Edited): Members => {
  const [name] = Struct.keys(edit)
  return name === undefined ? [] : TOUCHED_BY[name](edit, product)
}

/** Resource of an operation: a product with the variant that the SKU names, or a collection. */
interface Target {
  readonly product?: Edited | undefined
  readonly variantId?: string | undefined
}

const NO_PRODUCT: Edited = { discountedPrice: null, variants: [] }

/** Returns the members that an operation touches. An undo decides its conflicts by the journal (docs/spec/undo.md). */
export const touchedByOperation = (
  operation: StoredOperation,
  edit: Edit | null,
  { product = NO_PRODUCT, variantId }: Target
): Members => {
  const sku = variantId === undefined ? "sku" : pathOfVariant(variantId, "sku")
  const named = (members: Members): Members =>
    members === null || !("sku" in operation) || operation.sku === undefined ? members : [...members, sku]
  switch (operation.op) {
    case "product.create":
    case "collection.create":
    case "entry.undo":
    case "collection.members":
      return []
    case "product.update":
      return named(touchedByPatch(operation.patch, product.variants))
    case "inventory.change":
      return named(touchedByStock(operation.change.stock !== undefined, variantId ?? operation.change.variantId))
    case "product.edit":
      return touchedByEdit(edit ?? {}, product)
    case "collection.update":
      return touchedByCollectionPatch(operation.patch)
    case "product.delete":
    case "collection.delete":
      return null
  }
}
