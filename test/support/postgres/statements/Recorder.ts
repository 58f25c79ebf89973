import { PgClient } from "@effect/sql-pg"
import type { Statement } from "effect/sql"
import { appendFileSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { threadId } from "node:worker_threads"

/** Text of a statement, and the literals of the templates that it was built from. */
export interface Recorded {
  readonly text: string
  readonly literals: ReadonlyArray<string>
}

const EXTENSION = ".statements"

const recorders = new WeakSet<Statement.Compiler["compile"]>()

/**
 * Writes each distinct statement of this process to `folder`. All clients of PostgreSQL share the compiler of the
 * library, so each statement passes it.
 */
export const recordStatements = (folder: string) => {
  const prototype: { compile: Statement.Compiler["compile"] } = Object.getPrototypeOf(PgClient.makeCompiler())
  const { compile } = prototype
  if (recorders.has(compile)) return
  const file = join(folder, `${process.pid}-${threadId}${EXTENSION}`)
  const seen = new Set<string>()
  prototype.compile = function (this: Statement.Compiler, statement, ...options) {
    const compiled = compile.call(this, statement, ...options)
    const [text] = compiled
    if (!seen.has(text)) {
      seen.add(text)
      const literals = statement.segments.flatMap((part) => (part._tag === "Literal" ? [part.value] : []))
      appendFileSync(file, `${JSON.stringify({ text, literals } satisfies Recorded)}\n`)
    }
    return compiled
  }
  recorders.add(prototype.compile)
}

/** Distinct statements of all processes of the run. */
export const recordedStatements = (folder: string): ReadonlyArray<Recorded> => {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean))
  return [...new Set(lines)].map((line): Recorded => JSON.parse(line))
}
