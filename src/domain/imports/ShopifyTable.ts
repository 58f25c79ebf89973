import { Schema, SchemaGetter, SchemaTransformation, Struct } from "effect"
import { Amount, AmountDelta, Bool, HttpUrl, text } from "../catalog/Fields.ts"
import { editableFields, PRODUCT_FIELDS } from "../catalog/ProductFields.ts"
import { columnFields } from "../catalog/ProductFieldSets.ts"
import { toDouble } from "../json/Numbers.ts"
import { ExternalId } from "./Put.ts"

/*
 * Table of the columns of Shopify's product exports. Each cell is decoded by the schema of its column, so that all fields
 * follow one rule (docs/import.md): an absent column is an absent key, an empty cell is null, any other text is decoded or
 * refused. A column is read in one of three ways, which the compiler checks: as a field of the product, as a further member
 * of the variant, or by code (`ReadColumn` of `Shopify.ts`).
 */

/** Column of a file, by its names in lower case, from exports of several years. */
interface ColumnRow {
  readonly cell: Schema.Top
  readonly headers: readonly [string, ...ReadonlyArray<string>]
  /** True for numbers, which are written with the decimal sign of their file. */
  readonly isNumber?: true
}

export const NUMBER = /^([+-]?)(?=\.?\d)0*(\d*)\.?(\d*)(e[+-]?\d{1,3})?$/i

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

interface NameOf extends Struct.Lambda {
  <Name extends string>(row: { readonly column: { readonly name: Name } }): Name
  readonly "~lambda.out": this["~lambda.in"] extends { readonly column: { readonly name: infer Name } } ? Name : never
}

const productRows = Struct.pick(PRODUCT_FIELDS, columnFields)

/** Columns whose value is that of a field of the product, by field. */
export const COLUMN_OF_FIELD = Struct.map(
  productRows,
  Struct.lambda<NameOf>(({ column }) => column.name)
)

interface ColumnOf extends Struct.Lambda {
  (row: (typeof productRows)[keyof typeof productRows]): ColumnRow
  readonly "~lambda.out": this["~lambda.in"] extends {
    readonly schema: infer Cell
    readonly column: { readonly headers: ColumnRow["headers"]; readonly isList?: infer IsList }
  }
    ? { readonly cell: IsList extends true ? typeof list : Cell; readonly headers: ColumnRow["headers"] }
    : never
}

const PRODUCT_COLUMNS = Struct.renameKeys(
  Struct.map(
    productRows,
    Struct.lambda<ColumnOf>(({ column, schema }) => ({
      cell: "isList" in column ? list : schema,
      headers: column.headers
    }))
  ),
  COLUMN_OF_FIELD
)

/** Columns that a variant, or else the custom fields of the product, keeps under the name of a member. */
export const MEMBER_COLUMNS = {
  tracker: { cell: text(255), headers: ["variant inventory tracker", "inventory tracker"], member: "inventoryTracker" },
  policy: {
    cell: text(255),
    headers: ["variant inventory policy", "continue selling when out of stock"],
    member: "inventoryPolicy"
  },
  fulfillment: {
    cell: text(255),
    headers: ["variant fulfillment service", "fulfillment service"],
    member: "fulfillmentService"
  },
  requiresShipping: {
    cell: flag,
    headers: ["variant requires shipping", "requires shipping"],
    member: "requiresShipping"
  },
  taxable: { cell: flag, headers: ["variant taxable", "charge tax"], member: "taxable" },
  taxCode: { cell: code, headers: ["variant tax code", "tax code"], member: "taxCode" },
  grams: { cell: number(Amount), isNumber: true, headers: ["variant grams", "weight value (grams)"], member: "grams" },
  weightUnit: { cell: text(255), headers: ["variant weight unit", "weight unit for display"], member: "weightUnit" },
  variantImage: { cell: HttpUrl, headers: ["variant image", "variant image url"], member: "imageUrl" }
} as const satisfies Record<string, ColumnRow & { readonly member: string }>

/** Columns that code reads. */
const READ_COLUMNS = {
  handle: { cell: ExternalId, headers: ["handle", "url handle"] },
  category: { cell: text(255), headers: ["product category", "standard product type", "standardized product type"] },
  published: { cell: flag, headers: ["published", "published on online store"] },
  status: { cell: publication, headers: ["status"] },
  option1Name: { cell: text(255), headers: ["option1 name"] },
  option1Value: { cell: text(255), headers: ["option1 value"] },
  option1LinkedTo: { cell: text(255), headers: ["option1 linked to"] },
  option2Name: { cell: text(255), headers: ["option2 name"] },
  option2Value: { cell: text(255), headers: ["option2 value"] },
  option2LinkedTo: { cell: text(255), headers: ["option2 linked to"] },
  option3Name: { cell: text(255), headers: ["option3 name"] },
  option3Value: { cell: text(255), headers: ["option3 value"] },
  option3LinkedTo: { cell: text(255), headers: ["option3 linked to"] },
  variantId: { cell: text(255), headers: ["variant id"] },
  sku: { cell: code, headers: ["variant sku", "sku"] },
  barcode: { cell: code, headers: ["variant barcode", "barcode"] },
  price: { cell: number(Amount), isNumber: true, headers: ["variant price", "price"] },
  compareAtPrice: {
    cell: number(Amount),
    isNumber: true,
    headers: ["variant compare at price", "compare-at price", "compare at price"]
  },
  regularPrice: { cell: number(Amount), isNumber: true, headers: ["regular price"] },
  salePrice: { cell: number(Amount), isNumber: true, headers: ["sale price"] },
  cost: { cell: number(Amount), isNumber: true, headers: ["cost per item", "variant cost"] },
  quantity: {
    cell: number(AmountDelta),
    isNumber: true,
    headers: ["variant inventory qty", "variant inventory quantity", "inventory quantity"]
  },
  image: { cell: HttpUrl, headers: ["image src", "product image url"] },
  imagePosition: { cell: position, headers: ["image position"] },
  imageAlt: { cell: text(65_535), headers: ["image alt text"] },
  giftCard: { cell: flag, headers: ["gift card"] }
} as const satisfies Record<string, ColumnRow>

/** Columns of product files by the names in mappings of columns. */
export const COLUMNS = { ...PRODUCT_COLUMNS, ...READ_COLUMNS, ...MEMBER_COLUMNS }

interface CellOf extends Struct.Lambda {
  (row: ColumnRow): Schema.Top
  readonly "~lambda.out": this["~lambda.in"] extends { readonly cell: infer Cell extends Schema.Top } ? Cell : never
}

export const Cells = Schema.Struct(
  Struct.map(
    COLUMNS,
    Struct.lambda<CellOf>((row) => row.cell)
  )
)
  .mapFields(Struct.map(Schema.NullOr))
  .mapFields(Struct.map(Schema.optionalKey))

/** Values of a row by column. Absent: the file has no such column. Null: the cell is empty. */
export type ShopifyCells = typeof Cells.Type

/** Column that code reads. */
export type ReadColumn = keyof typeof READ_COLUMNS

/** Field of a product or variant, to which a column of a file can be mapped. */
export const ShopifyField = Schema.Literals(Struct.keys(Cells.fields))
export type ShopifyField = typeof ShopifyField.Type
