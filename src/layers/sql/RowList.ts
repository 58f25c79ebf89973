import { joinLines, NULL_ELEMENT, plainArray, textArray } from "./ArrayLiterals.ts"
import { type Fragment, sql } from "./Statement.ts"

/** Type of a column. `lines` are JSON texts and others without a line break, which need no quotes in a list. */
type ColumnType = "uuid" | "smallint" | "integer" | "numeric" | "timestamptz" | "text" | "lines"

/** Columns of rows by name: type, and value in a row. Texts of the type `lines` are not empty. */
export type Columns<Row> = Readonly<
  Record<string, readonly [type: ColumnType, valueOf: (row: Row) => string | number | null]>
>

const list = sql.join(", ", false)

const listOf = (type: ColumnType, values: ReadonlyArray<string | number | null>): Fragment => {
  switch (type) {
    case "lines":
      return sql`string_to_array(${joinLines(values.map((value) => String(value ?? "")))}, E'\\n', '')`
    case "text":
      return sql`${textArray(values.map((value) => (value === null ? null : String(value))))}::text[]`
    case "uuid":
    case "smallint":
    case "integer":
    case "numeric":
    case "timestamptz":
      // In a subquery, which hides the length of the list: PostgreSQL would plan the statement anew for each short list.
      return sql`(select ${plainArray(values.map((value) => value ?? NULL_ELEMENT))}::${sql.literal(type)}[])`
  }
}

/**
 * Makes a table of a FROM clause from rows. One row is a subquery of values, which the planner inlines: as lists of one, a
 * product, its keys, journal entry, event and deliveries took the database a third more CPU.
 */
export const rowList = <Row>(name: string, rows: ReadonlyArray<Row>, columns: Columns<Row>): Fragment => {
  const [row, ...others] = rows
  const named = Object.entries(columns)
  if (row !== undefined && others.length === 0) {
    const values = named.map(([column, [type, valueOf]]) => {
      const value = valueOf(row)
      return sql`${value === null ? null : String(value)}${sql.literal(`::${type === "lines" ? "text" : type} as ${column}`)}`
    })
    return sql`(select ${list(values)}) as ${sql.literal(name)}`
  }
  const lists = named.map(([, [type, valueOf]]) => listOf(type, rows.map(valueOf)))
  return sql`unnest(${list(lists)}) as ${sql.literal(`${name} (${named.map(([column]) => column).join(", ")})`)}`
}
