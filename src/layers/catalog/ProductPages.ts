import type { SqlClient } from "effect/sql"
import { type CatalogRequest, isFiltered } from "../../domain/catalog/ListFilter.ts"
import type { ProductId } from "../../domain/catalog/Product.ts"
import { PAGE_BYTES } from "../../domain/Page.ts"
import type { StoreId } from "../../domain/Store.ts"
import { START } from "../sql/Pages.ts"
import { constant, type Statement } from "../sql/Statement.ts"
import { candidatesOf } from "./Candidates.ts"
import { DOCUMENT_BYTES, PRODUCT_TEXT } from "./Columns.ts"

/**
 * Documents are decompressed only up to the end of the page. The limit is in a scalar subquery, which hides it from the
 * planner, so that PostgreSQL keeps the generic plan.
 */
const selectAll = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  { cursor = START, limit }: CatalogRequest<string>
): Statement => sql`
  with page as (
    select id, document, schema_hash,
      count(*) over before < ${limit} and coalesce(sum(${DOCUMENT_BYTES}) over before, 0) < ${PAGE_BYTES} as fits
    from products where store_id = ${store} and id > ${cursor}
    window before as (order by id rows between unbounded preceding and 1 preceding)
    order by id limit (select ${limit}::integer) + 1
  )
  select
    '[' || coalesce(string_agg(${PRODUCT_TEXT}, ',' order by id) filter (where fits), '') || ']' as items,
    case when not bool_and(fits) then max(id::text) filter (where fits) end as "nextCursor"
  from page
`

/** Selects a page of a filtered list of products. */
const selectFilteredProducts = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  request: CatalogRequest<ProductId>,
  journalDays: number
): Statement => {
  const { definitions, hasId, hasTime, most } = candidatesOf("product", store, request, journalDays)
  const { limit } = request
  return sql`
    with ${definitions}, page as (
      select candidate.id, found.document, found.schema_hash,
        count(*) over before < ${limit} and coalesce(sum(found.bytes) over before, 0) < ${PAGE_BYTES} as fits
      from (select id from candidates where ${hasId} order by id) as candidate, lateral (
        select document, schema_hash, ${DOCUMENT_BYTES} as bytes from products p
        where p.store_id = ${store} and p.id = candidate.id and ${hasTime} offset 0
      ) as found
      window before as (order by candidate.id rows between unbounded preceding and 1 preceding)
      order by candidate.id limit ${limit} + 1
    )
    select
      '[' || coalesce(string_agg(${PRODUCT_TEXT}, ',' order by id) filter (where fits), '') || ']' as items,
      case
        when not bool_and(fits) then max(id::text) filter (where fits)
        when (select count(*) from candidates) >= ${constant(most)} then (select max(id::text) from candidates)
      end as "nextCursor"
    from page
  `
}

/** Selects a page of products. */
export const selectProducts = (
  sql: SqlClient.SqlClient,
  store: StoreId,
  request: CatalogRequest<ProductId>,
  journalDays: number
): Statement =>
  isFiltered(request) ? selectFilteredProducts(sql, store, request, journalDays) : selectAll(sql, store, request)
