import { type Fragment, sql } from "./Statement.ts"

/** SQL that formats a `timestamptz` expression as the API does: RFC 3339 in UTC with milliseconds. */
export const time = (column: string): Fragment =>
  sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
