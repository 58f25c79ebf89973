import { createRequire } from "node:module"
import type { transliterate } from "transliteration"
import type { CreateProduct } from "../../domain/catalog/Product.ts"
import type { SlugRequest } from "../../domain/catalog/ProductState.ts"

const load = createRequire(import.meta.url)

/** Loads the tables of all scripts with the first name that needs them: loading them at startup takes 50 ms. */
const toLatin = (name: string): string => {
  const library: { readonly transliterate: typeof transliterate } = load("transliteration")
  return library.transliterate(name)
}

/** A slug has at most 255 characters. The rest is left for a number. */
const MAX_BASE = 240

/** Converts letters of any script to a-z and 0-9, and everything between them to single hyphens. May return "". */
export const slugify = (name: string): string =>
  (/^[ -~]*$/.test(name) ? name : toLatin(name))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_BASE)
    .replace(/-$/, "")

/** Returns the slug that a new product asks for: its own, or one derived from its name. */
export const slugRequestOf = ({ name, slug }: Pick<CreateProduct, "name" | "slug">): SlugRequest => ({
  slug: slug ?? slugify(name),
  isRequested: slug !== undefined
})
