import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Statement as Sql } from "effect/sql"

export type Statement = Sql.Statement<unknown>

export type Fragment = Sql.Fragment

/** Builds parts of statements without a connection. `SqlClient` runs the statements that contain them. */
export const sql = Sql.make(
  Effect.die(new Error("This statement is a part of others: SqlClient runs those")),
  PgClient.makeCompiler(undefined, false),
  [],
  undefined
)

/** Number in the text of a statement, where the planner sees it. */
export const constant = (value: number): Fragment => sql.literal(String(value))
