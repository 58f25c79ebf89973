import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { type Exception, exceptions } from "./Exceptions.ts"
import { type Recorded, recordedStatements } from "./Recorder.ts"
import type { Tables } from "./Relations.ts"
import { unpinnedTables } from "./StorePins.ts"

/** Reads the columns of the tables of a migrated database. */
export const tablesOf = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly name: string; readonly columns: ReadonlyArray<string> }>`
    select table_name as name, json_agg(column_name order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'public' group by table_name
  `
).pipe(Effect.map((rows): Tables => new Map(rows.map(({ columns, name }) => [name, columns]))))

const flat = (text: string) => text.replaceAll(/\s+/g, " ").trim()

interface Source {
  readonly path: string
  readonly text: string
}

const isOfTest = ({ path }: Source) => path.startsWith("test/")

const readSources = (): ReadonlyArray<Source> =>
  ["src", "test"]
    .flatMap((folder) =>
      readdirSync(folder, { encoding: "utf8", recursive: true }).map(
        (path) => `${folder}/${path.replaceAll("\\", "/")}`
      )
    )
    .filter((path) => path.endsWith(".ts") && !path.startsWith("src/layers/migrations/"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))

/** Files by the first literals of their templates. */
const indexOf = (sources: ReadonlyArray<Source>) => {
  const index = new Map<string, Set<Source>>()
  for (const source of sources) {
    for (const [, literal = ""] of source.text.matchAll(/`((?:[^`$]|\$(?!\{))*)/g)) {
      if (literal.trim() === "") continue
      index.set(literal, (index.get(literal) ?? new Set()).add(source))
    }
  }
  return index
}

/** Finds the file with the first template of a statement and most of its other text. `src` comes before `test`. */
const originOf = ({ literals }: Recorded, index: ReadonlyMap<string, ReadonlySet<Source>>) => {
  const first = literals.find((literal) => index.has(literal)) ?? ""
  const weightOf = ({ text }: Source) =>
    literals.reduce((sum, literal) => (text.includes(literal) ? sum + literal.length : sum), 0)
  const [heaviest] = [...(index.get(first) ?? [])]
    .map((source, _, { length }) => ({ source, weight: length === 1 ? 0 : weightOf(source) }))
    .toSorted((a, b) => b.weight - a.weight || Number(isOfTest(a.source)) - Number(isOfTest(b.source)))
  return heaviest === undefined ? undefined : { source: heaviest.source, first }
}

const lineOf = (text: string, part: string) =>
  text.slice(0, text.indexOf(part) + part.length - part.trimStart().length).split("\n").length

/** A statement that does not pin tables to a store, and is no exception. */
interface Finding {
  readonly place: string
  readonly tables: ReadonlyArray<string>
  readonly text: string
}

/** Finds the statements of `src` that do not pin tables to a store, and the exceptions that match none of them. */
export const findUnpinned = (
  recorded: ReadonlyArray<Recorded>,
  tables: Tables,
  exceptions: ReadonlyArray<Exception>
) => {
  const index = indexOf(readSources())
  const used = new Set<Exception>()
  const findings = new Map<string, Finding>()
  for (const statement of recorded) {
    const origin = originOf(statement, index)
    if (origin === undefined || isOfTest(origin.source)) continue
    const { path, text } = origin.source
    const unpinned = unpinnedTables(statement.text, tables)
    if (unpinned.length === 0) continue
    const exception = exceptions.find(
      ({ file, text: pattern }) => file === path && (pattern === undefined || pattern.test(flat(statement.text)))
    )
    if (exception !== undefined) used.add(exception)
    else {
      const place = `${path}:${lineOf(text, origin.first)}`
      findings.set(place, { place, tables: [...new Set(unpinned)], text: flat(statement.text) })
    }
  }
  return { findings: [...findings.values()], unused: exceptions.filter((exception) => !used.has(exception)) }
}

const HOW_TO_PIN =
  "Compare `store_id` (`id` of `stores`) to a parameter or to the store of a pinned table. If the statement must read all stores, add it with a reason to test/support/postgres/statements/Exceptions.ts."

/**
 * Checks the statements of a run. Returns a message for each that does not name its store, and after the whole suite one for
 * each exception that matched nothing. That is no failure: machines without some programs skip tests.
 */
export const checkStatements = (folder: string, tables: Tables, isWholeSuite: boolean) => {
  const { findings, unused } = findUnpinned(recordedStatements(folder), tables, exceptions)
  const unpinned = findings.map(
    ({ place, tables: names, text }) => `${place} does not pin ${names.join(", ")} to a store. ${HOW_TO_PIN}\n  ${text}`
  )
  const stale = unused.map(
    ({ file, text }) =>
      `An exception of Exceptions.ts matched no statement of this run. Delete it, if no test was skipped: ${file}${text === undefined ? "" : `, ${text.source}`}`
  )
  return { unpinned, stale: isWholeSuite ? stale : [] }
}
