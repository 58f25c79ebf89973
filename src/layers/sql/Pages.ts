import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { DocumentPage } from "../../domain/json/Document.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import { completeMarked, type DocumentText } from "./Documents.ts"
import type { Fragment, Statement } from "./Statement.ts"

/** Cursor of the first page in ascending order: it precedes all ids. */
export const START = "00000000-0000-0000-0000-000000000000"

/** Cursor of the first page in descending order: it follows all ids. */
export const END = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/**
 * Selects a page of at most `limit` rows of `select`, which returns `id` and `json` of the rows after the cursor. The page
 * ends early after {@link PAGE_BYTES}. One more row is read, to find out if there is another page. The
 * limit is in a subquery, which hides it from the planner: it would plan the statement anew for each short page.
 */
export const selectPage = (
  sql: SqlClient.SqlClient,
  select: Fragment,
  limit: number,
  direction: "asc" | "desc" = "asc"
): Statement => {
  const order = sql.literal(`order by id ${direction}`)
  const last = sql.literal(direction === "asc" ? "max" : "min")
  return sql`
    with page as (
      select id, json,
        count(*) over before < ${limit} and coalesce(sum(octet_length(json)) over before, 0) < ${PAGE_BYTES} as fits
      from (${select} ${order} limit (select ${limit}::integer) + 1) as listed
      window before as (${order} rows between unbounded preceding and 1 preceding)
    )
    select
      '[' || coalesce(string_agg(json, ',' ${order}) filter (where fits), '') || ']' as items,
      case when not bool_and(fits) then ${last}(id::text) filter (where fits) end as "nextCursor"
    from page
  `
}

/**
 * Makes a function that runs the statement of a page and decodes its row. `document` completes marked items, not as a part
 * of the schema: a transformation in it takes each page 70 µs.
 */
export const pageReader = <Id>(id: Schema.Codec<Id, string>, document?: DocumentText) => {
  const decode = Schema.decodeUnknownEffect(
    Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.toType(id)) })
  )
  return (statement: Statement): Effect.Effect<DocumentPage<Id>, SqlError.SqlError | Schema.SchemaError> =>
    Effect.map(
      Effect.flatMap(statement, ([row]) => decode(row)),
      (page) => (document === undefined ? page : { ...page, items: completeMarked(document, page.items) })
    )
}
