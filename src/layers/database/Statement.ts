import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Statement as Sql } from "effect/sql"

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

/** Texts that statements begin with, one after the other: the statement made of them, and what may come next. */
interface Beginning {
  made: string | undefined
  readonly next: Map<string, Beginning>
}

const makeBeginning = (): Beginning => ({ made: undefined, next: new Map() })

/**
 * Makes one statement of several: all but the last are common table expressions, and all of them are done. They do not
 * see each other, and must not touch the same row. Texts made so far are kept by those they are made of: there are a few
 * dozen, as what differs from write to write are values.
 */
export const makeCombine = () => {
  const nothing = makeBeginning()
  return (statements: ReadonlyArray<Statement>): Compiled => {
    const parts = statements.map((statement) => statement.compile())
    const values: Array<unknown> = []
    let all = nothing
    for (const [text, own] of parts) {
      values.push(...own)
      const longer = all.next.get(text) ?? makeBeginning()
      all.next.set(text, longer)
      all = longer
    }
    all.made ??= joined(parts)
    return [all.made, values]
  }
}
