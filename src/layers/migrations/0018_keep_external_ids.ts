import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What resources are called where they come from, by which an import finds again what it made (docs/import.md). */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table external_ids (
      store_id uuid not null,
      kind text not null,
      external_id text collate "C" not null,
      resource_id uuid not null,
      primary key (store_id, kind, external_id),
      unique (store_id, resource_id)
    )
  `
  // By triggers, as a process of the release before deletes too, and knows of no such ids.
  yield* sql`
    create function forget_external_id() returns trigger language plpgsql as $$
      begin
        delete from external_ids where store_id = old.store_id and resource_id = old.id;
        return null;
      end
    $$
  `
  for (const table of ["products", "collections", "orders", "customers"]) {
    yield* sql`
      create trigger forget_external_id after delete on ${sql.literal(table)} for each row
      execute function forget_external_id()
    `
  }

  // Of each of several slugs the number of a free choice, as `free_product_slug` finds it, where those `given` are taken
  // too, and so is what those before it in the list get.
  yield* sql`
    create function free_product_slugs(store uuid, wished text[], given text[]) returns integer[]
    language plpgsql volatile as $$
      declare
        far constant integer := 1 << 30;
        choices integer[] := '{}';
        candidate text;
        choice integer;
        taken integer;
        free integer;
      begin
        for place in 1 .. cardinality(wished) loop
          choice := 1;
          taken := 0;
          free := null;
          loop
            candidate := case choice when 1 then wished[place] else wished[place] || '-' || choice end;
            if candidate = any(given)
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
          given := given || case free when 1 then wished[place] else wished[place] || '-' || free end;
          choices := choices || free;
        end loop;
        return choices;
      end
    $$
  `
})
