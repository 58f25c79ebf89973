/**
 * Normalizes text for comparisons that ignore case. This is the only definition: the database compares its results byte
 * by byte. A final sigma is mapped to a plain one, so that a part of a text folds to a part of the folded text.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")

/** Converts only A-Z, for identifiers: `toLowerCase` also maps the Kelvin sign to k. */
export const asciiLowerCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Converts only a-z, for identifiers: `toUpperCase` also maps `ſ` to S, and `ß` to SS. */
export const asciiUpperCase = (text: string): string => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())

/** Lazy, because the first instance of a process takes 20 ms to load. */
let graphemes: Intl.Segmenter | undefined

/** Matches text that ends between two characters of which neither can belong to a longer one. */
const ENDS_PLAIN = /[\x20-\x7e\xc0-\xff]{2}$/

/** Code units of the longest character that is not cut. Longer ones are no characters of a language. */
const LONGEST_CHARACTER = 64

/**
 * Cuts text to at most `max` code units, never inside a character that a reader sees as one, such as an emoji or a letter
 * with accents. Only one of more than {@link LONGEST_CHARACTER} is cut, between code points.
 */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text
  if (ENDS_PLAIN.test(text.slice(max - 1, max + 1))) return text.slice(0, max)
  graphemes ??= new Intl.Segmenter("en")
  // The code point after the cut decides whether its character continues.
  const { index = 0 } = graphemes.segment(text.slice(0, max + 2)).containing(max) ?? {}
  if (max - index <= LONGEST_CHARACTER) return text.slice(0, index)
  const isInside = (text.codePointAt(max - 1) ?? 0) > 0xffff
  return text.slice(0, isInside ? max - 1 : max)
}

export const isText = (value: unknown): value is string => typeof value === "string"

/**
 * Formats an integer with separators: 10,000. `toLocaleString` loads the data of all locales, which would add 30 ms to
 * each start.
 */
export const formatInteger = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
