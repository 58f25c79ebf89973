import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Facets } from "../../domain/catalog/Facets.ts"
import type { StoreId } from "../../domain/Store.ts"
import { plainArray, textArray } from "../sql/ArrayLiterals.ts"
import { ConnectionPool } from "../sql/Postgres.ts"
import type { Statement } from "../sql/Statement.ts"
import { makeIndexCache, markStored, type SearchValue, type WordEntry } from "./Terms.ts"

const keyOf = ({ term, word }: WordEntry) => `${word}/${term}`

/** Terms of products, by which they are searched and matched, and the words of the store's vocabulary that lead to them. */
export class SearchIndex extends Context.Service<SearchIndex>()("layers/catalog/SearchIndex", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { onLost } = yield* ConnectionPool
    const { clear, indexFacets } = makeIndexCache()
    // The next connection may reach a server without the last commits.
    onLost(clear)

    return {
      /** Returns the terms of a product, and its values whose words may not be in the vocabulary yet. */
      termsOf: (store: StoreId, facets: Facets) => indexFacets(store, facets),

      /**
       * Makes the statement that inserts the words of the values; none if there are no values. Words are sorted: two writes
       * that insert the same new words wait for each other, and different orders would deadlock.
       */
      insertStatements: (store: StoreId, unstored: ReadonlyArray<SearchValue>): ReadonlyArray<Statement> => {
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
      },

      /** Remembers after the commit that the words of the values are stored, so that later writes do not insert them. */
      rememberStored: (values: ReadonlyArray<SearchValue>): Effect.Effect<void> =>
        values.length === 0 ? Effect.void : sql.afterCommit(Effect.sync(() => markStored(values)))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
