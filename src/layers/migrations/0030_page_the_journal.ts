import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Entries in the order of their ids, by an index that has it: of a journal that was small when a connection planned, it
  // would read all of the store's and sort them.
  const page = (name: string, parameter: string, condition: string) =>
    sql.unsafe(`
      create function ${name}(store uuid, until uuid, since uuid, most integer${parameter}) returns setof journal
      language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
        begin
          return query select * from journal j
          where j.store_id = store and j.id < until and j.id >= since ${condition} order by j.id desc limit most;
        end
      $$
    `)
  yield* page("entries_before", "", "")
  yield* page("entries_before_of_resource", ", of_resource uuid", "and j.resource_id = of_resource")
  yield* page("entries_before_of_actor", ", of_actor uuid", "and j.actor_id = of_actor")
})
