import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { DocumentPage } from "../domain/Document.ts"
import { PAGE_BYTES } from "../domain/Page.ts"
import type { DatabaseOf } from "./sql/Database.ts"
import { type Fragment, sql, type Statement } from "./sql/Statement.ts"

/** The cursor of a first page: no id is less. */
export const START = "00000000-0000-0000-0000-000000000000"

/** That of one whose order begins with the greatest. */
export const END = "ffffffff-ffff-ffff-ffff-ffffffffffff"

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

/** Does the same as {@link jsonPage} with a client: the statement can be run. */
export const selectPage = (sql: SqlClient.SqlClient, select: Fragment, limit: number) => sql`${jsonPage(select, limit)}`

/** Makes a function that runs the statement of a page and decodes its row. */
export const makePageReader = <Id>(id: Schema.Codec<Id, string>) => {
  const decode = Schema.decodeUnknownEffect(
    Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.toType(id)) })
  )
  return (statement: Statement): Effect.Effect<DocumentPage<Id>, SqlError.SqlError | Schema.SchemaError> =>
    Effect.flatMap(statement, ([row]) => decode(row))
}
