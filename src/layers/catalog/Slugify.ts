import { createRequire } from "node:module"
import type { transliterate } from "transliteration"

const load = createRequire(import.meta.url)

/** With tables of all scripts, which took every start 50 ms: they are loaded with the first name that needs them. */
const inLatin = (name: string): string => {
  const library: { readonly transliterate: typeof transliterate } = load("transliteration")
  return library.transliterate(name)
}

/** Leaves room for a number within the 255 characters of a slug. */
const MAX_MADE = 240

/** Letters of any script to a-z and 0-9, everything between them to single hyphens. Empty when nothing is left. */
export const slugify = (name: string): string =>
  (/^[ -~]*$/.test(name) ? name : inLatin(name))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_MADE)
    .replace(/-$/, "")
