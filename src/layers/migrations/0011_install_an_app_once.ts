import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * An app is installed on a store once. Of the installations of one app on one store the newest active one is kept, as it
 * is, else the newest; the others' tokens and keys go on as its own. A process from before that installs an app anew is
 * refused by the index.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Nothing is installed between the look for doubles and the index. Who reads is not held up.
  yield* sql`lock table installations in share row exclusive mode`
  yield* sql`
    create temporary table doubles on commit drop as
    select store_id, id, kept, is_active
    from (
      select
        store_id, id, is_active,
        first_value(id) over (partition by store_id, app_id order by is_active desc, id desc) as kept
      from installations
    ) each_of
    where id <> kept
  `
  // What was answered to a key stays answered; where two of them used the same one, the newest answer counts.
  yield* sql`
    update idempotency_records r set installation_id = chosen.kept
    from (
      select distinct on (d.store_id, d.kept, r.key) d.store_id, d.id, d.kept, r.key
      from doubles d join idempotency_records r on r.store_id = d.store_id and r.installation_id = d.id
      where not exists (
        select 1 from idempotency_records own
        where own.store_id = d.store_id and own.installation_id = d.kept and own.key = r.key
      )
      order by d.store_id, d.kept, r.key, r.expires_at desc
    ) chosen
    where r.store_id = chosen.store_id and r.installation_id = chosen.id and r.key = chosen.key
  `
  // A token that was shut out stays so: it goes with its installation.
  yield* sql`
    update access_tokens t set installation_id = d.kept
    from doubles d where t.store_id = d.store_id and t.installation_id = d.id and d.is_active
  `
  yield* sql`
    delete from installations i using doubles d where i.store_id = d.store_id and i.id = d.id
  `
  yield* sql`create unique index installations_by_app on installations (store_id, app_id)`
})
