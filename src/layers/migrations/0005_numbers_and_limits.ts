import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The number of a free choice of a slug: 1 is the slug itself, 2 is `slug-2`, and so on. Found by doubling and
  // halving, so that for the 60,000th of a name it looks at 32 slugs and not at 60,000 (0.8 s under the store's lock):
  // the answer is free and the number before it is taken. Who takes all powers of two by hand gets one of the thousand
  // million numbers beyond them. Without scans, with which a plan made while the table was small would go on.
  for (const [name, table] of [
    ["free_product_slug", "products"],
    ["free_collection_slug", "collections"]
  ] as const) {
    yield* sql`
      create or replace function ${sql.literal(name)}(store uuid, wished text) returns integer
      language plpgsql volatile set enable_seqscan = off as $$
        declare
          far constant integer := 1 << 30;
          choice integer := 1;
          taken integer := 0;
          free integer;
        begin
          loop
            if exists (
              select 1 from ${sql.literal(table)} t
              where t.store_id = store and t.slug = case choice when 1 then wished else wished || '-' || choice end
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

  // A plan that an operator made before takes the largest of the service's own, so that no store of it is refused.
  yield* sql`
    alter table plans add column collection_limit integer not null default 10000 check (collection_limit >= 0)
  `
  yield* sql`
    update plans set collection_limit = given.collection_limit
    from (values ('free', 50), ('starter', 500), ('growth', 2000)) as given (name, collection_limit)
    where plans.name = given.name
  `

  // Room in each page for a second version of all its rows: a collection in another order then changes no index, and
  // takes a quarter of the time.
  yield* sql`alter table collection_members set (fillfactor = 45)`
})
