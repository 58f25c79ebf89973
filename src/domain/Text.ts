/**
 * Normalizes text for comparisons that ignore case. This is the only definition: the database compares its results byte
 * by byte. A final sigma is mapped to a plain one, so that a part of a text folds to a part of the folded text.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")

export const isText = (value: unknown): value is string => typeof value === "string"

/**
 * Formats an integer with separators: 10,000. `toLocaleString` loads the data of all locales, which would add 30 ms to
 * each start.
 */
export const formatInteger = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
