import { type Effect, Schema } from "effect"
import type { DocumentPage } from "../domain/Document.ts"
import type { DatabaseOf } from "./database/Database.ts"
import type { Statement } from "./database/Statement.ts"

const BEFORE = "over (order by id rows between unbounded preceding and 1 preceding)"

/** Bytes of the documents before a row of a page, given what says how many one has. */
export const bytesBefore = (bytes: string) => `coalesce(sum(${bytes}) ${BEFORE}, 0)`

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
}

/** The cursor of a first page: no id is less. */
export const START = "00000000-0000-0000-0000-000000000000"

/**
 * The rows of a page of `$2` at most, which ends early when it has passed `$3` bytes: those that `fits`. One row more is
 * looked at, to know whether there is another page.
 */
export const pageRows = ({ bytes, columns, rows }: Omit<Listed, "text">): string => `
  select id, ${columns}, count(*) ${BEFORE} < $2 and ${bytesBefore(bytes)} < $3 as fits
  from ${rows} order by id limit $2 + 1
`

/** A page as a JSON array. Documents are read, and so taken out of their compression, only as far as the page goes. */
export const pageQuery = ({ text, ...listed }: Listed): string => `
  with page as (${pageRows(listed)})
  select
    '[' || coalesce(string_agg(${text}, ',' order by id) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
  from page
`

/** Reads a page. */
export const pageOf = <Id>(
  { one }: DatabaseOf,
  id: Schema.Schema<Id, string>
): ((statement: Statement) => Effect.Effect<DocumentPage<Id>>) =>
  one(Schema.Struct({ items: Schema.String, nextCursor: Schema.NullOr(Schema.typeSchema(id)) }))
