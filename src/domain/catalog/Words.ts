import { fold } from "../Text.ts"

/*
 * How text is searched: as words without accents, whatever their case. Products and queries are both made words of here.
 */

/** Characters of a word that count, and of a code. */
const WORD_LENGTH = 64
const CODE_LENGTH = 255

const isPlain = (text: string) => /^\p{ASCII}*$/u.test(text)

/** Text as a search compares it: folded, and without accents. */
const plain = (text: string) => {
  const folded = fold(text)
  return isPlain(folded) ? folded : folded.normalize("NFKD").replaceAll(/\p{M}+/gu, "")
}

const cut = (text: string, length: number) =>
  text.length <= length ? text : Array.from(text).slice(0, length).join("")

/** What stands between white space, without punctuation around it. */
const spaced = (text: string): ReadonlyArray<string> =>
  text.split(/\s+/).flatMap((part) => /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u.exec(cut(part, WORD_LENGTH)) ?? [])

/** The first words of a query, each once. */
export const queryWords = (query: string, most: number): ReadonlyArray<string> =>
  [...new Set(spaced(plain(query)))].slice(0, most)

/** The first words of a text, each once: a `t-shirt` is that, and a `shirt`, too. */
export const wordsOf = (text: string, most: number): ReadonlyArray<string> => {
  const words = new Set<string>()
  for (const word of spaced(plain(text))) {
    words.add(word)
    for (const part of word.split(/[^\p{L}\p{N}]+/u)) words.add(part)
    if (words.size >= most) break
  }
  return [...words].slice(0, most)
}

/** A SKU or barcode, or a query that is taken for one: as a whole, whatever it holds. */
export const codeOf = (text: string): string => cut(plain(text).trim().replaceAll(/\s+/g, " "), CODE_LENGTH)

/** Letters that a word must have for a typing error to be forgiven: of a shorter one too many others are made so. */
const MIN_LENGTH = 4

/** Whether a typing error in the word is forgiven: not in a number, of which each digit counts. */
export const isForgiven = (word: string): boolean => word.length >= MIN_LENGTH && !/^\p{N}+$/u.test(word)

/**
 * Whether `typed` is one error away from how `word` begins: a letter that is wrong, missing or too many, or two that
 * changed places. The first letter is right, unless it changed places.
 */
export const isNear = (typed: string, word: string): boolean => {
  let same = 0
  while (same < typed.length && typed[same] === word[same]) same += 1
  const goesOn = (skipped: number, at: number) => word.startsWith(typed.slice(same + skipped), at)
  const isSwapped = typed[same] === word[same + 1] && typed[same + 1] === word[same] && goesOn(2, same + 2)
  return isSwapped || (same > 0 && (goesOn(1, same + 1) || goesOn(0, same + 1) || goesOn(1, same)))
}
