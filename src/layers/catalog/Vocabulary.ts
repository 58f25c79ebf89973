import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ProductId } from "../../domain/catalog/Product.ts"
import { allowsTypo, isWithinOneTypo } from "../../domain/catalog/SearchWords.ts"
import { StoreId } from "../../domain/Store.ts"
import { constant } from "../sql/Statement.ts"
import { textArray, plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { traced } from "../telemetry/Traced.ts"

/** Maximum number of terms for a prefix: those of the first words in alphabetical order. */
const MAX_TERMS = 100

/** Maximum number of codes with a prefix: the first ones in alphabetical order. */
const MAX_CODES = 100

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

/**
 * The vocabulary of a store: words of its products, each with the terms that it leads to, and codes. Words stay when products
 * go.
 */
export class Vocabulary extends Context.Service<Vocabulary>()("layers/catalog/Vocabulary", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

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

    const findByCode = SqlSchema.findAll({
      Request: Schema.Struct({ store: StoreId, code: Schema.String }),
      Result: Schema.Struct({ id: Schema.toType(ProductId), isWhole: Schema.Boolean }),
      execute: ({ code, store }) => sql`
        select id, code = ${code} as "isWhole" from codes_from(${store}, ${code}, ${constant(MAX_CODES)})
      `
    })

    return {
      /** Returns the products whose SKU or barcode begins with the code. */
      findCodes: traced("Vocabulary.findCodes")(
        (store: StoreId, code: string) => findByCode({ store, code }),
        orDefect
      ),

      /** Returns for each word the terms of the vocabulary's words that begin with it. */
      findPrefixed: traced("Vocabulary.findPrefixed")(function* (store: StoreId, words: ReadonlyArray<string>) {
        const rows = yield* findByPrefix({ store, words: textArray(words) })
        const sets: TermSets = words.map((word) => rows.flatMap(({ term, typed }) => (typed === word ? [term] : [])))
        return sets
      }, orDefect),

      /** Does the same for words with one typo. Short words allow none. */
      findSimilar: traced("Vocabulary.findSimilar")(function* (store: StoreId, words: ReadonlyArray<string>) {
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
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
