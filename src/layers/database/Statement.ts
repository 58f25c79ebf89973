import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Statement as Sql } from "effect/sql"
import { arrayOf } from "../Lists.ts"

/** A text with `$1`, `$2`, …, and what they stand for. */
export type Compiled = readonly [text: string, values: ReadonlyArray<unknown>]

/** A statement, which `Database` runs. */
export interface Statement {
  readonly compile: () => Compiled
}

/** A statement of constant text, which need not be made anew each time, for what happens with every request. */
export const statement =
  (text: string) =>
  (...values: ReadonlyArray<unknown>): Statement => ({ compile: () => [text, values] })

/** A part of a statement. */
export type Fragment = Sql.Fragment

/** Statements and parts of them, each `${value}` a parameter. It only makes them: `Database` runs them. */
export const sql = Sql.make(
  Effect.die(new Error("A statement is run by Database")),
  PgClient.makeCompiler(undefined, false),
  [],
  undefined
)

/** A constant part of a statement, and of one that is still a text. */
export const literal = (text: string): Fragment => Object.assign(sql.literal(text), { toString: () => text })

/** A number that is part of the text of a statement, where the planner knows it. */
export const constant = (value: number): Fragment => sql.literal(String(value))

/** The text of a statement whose parameters come after `count` others. */
const shifted = (text: string, count: number) =>
  count === 0 ? text : text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${Number(place) + count}`)

const joined = (statements: ReadonlyArray<Compiled>): string => {
  let count = 0
  const texts = statements.map(([text, values]) => {
    const placed = shifted(text, count)
    count += values.length
    return placed
  })
  const last = texts.pop() ?? ""
  const others = texts.map((text, index) => `write_${index} as (${text})`)
  return others.length === 0 ? last : `with ${others.join(", ")} ${last}`
}

/**
 * Makes one statement of several: all but the last are common table expressions, and all of them are done. They do not
 * see each other, and must not touch the same row. Texts made so far are kept by those that they are made of: there are a
 * few dozen, as writes differ by their values.
 */
export const makeCombine = () => {
  const made = new Map<string, string>()
  return (statements: ReadonlyArray<Statement>): Statement => {
    const parts = statements.map((statement) => statement.compile())
    const key = parts.map(([text]) => text).join(";")
    const text = made.get(key) ?? joined(parts)
    made.set(key, text)
    return { compile: () => [text, parts.flatMap(([, values]) => values)] }
  }
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
