import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ProductId } from "../../domain/catalog/Product.ts"
import { MatchKind, MAX_QUERY_WORDS, Search, SearchCursor, type SearchRequest } from "../../domain/catalog/Search.ts"
import { codeOf, queryWords } from "../../domain/catalog/SearchWords.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { START } from "../sql/Pages.ts"
import { rowsReader } from "../sql/Rows.ts"
import { traced } from "../telemetry/Traced.ts"
import { SUMMARY } from "./Columns.ts"
import { Vocabulary, type TermSets } from "./Vocabulary.ts"

/** Products that match in one way, without those that match in a better way. */
interface Criteria {
  /** The product is one of these. */
  readonly ids?: ReadonlyArray<ProductId>
  /** The product has a term of each set. */
  readonly sets?: TermSets
  readonly exceptIds: ReadonlyArray<ProductId>
  readonly exceptSets?: TermSets
}

/** Maximum number of matches that are collected and sorted. If there are more, a scan by id finds a page soon enough. */
const MAX_SORTED = 5000

interface Item {
  readonly cursor: SearchCursor
  readonly json: JsonText
}

const makeItem = (kind: MatchKind, id: ProductId, summary: JsonText): Item => ({
  cursor: SearchCursor.make(`${kind}.${id}`, { disableChecks: true }),
  json: extend(summary, JSON.stringify({ found: kind }))
})

/** True if no product can have a term of each set. */
export const matchesNothing = (sets: TermSets) => sets.length === 0 || sets.some((terms) => terms.length === 0)

export const SearchLive = Layer.effect(
  Search,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const vocabulary = yield* Vocabulary
    const and = sql.join(" and ", false)
    const hasTerm = (terms: ReadonlyArray<string>) => sql`terms && ${plainArray(terms)}::uuid[]`

    /** Selects the first matches after a cursor: a few are found by the index of terms and sorted, many by a scan by id. */
    const selectMatches = (
      store: StoreId,
      { exceptIds, exceptSets, ids, sets = [] }: Criteria,
      cursor: string,
      limit: number
    ) => {
      const isMatch = and([
        ...(ids === undefined ? [] : [sql`id = any(${plainArray(ids)}::uuid[])`]),
        ...sets.map(hasTerm),
        sql`id <> all(${plainArray(exceptIds)}::uuid[])`,
        ...(exceptSets === undefined ? [] : [sql`not (${and(exceptSets.map(hasTerm))})`])
      ])
      // Terms include the store, so its own index is not needed beside that of terms (see RuleSql).
      const ofStore = ids === undefined ? sql`store_id is not distinct from ${store}` : sql`store_id = ${store}`
      return sql`
        with few as materialized (
          select id from product_keys where ${ofStore} and ${isMatch} limit ${constant(MAX_SORTED + 1)}
        ), page as materialized (
          (
            select id from few where id > ${cursor} and (select count(*) from few) <= ${constant(MAX_SORTED)}
            order by id limit ${limit}
          )
          union all
          (
            select id from (
              select id, terms from product_keys where store_id = ${store} and id > ${cursor} order by id offset 0
            ) as following
            where (select count(*) from few) > ${constant(MAX_SORTED)} and ${isMatch} limit ${limit}
          )
        )
        select page.id, summarized.summary from page, lateral (
          select ${SUMMARY} as summary from products p where p.store_id = ${store} and p.id = page.id offset 0
        ) as summarized
        order by page.id
      `
    }
    const readMatches = rowsReader(Schema.Struct({ id: Schema.toType(ProductId), summary: Schema.String }))

    /** Returns the criteria of each kind of match; undefined if no product can match. */
    const makeCriteria = Effect.fnUntraced(function* (store: StoreId, query: string) {
      const [code, words] = [codeOf(query), queryWords(query, MAX_QUERY_WORDS)]
      const codes = code === "" ? [] : yield* vocabulary.findCodes(store, code)
      const prefixed = codes.map(({ id }) => id)
      const whole = codes.flatMap(({ id, isWhole }) => (isWhole ? [id] : []))
      const exact = words.length === 0 ? [] : yield* vocabulary.findPrefixed(store, words)
      const except = exact.length === 0 ? {} : { exceptSets: exact }
      const similarTo = (similar: TermSets): Criteria | undefined => {
        const sets = exact.map((terms, index) => [...terms, ...(similar[index] ?? [])])
        const isNone = matchesNothing(sets) || similar.every((terms) => terms.length === 0)
        return isNone ? undefined : { sets, exceptIds: prefixed, ...except }
      }

      return {
        code: Effect.succeed(whole.length === 0 ? undefined : { ids: whole, exceptIds: [] }),
        words: Effect.succeed(matchesNothing(exact) ? undefined : { sets: exact, exceptIds: whole }),
        code_beginning: Effect.succeed(
          prefixed.length === 0 ? undefined : { ids: prefixed, exceptIds: whole, ...except }
        ),
        similar: Effect.map(vocabulary.findSimilar(store, words), similarTo)
      } satisfies Readonly<Record<MatchKind, Effect.Effect<Criteria | undefined, unknown>>>
    })

    const findPage = Effect.fnUntraced(function* (store: StoreId, { cursor, limit, query }: SearchRequest) {
      const criteria = yield* makeCriteria(store, query)
      const [first = "code", after = START] = cursor?.split(".") ?? []
      const kinds = MatchKind.literals.slice(MatchKind.literals.findIndex((kind) => kind === first))
      const items: Array<Item> = []
      for (const kind of kinds) {
        // One item more than the page has, to find out whether there is another page.
        const missing = limit + 1 - items.length
        const criterion = missing === 0 ? undefined : yield* criteria[kind]
        if (criterion === undefined) continue
        const rows = yield* readMatches(selectMatches(store, criterion, kind === first ? after : START, missing))
        items.push(...rows.map(({ id, summary }) => makeItem(kind, id, summary)))
      }
      const page = items.slice(0, limit)
      return {
        items: `[${page.map(({ json }) => json).join(",")}]`,
        nextCursor: items.length > limit ? (page.at(-1)?.cursor ?? null) : null
      }
    })

    return Search.of({
      products: traced("Search.products")(findPage, orDefect)
    })
  })
)
