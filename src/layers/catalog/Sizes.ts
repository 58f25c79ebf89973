const BEFORE = "over (order by id rows between unbounded preceding and 1 preceding)"

/** How many rows stand before this one in a page of products or collections. */
export const ROWS_BEFORE = `count(*) ${BEFORE}`

/** Bytes of the documents before this one in such a page. Rows from before sizes were kept are measured. */
export const BYTES_BEFORE = `coalesce(sum(coalesce(bytes, octet_length(document::text))) ${BEFORE}, 0)`
