import { foldCase } from "../Text.ts"

/* Tokenizer for search: words without accents and case, for products and queries. */

/** Maximum number of characters used of a word and of a code. */
const WORD_LENGTH = 64
const CODE_LENGTH = 255

const isPlain = (text: string) => /^\p{ASCII}*$/u.test(text)

/**
 * Normalizes text for search: without accents, folded. Compatibility characters are decomposed first, because their plain
 * forms may have capitals: `㎾` is `kW`, which folds to `kw`.
 */
const plain = (text: string) => foldCase(isPlain(text) ? text : text.normalize("NFKD").replaceAll(/\p{M}+/gu, ""))

const cut = (text: string, length: number) =>
  text.length <= length ? text : Array.from(text).slice(0, length).join("")

/** Splits text at white space and strips surrounding punctuation. */
const spaced = (text: string): ReadonlyArray<string> =>
  text.split(/\s+/).flatMap((part) => /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u.exec(cut(part, WORD_LENGTH)) ?? [])

/** Returns the first distinct words of a query. */
export const queryWords = (query: string, most: number): ReadonlyArray<string> =>
  [...new Set(spaced(plain(query)))].slice(0, most)

/** Returns the first distinct words of a text. `t-shirt` yields itself, `t` and `shirt`. */
export const wordsOf = (text: string, most: number): ReadonlyArray<string> => {
  const words = new Set<string>()
  for (const word of spaced(plain(text))) {
    words.add(word)
    for (const part of word.split(/[^\p{L}\p{N}]+/u)) words.add(part)
    if (words.size >= most) break
  }
  return [...words].slice(0, most)
}

/** Normalizes a whole text as a SKU or barcode. */
export const codeOf = (text: string): string => cut(plain(text).trim().replaceAll(/\s+/g, " "), CODE_LENGTH)

/** Minimum length of a word for tolerating a typing error. Shorter words would match too many others. */
const MIN_LENGTH = 4

/** Tests whether typing errors in the word are tolerated. In numbers, every digit counts. */
export const allowsTypo = (word: string): boolean => word.length >= MIN_LENGTH && !/^\p{N}+$/u.test(word)

/**
 * Tests whether `typed` differs by one error from the beginning of `word`: a wrong, missing or extra letter, or two
 * swapped letters. The first letter must be right unless it is swapped.
 */
export const isWithinOneTypo = (typed: string, word: string): boolean => {
  let same = 0
  while (same < typed.length && typed[same] === word[same]) same += 1
  const goesOn = (skipped: number, at: number) => word.startsWith(typed.slice(same + skipped), at)
  const isSwapped = typed[same] === word[same + 1] && typed[same + 1] === word[same] && goesOn(2, same + 2)
  return isSwapped || (same > 0 && (goesOn(1, same + 1) || goesOn(0, same + 1) || goesOn(1, same)))
}
