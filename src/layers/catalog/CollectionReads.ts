import { Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BadRequest } from "../../domain/BadRequest.ts"
import { type CollectionId, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { CollectionContents } from "../../domain/catalog/Documents.ts"
import type { CatalogRequest } from "../../domain/catalog/ListFilter.ts"
import type { CollectionQuery } from "../../domain/catalog/Queries.ts"
import type { Document, DocumentPage } from "../../domain/json/Document.ts"
import { PAGE_MILLIS } from "../../domain/Page.ts"
import type { QueryPage, QueryPageRequest, QueryTooSlow } from "../../domain/Query.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Unavailable } from "../../domain/Unavailable.ts"
import { contains, makeQueries, type SortKey } from "../sql/Queries.ts"
import { rowsReader } from "../sql/Rows.ts"
import { type Fragment, sql as fragment } from "../sql/Statement.ts"
import { compileRules, selectWithMembers } from "./CollectionMembers.ts"
import { COLLECTION_TEXT, DOCUMENT_BYTES } from "./Columns.ts"
import { CollectionRepository, CollectionRow, RulesTimeout, withMembers } from "./CollectionRepository.ts"

const readRows = rowsReader(
  Schema.Struct({
    ...CollectionRow.fields,
    members: Schema.NullOr(Schema.String),
    isFollowed: Schema.Boolean
  })
)

const decodeRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...CollectionRow.fields, value: Schema.NullOr(Schema.String) }))
)

const TABLE = fragment`collections`
const TITLE = fragment`(document ->> 'title')`

const KEYS: Readonly<Record<string, SortKey>> = {
  title: { value: fragment`lower(${TITLE}) collate "C"`, type: "text" },
  updatedAt: { value: fragment`(document ->> 'updatedAt') collate "C"`, type: "text" }
}

/** Compiles the filter of a list of collections. */
export const collectionConditions = ({ search }: Omit<CollectionQuery, "sort">): ReadonlyArray<Fragment> =>
  search === undefined ? [] : [fragment`(${contains(TITLE, search)} or ${contains(fragment`slug`, search)})`]

/**
 * Maximum number of reads of a request during which rules changed, before it is answered with 503. A client that writes
 * without pause changes them during every second read: with five reads one request of 270 was refused.
 */
const MAX_READS = 20

const changedTooOften = Effect.suspend(() =>
  Effect.die(new Unavailable({ cause: new Error(`Collections changed during each of ${MAX_READS} reads`) }))
)

/** A collection with its members. `isFollowed` is true if the store has a collection with a greater id. */
interface CollectionItem {
  readonly document: Document<CollectionId>
  readonly isFollowed: boolean
}

/** Reads of collections with their members. */
export const collectionReads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { findHead, listHeads } = yield* CollectionRepository
  const query = yield* makeQueries

  /**
   * Reads collections with their members in one statement, so from one snapshot: the first one, and as many more as a page
   * has space and time for. The statement contains the rules, which were read before, and applies them only to the versions
   * that they were read from. A collection that changed in between has no members and is read again, at most
   * {@link MAX_READS} times. Fails if the rules of the first one are too slow; slow ones after it start the next page.
   */
  const read = Effect.fnUntraced(function* (
    store: StoreId,
    rows: ReadonlyArray<CollectionRow>,
    timeout?: number,
    reads = 1
  ): Effect.fn.Return<ReadonlyArray<CollectionItem>, RulesTooSlow | SqlError.SqlError | Schema.SchemaError> {
    const [first] = rows
    if (first === undefined) return []
    const queries: Array<string> = []
    const requested = rows.map(({ document, id, version }, index) => {
      const place = index + 1
      const head = CollectionContents.parse(document)
      if (head.type !== "automated") return { place, id, version }
      const { bindings, query } = compileRules(store, head)
      const shape = queries.includes(query) ? queries.indexOf(query) : queries.push(query) - 1
      return { place, id, version, shape, bindings }
    })
    const select = readRows(selectWithMembers(sql, store, JSON.stringify(requested), queries))
    const result =
      queries.length === 0
        ? Option.some(yield* select)
        : yield* Effect.timeoutOption(select, timeout ?? (yield* RulesTimeout))
    if (Option.isNone(result)) {
      if (rows.length === 1) return yield* new RulesTooSlow({ collection: first.id })
      // If the first collection was not the slow one, it is read within the time of a page.
      return yield* read(store, [first], 2 * PAGE_MILLIS, reads)
    }
    const found = result.value
    if (found.some(({ members }) => members === null)) {
      return reads === MAX_READS ? yield* changedTooOften : yield* read(store, found, undefined, reads + 1)
    }
    return found.map(({ isFollowed, members, ...row }) => ({
      document: withMembers(row, members ?? "{}"),
      isFollowed
    }))
  })

  const readPage = Effect.fnUntraced(function* (
    store: StoreId,
    request: CatalogRequest<CollectionId>,
    reads = 1
  ): Effect.fn.Return<DocumentPage<CollectionId>, RulesTooSlow | SqlError.SqlError | Schema.SchemaError> {
    const rows = yield* listHeads(store, request)
    const found = yield* read(store, rows)
    // All of them may have been deleted in between while others remain.
    if (found.length === 0 && rows.length > 0) {
      return reads === MAX_READS ? yield* changedTooOften : yield* readPage(store, request, reads + 1)
    }
    const last = found.at(-1)
    return {
      items: `[${found.map(({ document }) => document.json).join(",")}]`,
      nextCursor: last?.isFollowed ? last.document.id : null
    }
  })

  /** Reads the rows of a query, and as many of them with their members as a page has space and time for. */
  const readQuery = Effect.fnUntraced(function* (
    store: StoreId,
    request: CollectionQuery,
    page: QueryPageRequest,
    reads = 1
  ): Effect.fn.Return<QueryPage, BadRequest | QueryTooSlow | RulesTooSlow | SqlError.SqlError | Schema.SchemaError> {
    const { search, sort = "-createdAt" } = request
    const listed = yield* query(
      {
        table: TABLE,
        name: TABLE,
        store,
        conditions: collectionConditions(request),
        isIndexed: false,
        sort,
        keys: KEYS,
        request: { search },
        item: fragment`
          select json_build_object(
              'id', c.id, 'version', version, 'document', ${COLLECTION_TEXT}, 'value', page.key::text
            ) as json, ${DOCUMENT_BYTES} as bytes
          from collections c where c.store_id = ${store}::uuid and c.id = page.id
        `
      },
      page
    )
    const rows = decodeRows(JSON.parse(listed.items))
    const found = yield* read(store, rows)
    if (found.length === 0 && rows.length > 0) {
      return reads === MAX_READS ? yield* changedTooOften : yield* readQuery(store, request, page, reads + 1)
    }
    const last = rows.findLast(({ id }) => found.at(-1)?.document.id === id)
    return {
      items: `[${found.map(({ document }) => document.json).join(",")}]`,
      nextCursor: last === undefined || last === rows.at(-1) ? listed.nextCursor : listed.cursorOf(last),
      total: listed.total
    }
  })

  return {
    readPage: (store: StoreId, request: CatalogRequest<CollectionId>) => readPage(store, request),

    readQuery: (store: StoreId, request: CollectionQuery, page: QueryPageRequest) => readQuery(store, request, page),

    readById: Effect.fnUntraced(function* (store: StoreId, id: CollectionId) {
      const [found] = yield* read(store, Option.toArray(yield* findHead(store, id)))
      return Option.fromNullishOr(found?.document)
    })
  }
})
