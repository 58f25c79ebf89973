import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What rules ask most of a product moves to rows of its own (docs/decisions/0003). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows of 0.3 KB instead of 3: a thousand candidates lie on some 300 pages, not on a thousand. The room left in each
  // page lets a new price stay out of the indexes.
  yield* sql`
    create table product_keys (
      store_id uuid not null,
      id uuid not null,
      price numeric not null,
      stock numeric not null,
      terms uuid[] not null,
      primary key (store_id, id),
      foreign key (store_id, id) references products on delete cascade
    ) with (fillfactor = 90)
  `
  // As layers/catalog/Terms makes them.
  yield* sql`
    insert into product_keys (store_id, id, price, stock, terms)
    select store_id, id, price, stock, array(
      select distinct left(encode(sha256(convert_to(p.store_id || '/' || key || '/' || text, 'UTF8')), 'hex'), 32)::uuid
      from jsonb_each(p.facets) as facet (key, value), jsonb_array_elements_text(
        case jsonb_typeof(value) when 'array' then value else jsonb_build_array(value) end
      ) as text
      where key in ('tags', 'vendorName', 'productType', 'category', 'categoryId', 'categoryName')
    )
    from products p
  `
  yield* sql`alter table products drop column terms`
  // Without its pending list, which every read would have to search.
  yield* sql`create index product_keys_by_terms on product_keys using gin (terms) with (fastupdate = off)`
})
