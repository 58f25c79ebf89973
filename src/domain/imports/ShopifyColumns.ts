import { Result, Schema, SchemaGetter, SchemaTransformation, Struct } from "effect"
import { compileDecoder, issuesOf } from "../json/Decoder.ts"
import { Amount, AmountDelta, Bool, HttpUrl, text, trimmed } from "../catalog/Fields.ts"
import { editableFields } from "../catalog/ProductFields.ts"
import { NUL } from "../json/Json.ts"
import { NOT_A_DOUBLE, toDouble } from "../json/Numbers.ts"
import { cutText } from "../Text.ts"
import { bothReadings, readingsOf } from "./Numerals.ts"
import { ExternalId } from "./Put.ts"

/*
 * Columns of Shopify's product exports. Each cell is decoded by the schema of its column, so that all fields follow one
 * rule (docs/import.md): an absent column is an absent key, an empty cell is null, any other text is decoded or refused.
 */

const NUMBER = /^([+-]?)(?=\.?\d)0*(\d*)\.?(\d*)(e[+-]?\d{1,3})?$/i

/** Number of a schema, whose message also refuses other text, and numbers that no double has. */
const number = <S extends Schema.Codec<number, number>>(schema: S) =>
  Schema.String.check(Schema.isPattern(NUMBER)).pipe(
    Schema.decodeTo(schema, SchemaTransformation.transform({ decode: toDouble, encode: String }))
  )

const position = Schema.String.check(Schema.isPattern(/^[+-]?\d{1,9}$/, { message: "must be a whole number" })).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

const word = <const Words extends ReadonlyArray<string>>(words: Words, message: string) =>
  Schema.String.pipe(
    Schema.decode(SchemaTransformation.toLowerCase()),
    Schema.decodeTo(Schema.Literals(words).annotate({ message }), {
      decode: SchemaGetter.passthroughSupertype(),
      encode: SchemaGetter.passthroughSubtype()
    })
  )

const TRUE = ["true", "yes", "1"] as const
const FALSE = ["false", "no", "0"] as const

const flag = word([...TRUE, ...FALSE], "must be true or false").pipe(
  Schema.decodeTo(
    Bool,
    SchemaTransformation.transform({
      decode: (text: string) => TRUE.some((word) => word === text),
      encode: (isTrue): (typeof TRUE)[number] | (typeof FALSE)[number] => (isTrue ? "true" : "false")
    })
  )
)

const publication = word(["active", "draft", "archived", "unlisted"], "must be active, draft, archived or unlisted")

