import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows in the order of their ids, by an index that has it, as `entries_before` reads them: of tables that were small when
  // a connection planned, it would read all that there are of a store or app, and sort them.
  const read = (name: string, parameters: string, table: string, condition: string) =>
    sql.unsafe(`
      create function ${name}(${parameters}, most integer) returns setof ${table}
      language plpgsql stable set enable_bitmapscan = off set enable_sort = off
      set enable_incremental_sort = off set enable_seqscan = off as $$
        begin
          return query select * from ${table} t where ${condition} limit most;
        end
      $$
    `)
  yield* read(
    "entries_after",
    "store uuid, last uuid, until uuid, of_parts smallint[], of_resources text[]",
    "journal",
    "t.store_id = store and t.id > last and t.id < until and t.part = any(of_parts) and t.resource = any(of_resources) order by t.id"
  )
  yield* read(
    "deliveries_before_of_app",
    "app uuid, until uuid",
    "deliveries",
    "t.app_id = app and t.event_id < until order by t.event_id desc"
  )
  yield* read(
    "proposals_after",
    "store uuid, last uuid, of_agent uuid",
    "proposals",
    "t.store_id = store and t.id > last and (of_agent is null or t.agent_id = of_agent) order by t.id"
  )
  yield* read(
    "settled_proposals_before",
    "store uuid, until uuid, of_agent uuid",
    "proposals",
    `t.store_id = store and t.id < until and (of_agent is null or t.agent_id = of_agent)
    and not (t.status = 'pending' and t.expires_at > clock_timestamp()) order by t.id desc`
  )
  // Rows are compared, as the ids of one resource are in the order of two indexes, one of which holds those of all resources.
  yield* read(
    "entries_of_resource",
    "store uuid, of_resource uuid, since uuid, since_version integer",
    "journal",
    `(t.store_id, t.resource_id, t.id) >= (store, of_resource, since)
    and (t.store_id, t.resource_id, t.id) <= (store, of_resource, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and t.version >= since_version order by t.store_id, t.resource_id, t.id`
  )
})
