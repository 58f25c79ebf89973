const BEFORE = "over (order by id rows between unbounded preceding and 1 preceding)"

/** How many rows stand before this one in a page of products or collections. */
export const ROWS_BEFORE = `count(*) ${BEFORE}`

/** Bytes of the documents before this one in such a page. Rows that do not know the size of what they are now are measured. */
export const BYTES_BEFORE = `
  coalesce(sum(case when bytes_of = version then bytes else octet_length(document::text) end) ${BEFORE}, 0)
`
