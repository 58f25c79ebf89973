import { Effect, Schema } from "effect"
import { type SqlClient, SqlSchema, type Statement } from "effect/sql"
import { allowsTypo, isWithinOneTypo } from "../../domain/catalog/SearchWords.ts"
import { StoreId } from "../../domain/Store.ts"
import { constant } from "../sql/Statement.ts"
import { textArray, plainArray } from "../sql/ArrayLiterals.ts"
import type { SearchValue, WordEntry } from "./Terms.ts"

/*
 * The vocabulary of a store: words of its products, each with the terms that it leads to. Words stay when products go.
 */

const keyOf = ({ term, word }: WordEntry) => `${word}/${term}`

/**
 * Makes the statement that inserts the words of the values; none if there are no values. Words are sorted: two writes that
 * insert the same new words wait for each other, and different orders would deadlock.
 */
export const insertWords = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  unstored: ReadonlyArray<SearchValue>
): ReadonlyArray<Statement.Statement<unknown>> => {
  if (unstored.length === 0) return []
  const byKey = new Map(unstored.flatMap(({ entries }) => entries.map((entry) => [keyOf(entry), entry])))
  const sorted = [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? [])
  const words = textArray(sorted.map(({ word }) => word))
  const terms = plainArray(sorted.map(({ term }) => term))
  return [
    sql`
      insert into search_words (store_id, word, term)
      select ${store}, entry.* from unnest(${words}::text[], ${terms}::uuid[]) as entry on conflict do nothing
    `
  ]
}

/** Marks values whose words a committed write has stored. */
export const markStored = (values: Iterable<SearchValue>): void => {
  for (const value of values) value.isStored = true
}

/** Maximum number of terms for a prefix: those of the first words in alphabetical order. */
const MAX_TERMS = 100

/** Maximum number of candidates for a typo: words with the same first half, and with the same first letter. */
const WITH_HALF = 500
const WITH_LETTER = 2000

const swappedAt = (word: string, at: number) =>
  `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`

/**
 * Returns prefixes that all words within one typo of this one have. A typo in one half leaves the other half intact;
 * otherwise it swapped the two letters in the middle, or the first two.
 */
const typoCandidates = (word: string) => {
  const middle = Math.ceil(word.length / 2)
  return [
    { word, prefix: word.slice(0, middle), part: "", limit: WITH_HALF },
    { word, prefix: word.slice(0, 1), part: word.slice(middle), limit: WITH_LETTER },
    { word, prefix: swappedAt(word, middle), part: "", limit: MAX_TERMS },
    { word, prefix: swappedAt(word, 1), part: "", limit: MAX_TERMS }
  ]
}

/** For each of several words the terms that it leads to. */
export type TermSets = ReadonlyArray<ReadonlyArray<string>>

/** Makes the queries of the vocabulary. */
export const makeVocabulary = (sql: SqlClient.SqlClient) => {
  const findByPrefix = SqlSchema.findAll({
    Request: Schema.Struct({ store: StoreId, words: Schema.String }),
    Result: Schema.Struct({ typed: Schema.String, term: Schema.String }),
    execute: ({ store, words }) => sql`
      select query.word as typed, match.term
      from unnest(${words}::text[]) as query (word),
        lateral words_from(${store}, query.word, ${constant(MAX_TERMS)}) as match
    `
  })

  const findCandidates = SqlSchema.findAll({
    Request: Schema.Struct({
      store: StoreId,
      words: Schema.String,
      prefixes: Schema.String,
      parts: Schema.String,
      limits: Schema.String
    }),
    Result: Schema.Struct({ typed: Schema.String, word: Schema.String, term: Schema.String }),
    execute: ({ limits, parts, prefixes, store, words }) => sql`
      select query.word as typed, match.word, match.term
      from unnest(${words}::text[], ${prefixes}::text[], ${parts}::text[], ${limits}::integer[])
        as query (word, prefix, part, max),
        lateral words_from(${store}, query.prefix, query.max) as match
      where strpos(match.word, query.part) > 0
    `
  })

  return {
    /** Returns for each word the terms of the vocabulary's words that begin with it. */
    findPrefixed: (store: StoreId, words: ReadonlyArray<string>) =>
      Effect.map(findByPrefix({ store, words: textArray(words) }), (rows): TermSets =>
        words.map((word) => rows.flatMap(({ term, typed }) => (typed === word ? [term] : [])))
      ),

    /** Does the same for words with one typo. Short words allow none. */
    findSimilar: Effect.fnUntraced(function* (store: StoreId, words: ReadonlyArray<string>) {
      const candidates = words.filter(allowsTypo).flatMap(typoCandidates)
      if (candidates.length === 0) return words.map((): ReadonlyArray<string> => [])
      const rows = yield* findCandidates({
        store,
        words: textArray(candidates.map(({ word }) => word)),
        prefixes: textArray(candidates.map(({ prefix }) => prefix)),
        parts: textArray(candidates.map(({ part }) => part)),
        limits: plainArray(candidates.map(({ limit }) => limit))
      })
      return words.map((word) =>
        rows
          .flatMap((row) => (row.typed === word && isWithinOneTypo(word, row.word) ? [row.term] : []))
          .slice(0, MAX_TERMS)
      )
    })
  }
}
