import { Effect, Layer, Schema } from "effect"
import { ProductId } from "../../domain/catalog/Product.ts"
import { MatchKind, MAX_QUERY_WORDS, Search, SearchCursor } from "../../domain/catalog/Search.ts"
import { codeOf, queryWords } from "../../domain/catalog/SearchWords.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Database } from "../sql/Postgres.ts"
import { constant, sql, type Statement } from "../sql/Statement.ts"
import { listOf } from "../Lists.ts"
import { START } from "../Pages.ts"
import { traced } from "../Traced.ts"
import { SUMMARY } from "./Summaries.ts"
import { makeVocabulary, type TermSets } from "./Vocabulary.ts"

/** What a product must be or have to be found, and must not, as it is found otherwise already. */
interface Wanted {
  /** It is one of these. */
  readonly ids?: ReadonlyArray<ProductId>
  /** It has a term of each. */
  readonly sets?: TermSets
  readonly exceptIds: ReadonlyArray<ProductId>
  readonly exceptSets?: TermSets
}

/** Products that are gathered and sorted. Where more are found, they are met soon enough on the way by id. */
const FEW = 5000

const allOf = sql.join(" and ", false)
const hasOne = (terms: ReadonlyArray<string>) => sql`terms && ${listOf(terms)}::uuid[]`

/** The first products behind a cursor that are wanted: few are found by their terms, many by their id. */
const selectFound = (
  store: StoreId,
  { exceptIds, exceptSets, ids, sets = [] }: Wanted,
  cursor: string,
  limit: number
): Statement => {
  const isWanted = allOf([
    ...(ids === undefined ? [] : [sql`id = any(${listOf(ids)}::uuid[])`]),
    ...sets.map(hasOne),
    sql`id <> all(${listOf(exceptIds)}::uuid[])`,
    ...(exceptSets === undefined ? [] : [sql`not (${allOf(exceptSets.map(hasOne))})`])
  ])
  // Terms hold the store: its index has nothing to add where that of terms is asked (as in RuleSql).
  const ofStore = ids === undefined ? sql`store_id is not distinct from ${store}` : sql`store_id = ${store}`
  return sql`
    with few as materialized (
      select id from product_keys where ${ofStore} and ${isWanted} limit ${constant(FEW + 1)}
    ), page as materialized (
      (
        select id from few where id > ${cursor} and (select count(*) from few) <= ${constant(FEW)}
        order by id limit ${limit}
      )
      union all
      (
        select id from (
          select id, terms from product_keys where store_id = ${store} and id > ${cursor} order by id offset 0
        ) as behind
        where (select count(*) from few) > ${constant(FEW)} and ${isWanted} limit ${limit}
      )
    )
    select page.id, shown.summary from page, lateral (
      select ${SUMMARY} as summary from products p where p.store_id = ${store} and p.id = page.id offset 0
    ) as shown
    order by page.id
  `
}

/** Products whose SKU or barcode begins so: those of the first of them in their order. */
const MOST_CODES = 100
const selectCodes = (store: StoreId, code: string) =>
  sql`select id, code = ${code} as "isWhole" from codes_from(${store}, ${code}, ${constant(MOST_CODES)})`

interface Item {
  readonly cursor: SearchCursor
  readonly json: JsonText
}

const itemOf = (found: MatchKind, id: ProductId, summary: JsonText): Item => ({
  cursor: SearchCursor.make(`${found}.${id}`, { disableChecks: true }),
  json: extend(summary, JSON.stringify({ found }))
})

/** Whether no product can have a term of each. */
const leadsNowhere = (sets: TermSets) => sets.length === 0 || sets.some((terms) => terms.length === 0)

export const SearchLive = Layer.effect(
  Search,
  Effect.gen(function* () {
    const database = yield* Database
    const vocabulary = makeVocabulary(database)
    const codesOf = database.rows(Schema.Struct({ id: Schema.toType(ProductId), isWhole: Schema.Boolean }))
    const foundOf = database.rows(Schema.Struct({ id: Schema.toType(ProductId), summary: Schema.String }))

    /** What is wanted of products that are found so: nothing where no product is. */
    const makeWanted = Effect.fnUntraced(function* (store: StoreId, query: string) {
      const [code, words] = [codeOf(query), queryWords(query, MAX_QUERY_WORDS)]
      const codes = code === "" ? [] : yield* codesOf(selectCodes(store, code))
      const known = codes.map(({ id }) => id)
      const whole = codes.flatMap(({ id, isWhole }) => (isWhole ? [id] : []))
      const exact = words.length === 0 ? [] : yield* vocabulary.beginning(store, words)
      const except = exact.length === 0 ? {} : { exceptSets: exact }
      const similar = (near: TermSets): Wanted | undefined => {
        const sets = exact.map((terms, index) => [...terms, ...(near[index] ?? [])])
        const isNone = leadsNowhere(sets) || near.every((terms) => terms.length === 0)
        return isNone ? undefined : { sets, exceptIds: known, ...except }
      }

      return {
        code: Effect.succeed(whole.length === 0 ? undefined : { ids: whole, exceptIds: [] }),
        words: Effect.succeed(leadsNowhere(exact) ? undefined : { sets: exact, exceptIds: whole }),
        code_beginning: Effect.succeed(known.length === 0 ? undefined : { ids: known, exceptIds: whole, ...except }),
        similar: Effect.map(vocabulary.near(store, words), similar)
      } satisfies Readonly<Record<MatchKind, Effect.Effect<Wanted | undefined>>>
    })

    return Search.of({
      products: (store, { cursor, limit, query }) =>
        traced("Search.products")(
          Effect.gen(function* () {
            const wanted = yield* makeWanted(store, query)
            const [first = "code", behind = START] = cursor?.split(".") ?? []
            const kinds = MatchKind.literals.slice(MatchKind.literals.findIndex((kind) => kind === first))
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
        )
    })
  })
)
