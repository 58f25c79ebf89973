import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What is read of the journal, and what undoes it.
 * request_id: of the request that wrote. undoes: the entry that this one takes back. memberships: of a product that was
 * deleted, the manual collections that held it, each with how many stood before it, where they are at most 250.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table journal add column request_id text, add column undoes uuid, add column memberships text`

  // Volatile, and called under the lock of the product: it sees what was committed while its statement waited for that.
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

  // An entry stays as it was written, whoever asks: there is no privilege that a table's owner does not have. Parts are
  // emptied by TRUNCATE.
  yield* sql`
    create function refuse_journal_change() returns trigger language plpgsql as $$
      begin
        raise insufficient_privilege using message = 'entries of the journal are not changed, nor deleted one by one';
      end
    $$
  `
  yield* sql`
    create trigger refuse_journal_change before update or delete on journal for each row
    execute function refuse_journal_change()
  `
})
