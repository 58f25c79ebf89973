import { Context, Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { hash } from "node:crypto"
import { BadRequest, INVALID } from "../../domain/BadRequest.ts"
import { canonical, NUL } from "../../domain/json/Json.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import {
  MAX_TOTAL,
  QUERY_MILLIS,
  QueryCursor,
  type QueryPage,
  type QueryPageRequest,
  QueryTooSlow
} from "../../domain/Query.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { completeMarked, type DocumentText } from "./Documents.ts"
import { requiredRowReader } from "./Rows.ts"
import { constant, type Fragment, sql } from "./Statement.ts"

/* Pages of rows that clients filter and sort. */

/** Milliseconds that a query may take. */
export const QueryTimeout = Context.Reference("layers/sql/QueryTimeout", { defaultValue: () => QUERY_MILLIS })

/** Value that rows are sorted by. */
export interface SortKey {
  readonly value: Fragment
  readonly type: "text" | "numeric"
  /** True if an index has the rows of a store in this order, and none is without a value. */
  readonly isIndexed?: boolean
}

/** Rows of a store, and how they are filtered. */
export interface Queried {
  /** Table or join with the columns `store_id` and `id`. */
  readonly table: Fragment
  /** Name by which `conditions` refer to the columns of `table`. */
  readonly name: Fragment
  readonly store: string
  readonly conditions: ReadonlyArray<Fragment>
  /** True if an index finds the rows of the conditions, which include the store (see `RuleSql`). */
  readonly isIndexed: boolean
  /** Condition that follows from the others, and whose rows an index finds. A walk along another index leaves it out. */
  readonly candidates?: Fragment | undefined
}

/** Query of rows, and the page to read. */
export interface ListQuery extends Queried {
  /** Name of a sort key, with `-` for descending. Without a key, rows are sorted by id: the order of creation. */
  readonly sort: string
  readonly keys: Readonly<Record<string, SortKey | undefined>>
  /** Filter and sort order as requested. A cursor is valid for one of them. */
  readonly request: unknown
  /** Selects the `json` of a row and its `bytes`, for `page.id`. */
  readonly item: Fragment
  /** Codec that completes the documents. */
  readonly document?: DocumentText
}

/** Id of a row and the text of its sort value. */
interface Position {
  readonly value: string | null
  readonly id: string
}

const and = sql.join(" and ", false)
const or = sql.join(" or ", false)

/** Condition that a text contains another one, ignoring case. */
export const contains = (value: Fragment, text: string): Fragment =>
  sql`strpos(lower(${value}), lower(${text}::text)) > 0`

const toCursor = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.NullOr(Schema.String), Schema.String]))
)

const encodeCursor = (fingerprint: string, { id, value }: Position): QueryCursor =>
  QueryCursor.make(Buffer.from(JSON.stringify([fingerprint, value, id])).toString("base64url"), { disableChecks: true })

const isValue = (value: string | null, key: SortKey | undefined) => {
  if (value === null) return true
  if (key?.type === "numeric") return /^-?\d{1,20}(?:\.\d{1,400})?$/.test(value)
  return key !== undefined && !value.includes(NUL) && value.isWellFormed()
}

const OTHER_QUERY =
  "cursor: belongs to another query; send the rules, search, filters and sort of the first page again, or start without a cursor"

/** Decodes the position of a cursor of this query. */
const decodeCursor = (
  cursor: QueryCursor,
  fingerprint: string,
  key: SortKey | undefined
): Result.Result<Position, BadRequest> => {
  const parts = Option.getOrUndefined(toCursor(Buffer.from(cursor, "base64url").toString()))
  if (parts === undefined || !isUuid(parts[2]) || !isValue(parts[1], key)) {
    return Result.fail(new BadRequest({ reason: INVALID, issues: ["cursor: must be the `nextCursor` of a page"] }))
  }
  const [origin, value, id] = parts
  return origin === fingerprint
    ? Result.succeed({ value, id })
    : Result.fail(new BadRequest({ reason: INVALID, issues: [OTHER_QUERY] }))
}

/** Condition that a row follows the position in the order of an indexed key. */
const followsInIndex = ({ id, value }: Position, key: SortKey, isDescending: boolean): Fragment =>
  sql`(${key.value}, id) ${sql.literal(isDescending ? "<" : ">")} (${value}, ${id}::uuid)`

/** Condition that a row follows the position. Rows without a value come last in both directions. */
const follows = ({ id, value }: Position, key: SortKey | undefined, isDescending: boolean): Fragment => {
  const after = sql.literal(isDescending ? "<" : ">")
  const idFollows = sql`id ${after} ${id}::uuid`
  if (key === undefined) return idFollows
  if (value === null) return sql`(key is null and ${idFollows})`
  const bound = sql`${value}::${sql.literal(key.type)}`
  return sql`(${or([sql`key ${after} ${bound}`, sql`(key = ${bound} and ${idFollows})`, sql`key is null`])})`
}

const readRow = requiredRowReader(
  Schema.Struct({
    count: Schema.NullOr(Schema.Int),
    items: Schema.String,
    isFollowed: Schema.Boolean,
    lastId: Schema.NullOr(Schema.String),
    lastValue: Schema.NullOr(Schema.String)
  })
)

/** Page of a query, and the function that makes the cursor of one of its rows. */
interface ReadPage extends QueryPage {
  readonly cursorOf: (row: Position) => QueryCursor
}

