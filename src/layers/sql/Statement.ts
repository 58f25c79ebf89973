import { PgClient } from "@effect/sql-pg"
import { Array, Effect } from "effect"
import { Statement as Sql } from "effect/sql"
import { arrayOf } from "../Lists.ts"

/** A statement, which `Database` runs. */
export type Statement = Sql.Statement<unknown>

/** A part of a statement. */
export type Fragment = Sql.Fragment

/** Statements and parts of them, each `${value}` a parameter. It only makes them: `Database` runs them. */
export const sql = Sql.make(
  Effect.die(new Error("A statement is run by Database")),
  PgClient.makeCompiler(undefined, false),
  [],
  undefined
)

/** A number that is part of the text of a statement, where the planner knows it. */
export const constant = (value: number): Fragment => sql.literal(String(value))

const listed = sql.join(", ", false)

/**
 * Makes one statement of several: all but the last are common table expressions, and all of them are done. They do not
 * see each other, and must not touch the same row.
 */
export const combine = (statements: Array.NonEmptyReadonlyArray<Statement>): Statement => {
  const [others, last] = Array.unappend(statements)
  if (others.length === 0) return last
  return sql`with ${listed(others.map((other, index) => sql`${sql.literal(`write_${index}`)} as (${other})`))} ${last}`
}

const elementOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  return value instanceof Date ? value.toISOString() : String(value)
}

/**
 * A value as the driver takes it. It gives a number the type of its size and an array that of its first element, and fails
 * for an array of nulls alone or of integers beside other numbers (`Claims.test.ts`, `Records.test.ts`). As text, both have
 * the type that the statement expects.
 */
export const parameterOf = (value: unknown): unknown => {
  if (typeof value === "number") return String(value)
  return Array.isArray(value) ? arrayOf(value.map(elementOf)) : value
}
