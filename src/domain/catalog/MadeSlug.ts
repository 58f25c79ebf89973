import { transliterate } from "transliteration"

// Apart from `Slug.ts`, which browsers load: the tables of all scripts are 190 KB.

/** Leaves room for a number within the 255 characters of a slug. */
const MAX_MADE = 240

/** Letters of any script to a-z and 0-9, everything between them to single hyphens. Empty when nothing is left. */
export const slugOf = (name: string): string =>
  transliterate(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, MAX_MADE)
    .replace(/-$/, "")
