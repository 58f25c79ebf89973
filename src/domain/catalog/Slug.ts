import { Schema } from "effect"

/** Returns the n-th candidate for a slug: the slug, then `-2`, `-3`, … */
export const numbered = (slug: string, n: number): string => (n === 1 ? slug : `${slug}-${n}`)

export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", { slug: Schema.String }) {
  override get message() {
    return `The slug ${this.slug} is taken in this store`
  }

  get issues() {
    return [`slug: ${this.slug} is taken; choose another, or omit it on creation to generate one`]
  }
}
