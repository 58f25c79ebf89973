import { canonical } from "../json/Json.ts"
import { isText } from "../Text.ts"
import { uuidV7 } from "../Uuid.ts"
import { changed, type CreateProduct, type Product } from "./Product.ts"
import type { VariantInput } from "./ProductFields.ts"

/** Returns the key by which a variant is matched: its options, else its SKU, its title or its position. */
const matchingKeyOf = ({ options = {}, sku, title }: VariantInput, index: number): string => {
  if (Object.keys(options).length > 0) return `options ${canonical(options)}`
  if (isText(sku) && sku !== "") return `sku ${sku}`
  return isText(title) && title !== "" ? `title ${title}` : `position ${index}`
}

/**
 * Assigns the ids of matching known variants, and new ids to the others. Imported variants have foreign ids or none.
 */
const assignVariantIds = (
  imported: ReadonlyArray<VariantInput>,
  known: Product["variants"],
  at: Date
): Product["variants"] => {
  const ids = new Map<string, Array<string>>()
  for (const [index, variant] of known.entries()) {
    const key = matchingKeyOf(variant, index)
    ids.set(key, [...(ids.get(key) ?? []), variant.id])
  }
  return imported.map((variant, index) => ({
    ...variant,
    id: ids.get(matchingKeyOf(variant, index))?.shift() ?? uuidV7(at.getTime())
  }))
}

/**
 * Replaces the given fields of a product and all variants. Fields that are not given keep their value. Returns the same
 * object if nothing changes.
 */
export const putProduct = (before: Product, { variants, ...fields }: CreateProduct, at: Date): Product =>
  changed(
    before,
    variants === undefined ? fields : { ...fields, variants: assignVariantIds(variants, before.variants, at) },
    at
  )