/** Makes the function that reads a page of a query. */
export const makeQueries = Effect.gen(function* () {
  const client = yield* SqlClient.SqlClient

  /** Selects the page of the rows of `page`, with its documents until {@link PAGE_BYTES} are passed. */
  const selectItems = (pages: Fragment, count: Fragment, order: Fragment, item: Fragment, limit: number) => client`
    with ${pages}, sized as (
      select page.id, page.key, item.json, row_number() over (order by ${order}) as place,
        count(*) over before < ${limit} and coalesce(sum(item.bytes) over before, 0) < ${PAGE_BYTES} as fits
      from page, lateral (${item} offset 0) as item
      window before as (order by ${order} rows between unbounded preceding and 1 preceding)
    )
    select ${count} as count,
      '[' || coalesce(string_agg(json::text, ',' order by place) filter (where fits), '') || ']' as items,
      coalesce(not bool_and(fits), false) as "isFollowed",
      (array_agg(id::text order by place desc) filter (where fits))[1] as "lastId",
      (array_agg(key::text order by place desc) filter (where fits))[1] as "lastValue"
    from sized
  `

  /**
   * Reads a page. By an indexed key, it is read along the index. Otherwise the first statement counts and sorts all matches, up to {@link MAX_TOTAL}. If there are more, its page is
   * empty, and the second one reads the page: by id it stops at the end of the page, otherwise it sorts all matches.
   */
  const readPage = Effect.fnUntraced(function* (
    { candidates, conditions, isIndexed, item, name, store, table }: ListQuery,
    key: SortKey | undefined,
    isDescending: boolean,
    position: Position | undefined,
    limit: number
  ) {
    const direction = sql.literal(isDescending ? "desc" : "asc")
    const order = key === undefined ? sql`id ${direction}` : sql`key ${direction} nulls last, id ${direction}`
    const after = position === undefined ? sql`true` : follows(position, key, isDescending)
    const isMatch = conditions.length === 0 ? sql`true` : and(conditions)
    const ofStore = sql`store_id = ${store}::uuid`
    const from = sql`from ${table} where ${ofStore} and ${isMatch}`
    const walk = (key: SortKey) => {
      const next = position === undefined ? sql`true` : followsInIndex(position, key, isDescending)
      return sql`
        select id, ${key.value} as key ${from} and ${next}
        order by ${key.value} ${direction}, id ${direction} limit ${limit} + 1
      `
    }
    if (key?.isIndexed === true && !isIndexed && candidates === undefined) {
      const counted = sql`
        total as materialized (
          select count(*)::integer as count from (select ${from} limit ${constant(MAX_TOTAL + 1)}) as counted
        ),
        page as materialized (${walk(key)})
      `
      const count = sql`(select nullif(count, ${constant(MAX_TOTAL + 1)}) from total)`
      return yield* readRow(selectItems(counted, count, order, item, limit))
    }
    const value = key?.value ?? sql`null::text`
    const matches = sql`
      select id, ${value} as key from ${table}
      where ${isIndexed || candidates !== undefined ? sql`store_id is not distinct from ${store}::uuid` : ofStore}
        and ${isMatch}
    `
    const found = candidates === undefined ? matches : sql`${matches} and ${candidates}`
    const few = sql`
      matched as materialized (${found} limit ${constant(MAX_TOTAL + 1)}),
      total as materialized (select count(*)::integer as count from matched),
      page as materialized (
        select id, key from matched where (select count from total) <= ${constant(MAX_TOTAL)} and ${after}
        order by ${order} limit ${limit} + 1
      )
    `
    const page = yield* readRow(selectItems(few, sql`(select count from total)`, order, item, limit))
    if (page.count !== null && page.count <= MAX_TOTAL) return page
    // More matches than are counted are dense enough to find a page in the order of ids.
    const rows =
      key?.isIndexed === true && !isIndexed
        ? walk(key)
        : key === undefined
          ? sql`
            select id, null::text as key from (
              select * from ${table} where ${ofStore} and ${after} order by id ${direction} offset 0
            ) as ${name} where ${isMatch} limit ${limit} + 1
          `
          : sql`select id, key from (${matches}) as keyed where ${after} order by ${order} limit ${limit} + 1`
    return yield* readRow(selectItems(sql`page as materialized (${rows})`, sql`null::integer`, order, item, limit))
  })

  return Effect.fnUntraced(function* (
    query: ListQuery,
    { cursor, limit }: QueryPageRequest
  ): Effect.fn.Return<ReadPage, BadRequest | QueryTooSlow | SqlError.SqlError | Schema.SchemaError> {
    const { keys, request, sort } = query
    const isDescending = sort.startsWith("-")
    const key = keys[isDescending ? sort.slice(1) : sort]
    const fingerprint = hash("sha256", canonical([query.store, sort, request]), "base64url").slice(0, 16)
    const position = cursor === undefined ? undefined : yield* Effect.fromResult(decodeCursor(cursor, fingerprint, key))
    const { count, isFollowed, items, lastId, lastValue } = yield* readPage(
      query,
      key,
      isDescending,
      position,
      limit
    ).pipe(Effect.timeoutOrElse({ duration: yield* QueryTimeout, orElse: () => new QueryTooSlow() }))
    const cursorOf = (row: Position) => encodeCursor(fingerprint, row)
    return {
      items: query.document === undefined ? items : completeMarked(query.document, items),
      nextCursor: isFollowed && lastId !== null ? cursorOf({ id: lastId, value: lastValue }) : null,
      total: count,
      cursorOf
    }
  })
})
