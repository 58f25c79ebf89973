import { canonical } from "../Json.ts"
import { isText } from "../Text.ts"
import { uuidV7 } from "../Uuid.ts"
import { changed, type CreateProduct, type Product } from "./Product.ts"
import type { VariantInput } from "./ProductFields.ts"

/** What tells a variant from the others of its product: its choices, else its SKU, its title, or at last its place. */
const likenessOf = ({ options = {}, sku, title }: VariantInput, place: number): string => {
  if (Object.keys(options).length > 0) return `options ${canonical(options)}`
  if (isText(sku) && sku !== "") return `sku ${sku}`
  return isText(title) && title !== "" ? `title ${title}` : `place ${place}`
}

/** The variants with the ids of those that they resemble, else new ones: what comes from elsewhere has others, or none. */
const recognized = (given: ReadonlyArray<VariantInput>, known: Product["variants"], at: Date): Product["variants"] => {
  const ids = new Map<string, Array<string>>()
  for (const [place, variant] of known.entries()) {
    const likeness = likenessOf(variant, place)
    ids.set(likeness, [...(ids.get(likeness) ?? []), variant.id])
  }
  return given.map((variant, place) => ({
    ...variant,
    id: ids.get(likenessOf(variant, place))?.shift() ?? uuidV7(at.getTime())
  }))
}

/**
 * The product as it is elsewhere: the same object when it is so already. Fields that are not named there stay; variants
 * are those that are named, and hold nothing else.
 */
export const putProduct = (before: Product, { variants, ...fields }: CreateProduct, at: Date): Product =>
  changed(
    before,
    variants === undefined ? fields : { ...fields, variants: recognized(variants, before.variants, at) },
    at
  )
