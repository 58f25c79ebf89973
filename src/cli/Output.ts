import { Console, Effect } from "effect"

type Fields = Readonly<Record<string, unknown>>

/**
 * Formats a value in one line. Control and format characters are replaced: responses of receivers must not move the
 * cursor of a terminal or imitate another row.
 */
const formatValue = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return (Array.isArray(value) ? value.join(" ") : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, "\uFFFD")
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** Formats a record as aligned lines of `name: value`. Empty fields are left out. */
const formatRecord = (fields: Fields): string => {
  const present = Object.entries(fields).filter(([, value]) => !isEmpty(value))
  const width = Math.max(...present.map(([name]) => name.length))
  return present.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${formatValue(value)}`).join("\n")
}

/** Formats a field name as a column header: `storeId` becomes `STORE ID`. */
const formatHeader = (name: string) => name.replaceAll(/(?=[A-Z])/g, " ").toUpperCase()

const formatCell = (value: unknown) => (isEmpty(value) ? "-" : formatValue(value))

/** Names of the columns. Columns without values are left out, and lists, the widest values, are last. */
const columnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<string> => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names.filter((name) => rows.some((row) => !isEmpty(row[name])))
  const isList = (name: string) => rows.some((row) => Array.isArray(row[name]))
  return [...columns.filter((name) => !isList(name)), ...columns.filter(isList)]
}

/** Formats rows as a table with aligned columns and a header. Numbers are aligned to the right. */
const formatTable = (rows: ReadonlyArray<Fields>): string => {
  const columns = columnsOf(rows).map((name) => {
    const cells = [formatHeader(name), ...rows.map((row) => formatCell(row[name]))]
    const width = Math.max(...cells.map((cell) => cell.length))
    const isNumeric = rows.every((row) => isEmpty(row[name]) || typeof row[name] === "number")
    return cells.map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)))
  })
  return ["", ...rows]
    .map((_, index) =>
      columns
        .map((cells) => cells[index])
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Exit code of a process that SIGINT ended: 128 + 2. */
const SIGINT_EXIT_CODE = 130

/** Sets the exit code and prints a notice if the work of a command is interrupted, because it is not complete. */
export const withInterruptNotice = <A, E, R>(work: Effect.Effect<A, E, R>, notice: string): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(work, () =>
    Effect.sync(() => {
      process.exitCode = SIGINT_EXIT_CODE
      process.stderr.write(notice)
    })
  )

/** Prints a result: as one line of JSON, or as aligned lines. */
export const print = (asJson: boolean, fields: Fields) =>
  Console.log(asJson ? JSON.stringify(fields) : formatRecord(fields))

/** Prints a list: as one line of JSON under its name, or as a table. */
export const printList = (asJson: boolean, name: string, rows: ReadonlyArray<Fields>) =>
  Console.log(asJson ? JSON.stringify({ [name]: rows }) : rows.length === 0 ? `No ${name}` : formatTable(rows))
