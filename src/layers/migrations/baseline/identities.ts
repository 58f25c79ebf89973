import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Identifies the rows of a table by all columns. Logical replication finds a row by its identity, which must name the
 * store, and the primary key of the table does not.
 */
export const identifyByRow = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table ${sql(table)} replica identity full`)
