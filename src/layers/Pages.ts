import { type Effect, Schema } from "effect"
import type { DocumentPage } from "../domain/Document.ts"
import { PAGE_BYTES } from "../domain/Page.ts"
import type { DatabaseOf } from "./database/Database.ts"
import { type Fragment, sql, type Statement } from "./database/Statement.ts"

/** What a list is ordered by, and which of a page's ids is the last one. */
const ORDERS = { ascending: { by: "id", last: "max" }, descending: { by: "id desc", last: "min" } } as const
type Order = keyof typeof ORDERS

const before = (order: Order) => `over (order by ${ORDERS[order].by} rows between unbounded preceding and 1 preceding)`

/** Bytes of the documents before a row of a page, given what says how many one has. */
export const bytesBefore = (bytes: string, order: Order = "ascending") => `coalesce(sum(${bytes}) ${before(order)}, 0)`

/** What a page is made of: rows with an `id`, in SQL. */
interface Listed {
  /** The columns that the text is made of. */
  readonly columns: string
  /** The JSON text of a row. */
  readonly text: string
  /** How many bytes it has. */
  readonly bytes: string
  /** Where the rows are, as what follows `from`: those behind the cursor, of which the page takes the first. */
  readonly rows: string
  /** How they are ordered by id, where that is not from the least to the greatest. */
  readonly order?: Order
  /** Where the next page starts though this one had room for more: nowhere, unless it did not look at all there is. */
  readonly last?: string
}

/** The cursor of a first page: no id is less. */
export const START = "00000000-0000-0000-0000-000000000000"

/** That of one whose order begins with the greatest. */
export const END = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/**
 * The rows of a page of `$2` at most, which ends early when it has passed `$3` bytes: those that `fits`. One row more is
 * looked at, to know whether there is another page.
 */
export const pageRows = ({ bytes, columns, order = "ascending", rows }: Omit<Listed, "last" | "text">): string => `
  select id, ${columns}, count(*) ${before(order)} < $2 and ${bytesBefore(bytes, order)} < $3 as fits
  from ${rows} order by ${ORDERS[order].by} limit $2 + 1
`

/** A page as a JSON array. Documents are read, and so taken out of their compression, only as far as the page goes. */
export const pageQuery = ({ last = "null", order = "ascending", text, ...listed }: Listed): string => `
  with page as (${pageRows({ ...listed, order })})
  select
    '[' || coalesce(string_agg(${text}, ',' order by ${ORDERS[order].by}) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then ${ORDERS[order].last}(id::text) filter (where fits) else ${last} end
      as "nextCursor"
  from page
`

/**
 * A page of at most `limit` rows of `select`, which answers `id` and `json` of those behind the cursor. It ends early when
 * it has passed {@link PAGE_BYTES}. One row more is read, to know whether there is another page.
 */
export const jsonPage = (select: Fragment, limit: number): Statement => sql`
  with page as (
    select id, json,
      count(*) over before < ${limit} and coalesce(sum(octet_length(json)) over before, 0) < ${PAGE_BYTES} as fits
    from (${select} order by id limit ${limit} + 1) as listed
    window before as (order by id rows between unbounded preceding and 1 preceding)
  )
  select
    '[' || coalesce(string_agg(json, ',' order by id) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
  from page
`

/** Reads a page. */
export const pageOf = <Id>(
  { one }: DatabaseOf,
  id: Schema.Codec<Id, string>
): ((statement: Statement) => Effect.Effect<DocumentPage<Id>>) =>
  one(Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.toType(id)) }))
