/**
 * Text as comparisons see it that ignore case. The one definition: the database compares what this made, byte by byte.
 * A sigma that ends a word is made like any other, so that a part of a text folds to a part of the folded text.
 */
export const fold = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")

export const isText = (value: unknown): value is string => typeof value === "string"

/** As in 10,000. `toLocaleString` loads the rules of all languages, which would take every start 30 ms. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
