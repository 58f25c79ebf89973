import { Schema } from "effect"
import { transliterate } from "transliteration"

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

/** The n-th choice of a slug: itself, `-2`, `-3`, … */
export const numbered = (slug: string, n: number): string => (n === 1 ? slug : `${slug}-${n}`)

export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", { slug: Schema.String }) {
  override get message() {
    return `The slug ${this.slug} is taken in this store`
  }

  get issues() {
    return [`slug: ${this.slug} is taken; choose another, or leave it out on create to have one made`]
  }
}
