import { Effect, Schema } from "effect"
import { allowsTypo, isWithinOneTypo } from "../../domain/catalog/SearchWords.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { constant, sql, type Statement } from "../sql/Statement.ts"
import { arrayOf, listOf } from "../Lists.ts"
import type { Entry, SearchValue } from "./Terms.ts"

/** The words that a store's products are found by, each with the terms that it leads to. They stay when products go. */
const insertEntries = (store: StoreId, words: string, terms: string) => sql`
  insert into search_words (store_id, word, term)
  select ${store}, given.* from unnest(${words}::text[], ${terms}::uuid[]) as given on conflict do nothing
`

const keyOf = ({ term, word }: Entry) => `${word}/${term}`

/**
 * Enters words, each once; none where there are none. In one order everywhere: two writes that enter the same new words
 * wait for each other, and must not do so both ways.
 */
export const insertWords = (store: StoreId, unentered: ReadonlyArray<SearchValue>): ReadonlyArray<Statement> => {
  if (unentered.length === 0) return []
  const byKey = new Map(unentered.flatMap(({ entries }) => entries.map((entry) => [keyOf(entry), entry])))
  const sorted = [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? [])
  return [insertEntries(store, arrayOf(sorted.map(({ word }) => word)), listOf(sorted.map(({ term }) => term)))]
}

/** What a write has entered is known to be there once that is committed. */
export const markStored = (entered: Iterable<SearchValue>): void => {
  for (const found of entered) found.isStored = true
}

/** Terms that a beginning leads to at most: those of the first words in their order. */
const MOST_TERMS = 100

/** Words that are looked at for similar ones: with the same first half, and with the same first letter. */
const WITH_HALF = 500
const WITH_LETTER = 2000

const selectBeginning = (store: StoreId, words: string) => sql`
  select asked.word as asked, found.term
  from unnest(${words}::text[]) as asked (word),
    lateral words_from(${store}, asked.word, ${constant(MOST_TERMS)}) as found
`

const selectNear = (store: StoreId, words: string, beginnings: string, parts: string, limits: string) => sql`
  select asked.word as asked, found.word, found.term
  from unnest(${words}::text[], ${beginnings}::text[], ${parts}::text[], ${limits}::integer[])
    as asked (word, beginning, part, most),
    lateral words_from(${store}, asked.beginning, asked.most) as found
  where strpos(found.word, asked.part) > 0
`

const swappedAt = (word: string, at: number) =>
  `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`

/**
 * Where the words stand that are one error away: it is in the second half or in the first, of which the other half is as
 * it was typed, or it swapped the two letters between them, or the first two.
 */
const nearTo = (word: string) => {
  const middle = Math.ceil(word.length / 2)
  return [
    { word, beginning: word.slice(0, middle), part: "", most: WITH_HALF },
    { word, beginning: word.slice(0, 1), part: word.slice(middle), most: WITH_LETTER },
    { word, beginning: swappedAt(word, middle), part: "", most: MOST_TERMS },
    { word, beginning: swappedAt(word, 1), part: "", most: MOST_TERMS }
  ]
}

/** For each of several words the terms that it leads to. */
export type TermSets = ReadonlyArray<ReadonlyArray<string>>

/** Reads of the vocabulary of a store. */
export const makeVocabulary = ({ rows }: DatabaseOf) => {
  const beginningOf = rows(Schema.Struct({ asked: Schema.String, term: Schema.String }))
  const nearOf = rows(Schema.Struct({ asked: Schema.String, word: Schema.String, term: Schema.String }))

  return {
    /** The terms of what begins with each of these words. */
    beginning: (store: StoreId, words: ReadonlyArray<string>): Effect.Effect<TermSets> =>
      Effect.map(beginningOf(selectBeginning(store, arrayOf(words))), (found) =>
        words.map((word) => found.flatMap(({ asked, term }) => (asked === word ? [term] : [])))
      ),

    /** The terms of what begins with each of these words but for one error that is forgiven. */
    near: (store: StoreId, words: ReadonlyArray<string>): Effect.Effect<TermSets> => {
      const places = words.filter(allowsTypo).flatMap(nearTo)
      if (places.length === 0) return Effect.succeed(words.map(() => []))
      const select = selectNear(
        store,
        arrayOf(places.map(({ word }) => word)),
        arrayOf(places.map(({ beginning }) => beginning)),
        arrayOf(places.map(({ part }) => part)),
        listOf(places.map(({ most }) => most))
      )
      return Effect.map(nearOf(select), (found) =>
        words.map((typed) =>
          found
            .flatMap(({ asked, term, word }) => (asked === typed && isWithinOneTypo(typed, word) ? [term] : []))
            .slice(0, MOST_TERMS)
        )
      )
    }
  }
}
