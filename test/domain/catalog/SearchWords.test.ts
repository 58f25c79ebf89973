import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isWithinOneTypo, queryWords, wordsOf } from "../../../src/domain/catalog/SearchWords.ts"
import { foldCase } from "../../../src/domain/Text.ts"
import { anyText, phrase } from "../../data/RandomProducts.ts"

/** All texts with one typo in `word`: a wrong, missing or extra letter, or two swapped letters. */
const withOneTypo = (word: string, alphabet: ReadonlyArray<string>): ReadonlySet<string> => {
  const texts = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) {
      texts.add(before + letter + after)
      if (after !== "") texts.add(before + letter + after.slice(1))
    }
    if (after !== "") texts.add(before + after.slice(1))
    if (after.length > 1) texts.add(`${before}${after[1]}${after[0]}${after.slice(2)}`)
  }
  return texts
}

const LETTERS = ["a", "b", "c"]
const short = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 6 })

describe("Search words", () => {
  it("words of a query are among the words of the same text", () => {
    fc.assert(
      fc.property(fc.oneof(phrase, anyText), (text) => {
        const words = wordsOf(text, 1000)
        for (const word of queryWords(text, 8)) assert.include(words, word)
        assert.deepStrictEqual(wordsOf(text.normalize("NFKC"), 1000), words)
        assert.deepStrictEqual(wordsOf(foldCase(text), 1000), words)
        for (const word of words) assert.match(word, /^[\p{L}\p{N}]/u)
      })
    )
  })

  it("a word is within one typo of a prefix only if its first letter is correct or swapped", () => {
    let matches = 0
    fc.assert(
      fc.property(short, short, (typed, word) => {
        const prefixes = Array.from({ length: word.length + 1 }, (_, length) => word.slice(0, length))
        // One typo away from a prefix of the word.
        const isOne = prefixes.some((prefix) => withOneTypo(prefix, LETTERS).has(typed))
        const isFirst = typed[0] === word[0]
        const isSwapped = typed.length > 1 && typed[0] === word[1] && typed[1] === word[0]
        const expected = isFirst ? isOne : isSwapped && word.startsWith(typed.slice(2), 2)
        if (typed.length > 1 && !word.startsWith(typed)) {
          assert.strictEqual(isWithinOneTypo(typed, word), expected, `${typed} ${word}`)
          if (expected) matches += 1
        }
      }),
      { numRuns: 5000 }
    )
    assert.isAbove(matches, 200)
  })
})
