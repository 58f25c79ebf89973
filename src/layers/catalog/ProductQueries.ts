import { Effect } from "effect"
import type { Catalog } from "../../domain/catalog/Catalog.ts"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import type { ProductQuery } from "../../domain/catalog/Queries.ts"
import { conditionsOf } from "../../domain/catalog/Rule.ts"
import { MAX_QUERY_WORDS } from "../../domain/catalog/Search.ts"
import { codeOf, queryWords } from "../../domain/catalog/SearchWords.ts"
import type { StoreId } from "../../domain/Store.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { makeQueries, type SortKey } from "../sql/Queries.ts"
import { type Fragment, sql } from "../sql/Statement.ts"
import { traced } from "../telemetry/Traced.ts"
import { DOCUMENT_BYTES, PRODUCT_TEXT } from "./Columns.ts"
import { bindParameter, compileFilter, joinTables } from "./RuleSql.ts"
import { matchesNothing } from "./Search.ts"
import { Vocabulary } from "./Vocabulary.ts"

const and = sql.join(" and ", false)
const or = sql.join(" or ", false)

const TABLE = sql`product_keys`

const KEYS: Readonly<Record<string, SortKey>> = {
  name: { value: sql`(facets ->> 'title') collate "C"`, type: "text" },
  updatedAt: { value: sql`(facets ->> 'updatedAt') collate "C"`, type: "text" },
  price: { value: sql`product_keys.price`, type: "numeric" },
  stock: { value: sql`product_keys.stock`, type: "numeric" }
}

const hasTerm = (terms: ReadonlyArray<string>) => sql`terms && ${plainArray(terms)}::uuid[]`

/** Makes the function that compiles the filter of a list of products. */
export const makeProductFilter = Effect.gen(function* () {
  const vocabulary = yield* Vocabulary

  /** Makes the condition of a search: the words, or the beginning of a code. */
  const makeSearch = Effect.fnUntraced(function* (store: StoreId, text: string) {
    const [code, words] = [codeOf(text), queryWords(text, MAX_QUERY_WORDS)]
    const codes = code === "" ? [] : yield* vocabulary.findCodes(store, code)
    const sets = words.length === 0 ? [] : yield* vocabulary.findPrefixed(store, words)
    const ways: ReadonlyArray<Fragment> = [
      ...(codes.length === 0 ? [] : [sql`id = any(${plainArray(codes.map(({ id }) => id))}::uuid[])`]),
      ...(matchesNothing(sets) ? [] : [sql`(${and(sets.map(hasTerm))})`])
    ]
    return { condition: ways.length === 0 ? sql`false` : sql`(${or(ways)})`, isIndexed: codes.length === 0 }
  })

  return Effect.fnUntraced(function* (
    store: StoreId,
    { disjunctive = false, rules = [], search }: Omit<ProductQuery, "sort">
  ) {
    const filter = compileFilter(bindParameter, store, conditionsOf(rules, disjunctive), disjunctive)
    const searched = search === undefined ? undefined : yield* makeSearch(store, search)
    return {
      conditions: [...(searched === undefined ? [] : [searched.condition]), ...filter.indexed, ...filter.others],
      isIndexed: filter.indexed.length > 0 || searched?.isIndexed === true,
      tables: { ...filter.tables, keys: filter.tables.keys || searched !== undefined }
    }
  })
})

/** Operations of {@link Catalog} that query products. */
export const productQueryOperations = Effect.gen(function* () {
  const filterOf = yield* makeProductFilter
  const query = yield* makeQueries

  return {
    queryProducts: traced("Catalog.queryProducts")(function* (store, request, page) {
      const { disjunctive = false, rules = [], search, sort = "-createdAt" } = request
      const { conditions, isIndexed, tables } = yield* filterOf(store, request)
      return yield* query(
        {
          table: joinTables({
            products: tables.products || /name|updatedAt/.test(sort),
            keys: tables.keys || /price|stock/.test(sort)
          }),
          name: TABLE,
          store,
          conditions,
          isIndexed,
          sort,
          keys: KEYS,
          request: { rules, disjunctive, search },
          item: sql`
            select ${PRODUCT_TEXT} as json, ${DOCUMENT_BYTES} as bytes from products p
            where p.store_id = ${store}::uuid and p.id = page.id
          `,
          document: ProductDocument
        },
        page
      )
    }, orDefect)
  } satisfies Partial<typeof Catalog.Service>
})
