import { Option, Schema, Struct } from "effect"
import { InventoryLevels, VariantLevel } from "../catalog/Inventory.ts"
import { Selection } from "../changeSets/ChangeSet.ts"
import { Edit, scopesOfEdit } from "../changeSets/Edit.ts"
import type { DryRunResult } from "../DryRun.ts"
import type { JsonText } from "../json/Document.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import type { Store } from "./Stores.ts"
import { hasOne, type Viewer, visibilityOf } from "./Visibility.ts"

/* Functions that reduce responses to what their caller sees. Most callers see the whole response, which is not parsed. */

/** Makes the function that reduces a document for a caller; undefined if the caller sees the whole document. */
export type Mask = (grants: Viewer) => ((document: JsonObject) => JsonObject) | undefined

/** Shows the whole document to every caller. */
export const noMask: Mask = () => undefined

/** Reduces the JSON of a document. */
export const maskJson = (mask: Mask, grants: Viewer, text: JsonText): JsonText => {
  const reduce = mask(grants)
  if (reduce === undefined) return text
  const document: unknown = JSON.parse(text)
  return isObject(document) ? JSON.stringify(reduce(document)) : text
}

/** Reduces the documents of a JSON array. */
export const maskItems = (mask: Mask, grants: Viewer, items: JsonText): JsonText => {
  const reduce = mask(grants)
  if (reduce === undefined) return items
  const documents: unknown = JSON.parse(items)
  return Array.isArray(documents)
    ? JSON.stringify(documents.map((one: unknown) => (isObject(one) ? reduce(one) : one)))
    : items
}

const pick = (document: JsonObject, members: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([member]) => members.includes(member)))

const LEVELS = Struct.keys(InventoryLevels.fields)
const VARIANT_LEVELS = Struct.keys(VariantLevel.fields)

const levelsOf = (product: JsonObject): JsonObject => {
  const { variants } = product
  return {
    ...pick(product, LEVELS),
    variants: Array.isArray(variants)
      ? variants.map((one: unknown) => (isObject(one) ? pick(one, VARIANT_LEVELS) : one))
      : []
  }
}

/** Mask of a product. */
export const maskProduct: Mask = (grants) => {
  switch (visibilityOf(grants).products) {
    case "whole":
      return undefined
    case "inventory":
      return levelsOf
    case "named":
      return (product) => pick(product, ["id", "version"])
  }
}

const decodeSelected = Schema.decodeUnknownOption(
  Schema.toType(Schema.Struct({ where: Schema.NullOr(Selection), change: Schema.NullOr(Edit) }))
)

/** True if a set changes selected products in a way that the grants do not allow any more, so that they may not see it. */
const isBeyond = (grants: Viewer, set: JsonObject) =>
  Option.exists(
    decodeSelected(set),
    ({ change, where }) => where !== null || (change !== null && !hasOne(grants, scopesOfEdit(change)))
  )

/** Mask of a change set. Reduces its preview to products and collections that the caller sees. */
export const maskChangeSet: Mask = (grants) => {
  const { collections, products } = visibilityOf(grants)
  if (products === "whole" && collections) return undefined
  return (set) => {
    const { preview } = set
    if (!isObject(preview)) return set
    if (products !== "whole" && isBeyond(grants, set)) return { ...set, preview: null }
    return {
      ...set,
      preview: {
        ...preview,
        ...(products === "whole" ? {} : { lowestPrice: null, highestPrice: null }),
        ...(collections ? {} : { collections: null })
      }
    }
  }
}

/** Reduces the result of a dry run: titles of collections, and which of them contain a product. */
export const maskDryRun = (grants: Viewer, result: DryRunResult): DryRunResult =>
  visibilityOf(grants).collections ? result : { ...result, collections: null }

/** Reduces a store: the number of products is that of a list. */
export const visibleStore = (grants: Viewer, store: Store): Store =>
  visibilityOf(grants).products === "whole" ? store : { ...store, productCount: null }
