import { Option, Record, Schema, SchemaAST, Struct } from "effect"
import { Collection } from "../catalog/Collection.ts"
import { Product } from "../catalog/Product.ts"
import type { JsonText } from "../json/Document.ts"
import { Customer } from "../records/Customer.ts"
import { Order } from "../records/Order.ts"
import type { DataKind } from "./DataKind.ts"

/*
 * CSV with the fields of the API (docs/import.md): a row for each resource, a column for each field. A text is the cell
 * itself; other values are JSON. An empty cell is null, and a cell of two quotes is an empty text.
 */

const EMPTY_TEXT = '""'

/** Beginnings of cells that get an apostrophe: formulas of spreadsheets, and cells that would be read otherwise. */
const UNSAFE = /^'*(?:[=+\-@\t\r]|""$)/
const PROTECTED = /^'+(?:[=+\-@\t\r]|""$)/

/** Quotes a text of a CSV file. Spreadsheets would calculate one that starts like a formula, so it gets an apostrophe. */
export const quoteText = (text: string): string => quote(UNSAFE.test(text) ? `'${text}` : text)

export const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

const isTextType = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast)
    ? ast.types.some((type) => !SchemaAST.isNull(type)) &&
      ast.types.every((type) => SchemaAST.isNull(type) || isTextType(type))
    : SchemaAST.isString(ast) || (SchemaAST.isLiteral(ast) && typeof ast.literal === "string")

/** Columns of a kind, in order. True for those of texts. */
const columnsOf = (fields: Schema.Struct.Fields): ReadonlyMap<string, boolean> =>
  new Map([
    ["externalId", true],
    ...Object.entries(fields).map(([name, { ast }]) => [name, isTextType(SchemaAST.toEncoded(ast))] as const)
  ])

const COLUMNS: Readonly<Record<DataKind, ReadonlyMap<string, boolean>>> = {
  products: columnsOf(Product.fields),
  collections: columnsOf(Collection.fields),
  orders: columnsOf({ customerExternalId: Schema.String, ...Struct.omit(Order.fields, ["customerId"]) }),
  customers: columnsOf(Customer.fields)
}

/** Byte order mark, without which Excel reads UTF-8 in another encoding. */
export const BOM = "\uFEFF"

export const LINE_END = "\r\n"

/** Tells whether a column can have numbers. Undefined if no kind has the column. */
export const isNumberColumn = (name: string): boolean | undefined => {
  const isText = Object.values(COLUMNS).flatMap((columns) => columns.get(name) ?? [])
  return isText.length === 0 ? undefined : isText.includes(false)
}

/** First line of a file of a kind. */
export const CSV_HEADERS: Readonly<Record<DataKind, string>> = Record.map(
  COLUMNS,
  (columns) => `${BOM}${[...columns.keys()].join(",")}${LINE_END}`
)

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const writeCell = (value: unknown, isText: boolean): string => {
  if (value === null || value === undefined) return ""
  if (isText && typeof value === "string") return value === "" ? quote(EMPTY_TEXT) : quoteText(value)
  const json = JSON.stringify(value)
  return /[",]/.test(json) ? quote(json) : json
}

/** Converts a line of JSON to a row with a line break. */
export const csvRow = (kind: DataKind, line: JsonText): string => {
  const resource = decodeLine(line)
  return `${[...COLUMNS[kind]].map(([name, isText]) => writeCell(resource[name], isText)).join(",")}${LINE_END}`
}

const isJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const readText = (cell: string): JsonText => {
  if (cell === "") return "null"
  return cell === EMPTY_TEXT ? EMPTY_TEXT : JSON.stringify(PROTECTED.test(cell) ? cell.slice(1) : cell)
}

/** Reads a cell as JSON. A text that is no JSON stays a text, which the schema of the field refuses. */
const readJson = (cell: string): JsonText => {
  const text = cell.trim()
  if (text === "") return "null"
  // Spreadsheets write TRUE and FALSE.
  const json = /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text
  return Option.isSome(isJson(json)) ? json : JSON.stringify(cell)
}

/** Exports leave out the products of automated collections. */
const isLeftOut = (name: string, cell: string) => name === "productIds" && cell.trim() === ""

/** Positions of the columns of a kind that can have numbers. Their other values are words or JSON. */
export const numberColumns = (kind: DataKind, names: ReadonlyArray<string>): ReadonlyArray<number> =>
  [...names.entries()].filter(([, name]) => COLUMNS[kind].get(name) === false).map(([index]) => index)

/** Converts a row to a line of JSON. */
export const jsonOfRow = (kind: DataKind, names: ReadonlyArray<string>, cells: ReadonlyArray<string>): JsonText => {
  const members = names.flatMap((name, index) => {
    const cell = cells[index]
    if (name === "" || cell === undefined || isLeftOut(name, cell)) return []
    return [`${JSON.stringify(name)}:${(COLUMNS[kind].get(name) ?? true) ? readText(cell) : readJson(cell)}`]
  })
  return `{${members.join(",")}}`
}

/** Kind of the file with these columns; none if it is not a CSV with the fields of the API. */
export const findCsvKind = (names: ReadonlyArray<string>): Option.Option<DataKind> => {
  if (!names.includes("externalId")) return Option.none()
  const shared = (kind: DataKind) => names.filter((name) => COLUMNS[kind].has(name)).length
  const kinds = Struct.keys(COLUMNS)
  return Option.fromNullishOr(kinds.toSorted((a, b) => shared(b) - shared(a))[0])
}

/** Finds why columns cannot be read as a kind. */
export const columnsProblem = (kind: DataKind, names: ReadonlyArray<string>): string | undefined => {
  const twice = names.find((name, index) => name !== "" && names.indexOf(name) !== index)
  if (twice !== undefined) return `it has the column ${twice} twice; remove one of them`
  if (!names.includes("externalId")) return "it has no column externalId, which names the resource of each row"
  const known = names.filter((name) => COLUMNS[kind].has(name)).length
  return known > 1 ? undefined : `none of its columns is a field of ${kind}; the first line must name the columns`
}
