import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { codeOf, allowsTypo, isWithinOneTypo, queryWords, wordsOf } from "../../../src/domain/catalog/SearchWords.ts"
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
  it("words are split at white space and hyphens, unique, and without accents, case and outer punctuation", () => {
    assert.deepStrictEqual(wordsOf(" Café-Tisch (160 cm), CAFÉ! ", 9), ["cafe-tisch", "cafe", "tisch", "160", "cm"])
    assert.deepStrictEqual(wordsOf("a b c d", 2), ["a", "b"])
    assert.deepStrictEqual(wordsOf("--- !", 9), [])
    assert.deepStrictEqual(queryWords("“T-Shirt”,  t-shirt red", 9), ["t-shirt", "red"])
    assert.deepStrictEqual(wordsOf("x".repeat(300), 9), ["x".repeat(64)])
    assert.strictEqual(codeOf("  DÉSK  1 "), "desk 1")
  })

  it("compatibility characters are words and codes of their plain forms", () => {
    assert.deepStrictEqual(wordsOf("Heater 3㎾ Zqkleen™ 𝐙𝐪𝐛𝐨𝐥𝐝 ＡＢＣ ﬁlter", 9), [
      "heater",
      "3kw",
      "zqkleentm",
      "zqbold",
      "abc",
      "filter"
    ])
    assert.deepStrictEqual(queryWords("ZQKLEEN™ İstanbul ΟΔΟΣ", 9), ["zqkleentm", "istanbul", "οδοσ"])
    assert.strictEqual(codeOf("№ 𝐀𝟏"), "no a1")
  })

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

  it("a typo is allowed in words of at least four letters, but not in numbers", () => {
    const allowed = ["desk", "oak", "1600", "b160"].map(allowsTypo)
    assert.deepStrictEqual(allowed, [true, false, false, true])
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
