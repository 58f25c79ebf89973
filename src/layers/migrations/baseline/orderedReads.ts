import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface OrderedRead {
  readonly name: string
  /** Include `most integer`, the maximum number of rows. */
  readonly parameters: string
  readonly table: string
  /** The condition and the order. The table's alias is `t`. */
  readonly where: string
}

/**
 * Creates a function that returns rows of a table in the order of an index. A plan from the time when the table was
 * small would read and sort all rows of a store. The settings of the function force the index.
 */
export const createOrderedRead = ({ name, parameters, table, where }: OrderedRead) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
      create function ${name}(${parameters}) returns setof ${table}
      language plpgsql stable set enable_bitmapscan = off set enable_sort = off
      set enable_incremental_sort = off set enable_seqscan = off as $$
        begin
          return query select * from ${table} t where ${where} limit most;
        end
      $$
    `)
  )
