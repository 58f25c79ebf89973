import { type Fragment, sql } from "./sql/Statement.ts"

/** A time as the API writes it, RFC 3339 in UTC with milliseconds, given a column or what else has one, in SQL. */
export const time = (column: string): Fragment =>
  sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
