import { sql } from "../sql/Statement.ts"

/** Bytes of a product's or collection's document. Rows that do not know the size of what they are now are measured. */
export const DOCUMENT_BYTES = sql`case when bytes_of = version then bytes else octet_length(document::text) end`
