import { Effect, Layer, Schema } from "effect"
import { ProductId } from "../../domain/catalog/Product.ts"
import { Found, MAX_QUERY_WORDS, Search, SearchCursor } from "../../domain/catalog/Search.ts"
import { codeOf, queryWords } from "../../domain/catalog/Words.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database } from "../database/Postgres.ts"
import { type Statement, statement } from "../database/Statement.ts"
import { listOf } from "../Lists.ts"
import { START } from "../Pages.ts"
import { traced } from "../Traced.ts"
import { SUMMARY } from "./Summaries.ts"
import { term } from "./Terms.ts"
import { makeCatchUp } from "./Unsearched.ts"
import { makeVocabulary, type TermSets } from "./Vocabulary.ts"

/** What a product must have to be found: of each set any term, and of none of the others all. */
interface Wanted {
  readonly sets: TermSets
  readonly others: ReadonlyArray<TermSets>
}

/** Products that are gathered and sorted. Where more are found, they are met soon enough on the way by id. */
const FEW = 5000

/** The first products behind a cursor that have what is wanted: few are found by their terms, many by their id. */
const selectFound = (store: StoreId, { others, sets }: Wanted, cursor: string, limit: number): Statement => {
  const values: Array<string | number> = [store, limit, cursor]
  const hasAll = (sets: TermSets) =>
    sets.map((terms) => `terms && $${values.push(listOf(terms))}::uuid[]`).join(" and ")
  const isWanted = [hasAll(sets), ...others.map((other) => `not (${hasAll(other)})`)].join(" and ")
  // Terms hold the store: its index has nothing to add where that of terms is asked (as in RuleSql).
  return statement(`
    with few as materialized (
      select id from product_keys where store_id is not distinct from $1 and ${isWanted} limit ${FEW + 1}
    ), page as materialized (
      (select id from few where id > $3 and (select count(*) from few) <= ${FEW} order by id limit $2)
      union all
      (
        select id from (
          select id, terms from product_keys where store_id = $1 and id > $3 order by id offset 0
        ) as behind
        where (select count(*) from few) > ${FEW} and ${isWanted} limit $2
      )
    )
    select page.id, shown.summary from page, lateral (
      select ${SUMMARY} as summary from products p where p.store_id = $1 and p.id = page.id offset 0
    ) as shown
    order by page.id
  `)(...values)
}

interface Item {
  readonly cursor: SearchCursor
  readonly json: JsonText
}

const itemOf = (found: Found, id: ProductId, summary: JsonText): Item => ({
  cursor: SearchCursor.make(`${found}.${id}`, { disableValidation: true }),
  json: extend(summary, JSON.stringify({ found }))
})

const isAnyEmpty = (sets: TermSets) => sets.some((terms) => terms.length === 0)

export const SearchLive = Layer.effect(
  Search,
  Effect.gen(function* () {
    const database = yield* Database
    const vocabulary = makeVocabulary(database)
    const foundOf = database.rows(Schema.Struct({ id: Schema.typeSchema(ProductId), summary: Schema.String }))

    /** What products must have to be found so: none where no product has it. */
    const wantedBy = (store: StoreId, query: string) => {
      const words = queryWords(query, MAX_QUERY_WORDS)
      const code = [[term(store, "code", codeOf(query))]]
      const beginning = words.length === 0 ? Effect.succeed([]) : vocabulary.beginning(store, words)

      const byWords = Effect.map(beginning, (sets): Wanted | undefined =>
        words.length === 0 || isAnyEmpty(sets) ? undefined : { sets, others: [code] }
      )
      const bySimilar = Effect.gen(function* () {
        const [exact, near] = [yield* beginning, yield* vocabulary.near(store, words)]
        if (near.every((terms) => terms.length === 0)) return undefined
        const sets = exact.map((terms, index) => [...terms, ...(near[index] ?? [])])
        return isAnyEmpty(sets) ? undefined : { sets, others: [code, exact] }
      })
      return { code: Effect.succeed({ sets: code, others: [] }), words: byWords, similar: bySimilar }
    }

    return Search.of({
      products: (store, { cursor, limit, query }) =>
        traced("Search.products")(
          Effect.gen(function* () {
            const wanted = wantedBy(store, query)
            const [first = "code", behind = START] = cursor?.split(".") ?? []
            const kinds = Found.literals.slice(Found.literals.findIndex((kind) => kind === first))
            const items: Array<Item> = []
            for (const kind of kinds) {
              const asked = limit + 1 - items.length
              const its = asked === 0 ? undefined : yield* wanted[kind]
              if (its === undefined) continue
              const rows = yield* foundOf(selectFound(store, its, kind === first ? behind : START, asked))
              items.push(...rows.map(({ id, summary }) => itemOf(kind, id, summary)))
            }
            const shown = items.slice(0, limit)
            return {
              items: `[${shown.map(({ json }) => json).join(",")}]`,
              nextCursor: items.length > limit ? (shown.at(-1)?.cursor ?? null) : null
            }
          })
        ),

      catchUp: makeCatchUp(database)
    })
  })
)