/** Code that Shopify writes with a leading apostrophe, so that spreadsheets keep it as text. */
const code = Schema.String.pipe(
  Schema.decodeTo(
    text(255),
    SchemaTransformation.transform({ decode: (cell) => cell.replace(/^'/, ""), encode: (cell) => cell })
  )
)

const list = Schema.String.pipe(
  Schema.decodeTo(
    editableFields.tags,
    SchemaTransformation.transform<ReadonlyArray<string>, string>({
      decode: (cell) => cell.split(",").filter((tag) => tag.trim() !== ""),
      encode: (tags) => tags.join(",")
    })
  )
)

const Cells = Schema.Struct({
  handle: ExternalId,
  title: trimmed(255),
  body: text(65_535),
  vendor: text(255),
  category: text(255),
  type: text(255),
  tags: list,
  published: flag,
  status: publication,
  option1Name: text(255),
  option1Value: text(255),
  option1LinkedTo: text(255),
  option2Name: text(255),
  option2Value: text(255),
  option2LinkedTo: text(255),
  option3Name: text(255),
  option3Value: text(255),
  option3LinkedTo: text(255),
  variantId: text(255),
  sku: code,
  barcode: code,
  price: number(Amount),
  compareAtPrice: number(Amount),
  regularPrice: number(Amount),
  salePrice: number(Amount),
  cost: number(Amount),
  quantity: number(AmountDelta),
  tracker: text(255),
  policy: text(255),
  fulfillment: text(255),
  requiresShipping: flag,
  taxable: flag,
  taxCode: code,
  grams: number(Amount),
  weightUnit: text(255),
  image: HttpUrl,
  imagePosition: position,
  imageAlt: text(65_535),
  variantImage: HttpUrl,
  giftCard: flag,
  seoTitle: text(255),
  seoDescription: text(1000)
})
  .mapFields(Struct.map(Schema.NullOr))
  .mapFields(Struct.map(Schema.optionalKey))

/** Values of a row by field. Absent: the file has no such column. Null: the cell is empty. */
export type ShopifyCells = typeof Cells.Type

type Field = keyof ShopifyCells

/** Field of a product or variant, to which a column of a file can be mapped. */
export const ShopifyField = Schema.Literals(Struct.keys(Cells.fields))
export type ShopifyField = typeof ShopifyField.Type

/** Column names in lower case, from exports of several years. */
const NAMES: Record<Field, ReadonlyArray<string>> = {
  handle: ["handle", "url handle"],
  title: ["title"],
  body: ["body (html)", "body html", "body", "description"],
  vendor: ["vendor"],
  category: ["product category", "standard product type", "standardized product type"],
  type: ["type", "custom product type", "product type"],
  tags: ["tags"],
  published: ["published", "published on online store"],
  status: ["status"],
  option1Name: ["option1 name"],
  option1Value: ["option1 value"],
  option1LinkedTo: ["option1 linked to"],
  option2Name: ["option2 name"],
  option2Value: ["option2 value"],
  option2LinkedTo: ["option2 linked to"],
  option3Name: ["option3 name"],
  option3Value: ["option3 value"],
  option3LinkedTo: ["option3 linked to"],
  variantId: ["variant id"],
  sku: ["variant sku", "sku"],
  barcode: ["variant barcode", "barcode"],
  price: ["variant price", "price"],
  compareAtPrice: ["variant compare at price", "compare-at price", "compare at price"],
  regularPrice: ["regular price"],
  salePrice: ["sale price"],
  cost: ["cost per item", "variant cost"],
  quantity: ["variant inventory qty", "variant inventory quantity", "inventory quantity"],
  tracker: ["variant inventory tracker", "inventory tracker"],
  policy: ["variant inventory policy", "continue selling when out of stock"],
  fulfillment: ["variant fulfillment service", "fulfillment service"],
  requiresShipping: ["variant requires shipping", "requires shipping"],
  taxable: ["variant taxable", "charge tax"],
  taxCode: ["variant tax code", "tax code"],
  grams: ["variant grams", "weight value (grams)"],
  weightUnit: ["variant weight unit", "weight unit for display"],
  image: ["image src", "product image url"],
  imagePosition: ["image position"],
  imageAlt: ["image alt text"],
  variantImage: ["variant image", "variant image url"],
  giftCard: ["gift card"],
  seoTitle: ["seo title"],
  seoDescription: ["seo description"]
}

const NUMERIC = new Set<Field>(["price", "compareAtPrice", "regularPrice", "salePrice", "cost", "quantity", "grams"])

/** Tells whether a field is a number, which is written with the decimal sign of its file. */
export const isNumeric = (field: string): boolean => Struct.keys(NAMES).some((one) => one === field && NUMERIC.has(one))

/** Returns the field that a column has by its name. */
export const findField = (column: string): Field | undefined => {
  const name = column.trim().toLowerCase()
  return Struct.keys(NAMES).find((field) => NAMES[field].includes(name))
}

/** Returns the name that a column of the field has in exports. */
export const nameOfField = (field: Field): string => NAMES[field][0] ?? field

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
  if ([...NAMES.handle, ...NAMES.title].some((name) => names.includes(name))) return undefined
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
  const fields = Struct.keys(NAMES).flatMap((field) => {
    const indexes = NAMES[field].flatMap((name) => indexOf.get(name) ?? [])
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
    const field = Struct.keys(NAMES).find((field) => issue.startsWith(`${field}:`) || issue.startsWith(`${field}.`))
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
