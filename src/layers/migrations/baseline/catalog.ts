import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creates products and collections, and the functions for memberships and slugs. */
export const createCatalog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Products, each as the JSON document that the API returns (docs/decisions/0002). Writes set id, version and slug to
  // the values in the document. toast_tuple_target keeps a document of usual size in its row, uncompressed.
  // schema_hash: hash of the schema by which the document was written; reads complete documents of other releases.
  // bytes: length of the document as text at the version bytes_of. For other versions, reads measure it.
  // facets, description: values that rules compare (docs/decisions/0003).
  yield* sql`
    create table products (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      version integer not null,
      schema_hash integer not null default 0,
      slug text collate "C" not null,
      facets jsonb not null,
      description text collate "C",
      document json not null,
      bytes integer,
      bytes_of integer,
      primary key (store_id, id),
      unique (store_id, slug)
    ) with (toast_tuple_target = 8160)
  `

  // Values that rules and searches compare most often, in rows of 0.3 KB; those of products have 3 KB. The free space
  // of a page lets an update of the price leave the indexes unchanged.
  yield* sql`
    create table product_keys (
      store_id uuid not null,
      id uuid not null,
      price numeric not null check (price >= 0),
      stock numeric not null check (stock >= 0),
      terms uuid[] not null,
      sku text collate "C",
      barcode text collate "C",
      primary key (store_id, id),
      foreign key (store_id, id) references products on delete cascade
    ) with (fillfactor = 90)
  `
  // Finds products by search term. The pending list collects the terms of about 640 products and then writes the list
  // of each term once. It costs a search at most 70 µs.
  yield* sql`
    create index product_keys_by_terms on product_keys using gin (terms)
    with (fastupdate = on, gin_pending_list_limit = 256)
  `
  // Find products by prefix of a SKU or barcode.
  yield* sql`create index product_keys_by_sku on product_keys (store_id, sku, id) where sku is not null`
  yield* sql`create index product_keys_by_barcode on product_keys (store_id, barcode, id) where barcode is not null`

  // Collections, each as the JSON document that the API returns. A trigger sets id, version and slug to the values in the
  // document. They are no generated columns, which logical replication refuses in a key. schema_hash, bytes and bytes_of are
  // those of products.
  yield* sql`
    create table collections (
      store_id uuid not null references stores on delete cascade,
      id uuid not null,
      version integer not null,
      schema_hash integer not null default 0,
      slug text collate "C" not null,
      document json not null,
      bytes integer,
      bytes_of integer,
      primary key (store_id, id),
      unique (store_id, slug)
    ) with (toast_tuple_target = 8160)
  `
  yield* sql`
    create function set_collection_columns() returns trigger language plpgsql as $$
      begin
        new.id := new.document ->> 'id';
        new.version := new.document ->> 'version';
        new.slug := new.document ->> 'slug';
        return new;
      end
    $$
  `
  yield* sql`
    create trigger set_collection_columns before insert or update on collections for each row
    execute function set_collection_columns()
  `

  // Products of manual collections. Each page has space for a second version of its rows, so reordering a collection
  // changes no index.
  yield* sql`
    create table collection_members (
      store_id uuid not null,
      collection_id uuid not null,
      position integer not null,
      product_id uuid not null,
      primary key (store_id, collection_id, product_id),
      foreign key (store_id, collection_id) references collections on delete cascade,
      foreign key (store_id, product_id) references products on delete cascade
    ) with (fillfactor = 45)
  `
  // Lists the manual collections of a product.
  yield* sql`create index collection_members_by_product on collection_members (store_id, product_id)`

  // Returns the manual collections of a product as JSON, each with the number of products before it; null for more than
  // 250. Volatile, and called under the product's lock: it sees changes that committed while its statement waited for
  // the lock.
  yield* sql`
    create function memberships_of(store uuid, product uuid) returns text language plpgsql volatile as $$
      begin
        if 250 < (
          select count(*) from (
            select from collection_members m where m.store_id = store and m.product_id = product limit 251
          ) as held
        ) then
          return null;
        end if;
        return (
          select coalesce(json_agg(json_build_object('collectionId', m.collection_id, 'rank', (
            select count(*) from collection_members o
            where o.store_id = store and o.collection_id = m.collection_id and o.position < m.position
          ))), '[]')
          from collection_members m where m.store_id = store and m.product_id = product
        );
      end
    $$
  `

  // Returns the number of a free slug: 1 is the slug itself, 2 is `slug-2`, and so on. A search by doubling and halving
  // needs 32 look-ups for the 60,000th product with a name. The result is free and the number before it is taken. If
  // all powers of two are taken, the result is random above 2^30. Volatile, and called under the store's lock, like
  // memberships_of.
  for (const [name, table] of [
    ["free_product_slug", "products"],
    ["free_collection_slug", "collections"]
  ] as const) {
    yield* sql`
      create function ${sql.literal(name)}(store uuid, requested text) returns integer language plpgsql volatile as $$
        declare
          far constant integer := 1 << 30;
          choice integer := 1;
          taken integer := 0;
          free integer;
        begin
          loop
            if exists (
              select 1 from ${sql.literal(table)} t
              where t.store_id = store and t.slug = case choice when 1 then requested else requested || '-' || choice end
            ) then
              taken := choice;
            else
              free := choice;
            end if;
            exit when free = taken + 1;
            choice := case
              when free is not null then taken + (free - taken) / 2
              when taken < far then taken * 2
              else taken + 1 + floor(random() * (2147483646 - taken))
            end;
          end loop;
          return free;
        end
      $$
    `
  }
  // Works like free_product_slug for several products. The slugs in `reserved` count as taken, and so does each result for
  // the following products.
  yield* sql`
    create function free_product_slugs(store uuid, requested text[], reserved text[]) returns integer[]
    language plpgsql volatile as $$
      declare
        far constant integer := 1 << 30;
        choices integer[] := '{}';
        candidate text;
        choice integer;
        taken integer;
        free integer;
      begin
        for place in 1 .. cardinality(requested) loop
          choice := 1;
          taken := 0;
          free := null;
          loop
            candidate := case choice when 1 then requested[place] else requested[place] || '-' || choice end;
            if candidate = any(reserved)
              or exists (select from products p where p.store_id = store and p.slug = candidate)
            then
              taken := choice;
            else
              free := choice;
            end if;
            exit when free = taken + 1;
            choice := case
              when free is not null then taken + (free - taken) / 2
              when taken < far then taken * 2
              else taken + 1 + floor(random() * (2147483646 - taken))
            end;
          end loop;
          reserved := reserved || case free when 1 then requested[place] else requested[place] || '-' || free end;
          choices := choices || free;
        end loop;
        return choices;
      end
    $$
  `
})
