import { Result, Struct } from "effect"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import { NUL } from "../json/Json.ts"
import { NOT_A_DOUBLE, toDouble } from "../json/Numbers.ts"
import { cutText } from "../Text.ts"
import { bothReadings, readingsOf } from "./Numerals.ts"
import { Cells, COLUMNS, NUMBER, type ShopifyCells, type ShopifyField } from "./ShopifyTable.ts"

/* Reads the columns of a file and its rows. */

type Field = ShopifyField

const FIELDS = Struct.keys(COLUMNS)

const NUMERIC = new Set(FIELDS.filter((field) => Object.hasOwn(COLUMNS[field], "isNumber")))

/** Tells whether a field is a number, which is written with the decimal sign of its file. */
export const isNumeric = (field: string): boolean => FIELDS.some((one) => one === field && NUMERIC.has(one))

/** Returns the field that a column has by its name. */
export const findField = (column: string): Field | undefined => {
  const name = column.trim().toLowerCase()
  return FIELDS.find((field) => COLUMNS[field].headers.some((header) => header === name))
}

/** Returns the name that a column of the field has in exports. */
export const nameOfField = (field: Field): string => COLUMNS[field].headers[0]

/** Decoded row of a file. */
export interface ShopifyRow {
  /** Line of the file on which the row starts. */
  readonly line: number
  readonly cells: ShopifyCells
  /** Cells of the columns without a field. Null: the cell is empty. */
  readonly others: ReadonlyMap<string, string | null>
}

/** Problem of a row, with its column. */
export interface RowProblem {
  readonly line: number
  readonly reason: string
}

/** Maximum number of characters of a refused cell that its refusal repeats. */
const MAX_FOUND = 40

/** Reason to refuse a row whose cells may belong to other columns. */
export const tooManyCells = (header: ReadonlyArray<string>, record: ReadonlyArray<string>) =>
  `has ${record.length} cells and the header ${header.length}; put quotes around cells that contain the delimiter`

const isSet = (cell: string): boolean => cell.trim() !== ""

const decodeCells = compileDecoder(Cells, { errors: "all" })

/** Columns of a file. */
export interface ShopifyColumns {
  readonly has: (field: Field) => boolean
  /** Name of the first column of the field, as the file spells it. */
  readonly nameOf: (field: Field) => string
  /** Columns without a field. */
  readonly others: ReadonlyArray<string>
  /** Text of a cell, or an empty text, also in a row with invalid cells. */
  readonly textOf: (record: ReadonlyArray<string>, field: Field) => string
  readonly read: (line: number, record: ReadonlyArray<string>) => Result.Result<ShopifyRow, ReadonlyArray<RowProblem>>
}

const headerProblem = (header: ReadonlyArray<string>): string | undefined => {
  const names = header.map((column) => column.trim().toLowerCase()).filter((name) => name !== "")
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return `it has two columns named ${repeated}; remove or rename one`
  if (header.some((column) => column.trim() === "__proto__")) return "it has a column named __proto__; rename it"
  if ([...COLUMNS.handle.headers, ...COLUMNS.title.headers].some((name) => names.includes(name))) return undefined
  const missing = "it has no column Handle, URL handle or Title, which Shopify's product exports have"
  return names.length === 1
    ? `${missing}, and only one column; separate the columns by commas, semicolons or tabs, or set the delimiter of the file`
    : missing
}

/** Reads the header of a file. Fails with the reason why it is not a product export. */
export const makeShopifyColumns = (header: ReadonlyArray<string>): Result.Result<ShopifyColumns, string> => {
  const problem = headerProblem(header)
  if (problem !== undefined) return Result.fail(problem)
  const indexOf = new Map(header.map((column, index) => [column.trim().toLowerCase(), index]))
  const fields = FIELDS.flatMap((field) => {
    const indexes = COLUMNS[field].headers.flatMap((name) => indexOf.get(name) ?? [])
    return indexes.length === 0 ? [] : [[field, indexes] as const]
  })
  const indexesOf = new Map(fields)
  const known = new Set(fields.flatMap(([, indexes]) => indexes))
  const others = [...header.entries()].filter(([index, column]) => isSet(column) && !known.has(index))

  const nameOf = (field: Field) => header[indexesOf.get(field)?.[0] ?? -1]?.trim() ?? field
  const textOf = (record: ReadonlyArray<string>, field: Field) =>
    (indexesOf.get(field) ?? []).map((index) => record[index] ?? "").find(isSet) ?? ""

  /** Names the column of an issue and repeats the cell. */
  const explain = (record: ReadonlyArray<string>, issue: string) => {
    const field = FIELDS.find((field) => issue.startsWith(`${field}:`) || issue.startsWith(`${field}.`))
    if (field === undefined) return issue
    const cell = textOf(record, field).trim()
    const found = cell.length > MAX_FOUND ? `${cutText(cell, MAX_FOUND)}…` : cell
    const reason = issue.slice(issue.indexOf(": ") + 2)
    if (!NUMERIC.has(field)) return `${nameOf(field)}: ${reason}, not "${found}"`
    const readings = readingsOf(cell)
    if (readings !== undefined && !NUMBER.test(cell)) return `${nameOf(field)}: ${bothReadings(cell, readings)}`
    if (NUMBER.test(cell))
      return `${nameOf(field)}: ${Number.isNaN(toDouble(cell)) ? NOT_A_DOUBLE : reason}, not "${found}"`
    return `${nameOf(field)}: must be a number such as 1234.5, without separators or currency, not "${found}"`
  }

  return Result.succeed({
    has: (field) => indexesOf.has(field),
    nameOf,
    textOf,
    others: others.map(([, column]) => column),
    read: (line, record) => {
      if (record.length > header.length) return Result.fail([{ line, reason: tooManyCells(header, record) }])
      const broken = record.findIndex((cell) => cell.includes(NUL))
      if (broken !== -1) {
        return Result.fail([{ line, reason: `${header[broken]}: must not contain the NUL character` }])
      }
      const texts = fields.map(([field]) => {
        const text = textOf(record, field)
        return [field, isSet(text) ? (field === "body" ? text : text.trim()) : null] as const
      })
      const decoded = decodeCells(Object.fromEntries(texts))
      if (Result.isFailure(decoded)) {
        return Result.fail(issuesOf(decoded.failure).map((issue) => ({ line, reason: explain(record, issue) })))
      }
      const otherCells = others.map(([index, column]) => {
        const text = record[index] ?? ""
        return [column, isSet(text) ? text : null] as const
      })
      return Result.succeed({ line, cells: decoded.success, others: new Map(otherCells) })
    }
  })
}
