import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { codeOf, allowsTypo, isWithinOneTypo, queryWords, wordsOf } from "../../../src/domain/catalog/SearchWords.ts"
import { anyText, phrase } from "../../data/RandomProducts.ts"

/** Every text that one error makes of `word`: a letter that is wrong, missing or too many, or two that changed places. */
const mistyped = (word: string, alphabet: ReadonlyArray<string>): ReadonlySet<string> => {
  const made = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) {
      made.add(before + letter + after)
      if (after !== "") made.add(before + letter + after.slice(1))
    }
    if (after !== "") made.add(before + after.slice(1))
    if (after.length > 1) made.add(`${before}${after[1]}${after[0]}${after.slice(2)}`)
  }
  return made
}

const LETTERS = ["a", "b", "c"]
const short = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 6 })

describe("words", () => {
  it("are what stands between white space, and its parts, each once, without accents, case or punctuation around", () => {
    assert.deepStrictEqual(wordsOf(" Café-Tisch (160 cm), CAFÉ! ", 9), ["cafe-tisch", "cafe", "tisch", "160", "cm"])
    assert.deepStrictEqual(wordsOf("a b c d", 2), ["a", "b"])
    assert.deepStrictEqual(wordsOf("--- !", 9), [])
    assert.deepStrictEqual(queryWords("“T-Shirt”,  t-shirt red", 9), ["t-shirt", "red"])
    assert.deepStrictEqual(wordsOf("x".repeat(300), 9), ["x".repeat(64)])
    assert.strictEqual(codeOf("  DÉSK  1 "), "desk 1")
  })

  it("of a query are words of the text that it was taken from", () => {
    fc.assert(
      fc.property(fc.oneof(phrase, anyText), (text) => {
        const words = wordsOf(text, 1000)
        for (const word of queryWords(text, 8)) assert.include(words, word)
        for (const word of words) assert.match(word, /^[\p{L}\p{N}]/u)
      })
    )
  })

  it("are forgiven an error from four letters on, but none in a number", () => {
    const forgiven = ["desk", "oak", "1600", "b160"].map(allowsTypo)
    assert.deepStrictEqual(forgiven, [true, false, false, true])
  })

  it("are near to a word that begins as they would but for one error, its first letter right or swapped", () => {
    let near = 0
    fc.assert(
      fc.property(short, short, (typed, word) => {
        const beginnings = Array.from({ length: word.length + 1 }, (_, length) => word.slice(0, length))
        // What is one error away from a beginning: the same as a beginning that is one error away from it.
        const isOne = beginnings.some((beginning) => mistyped(beginning, LETTERS).has(typed))
        const isFirst = typed[0] === word[0]
        const isSwapped = typed.length > 1 && typed[0] === word[1] && typed[1] === word[0]
        const expected = isFirst ? isOne : isSwapped && word.startsWith(typed.slice(2), 2)
        if (typed.length > 1 && !word.startsWith(typed)) {
          assert.strictEqual(isWithinOneTypo(typed, word), expected, `${typed} ${word}`)
          if (expected) near += 1
        }
      }),
      { numRuns: 5000 }
    )
    assert.isAbove(near, 200)
  })
})
