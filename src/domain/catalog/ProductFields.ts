import { type Schema, Struct } from "effect"
import {
  Amount,
  Bool,
  CurrencyCode,
  field,
  HttpUrl,
  nullable,
  OpaqueJson,
  Slug,
  tags,
  text,
  trimmed
} from "./Fields.ts"
import { Dimensions, Faqs, Media, Options, VariantInputs } from "./ProductParts.ts"
import type { FieldRow } from "./ProductFieldRow.ts"

const short = text(255)
const long = text(1000)

const TEXT = { kind: "text", list: false } as const
const NUMBER = { kind: "number", list: false } as const
const BOOLEAN = { kind: "boolean", list: false } as const

/** Fields that clients can set (contract, section 2.1; docs/spec/products.md), in the order of responses. */
export const PRODUCT_FIELDS = {
  name: {
    schema: field(trimmed(255), "Name, trimmed", "Walnut desk"),
    rule: TEXT,
    column: { name: "title", headers: ["title"] },
    input: { card: "basics", kind: "title" }
  },
  slug: {
    schema: field(Slug, "URL part, unique in the store; derived from the name if absent", "walnut-desk"),
    rule: TEXT,
    input: { card: "seo", kind: "text", isLast: true, isAutomatic: true }
  },
  price: {
    schema: field(Amount, "Unit price in `currencyCode`", 249.5),
    default: 0,
    rule: NUMBER,
    input: { card: "pricing", kind: "money" }
  },
  discountedPrice: {
    schema: nullable(Amount, "Sale price", 199),
    default: null,
    rule: NUMBER,
    input: { card: "pricing", kind: "money" }
  },
  costPrice: {
    schema: nullable(Amount, "Unit cost of the merchant", 120.75),
    default: null,
    rule: NUMBER,
    input: { card: "pricing", kind: "money" }
  },
  stock: {
    schema: field(Amount, "Quantity in stock", 12),
    default: 0,
    rule: NUMBER,
    input: { card: "inventory", kind: "stock" }
  },
  currencyCode: {
    schema: field(CurrencyCode, "Currency (ISO 4217), in any case. Default: the store's currency", "EUR"),
    rule: TEXT,
    input: { card: "pricing", kind: "currency" }
  },
  isActive: {
    schema: field(Bool, "If true, the product is offered", true),
    default: true,
    rule: BOOLEAN,
    input: { card: "status", kind: "flag" }
  },
  onSale: {
    schema: field(Bool, "If true, the product is offered at `discountedPrice`", true),
    default: false,
    rule: BOOLEAN,
    input: { card: "pricing", kind: "flag" }
  },
  taxable: {
    schema: field(Bool, "If true, tax is charged", true),
    default: true,
    rule: BOOLEAN,
    input: { card: "pricing", kind: "flag" }
  },
  trackInventory: {
    schema: field(Bool, "If true, `stock` is tracked", true),
    default: true,
    rule: BOOLEAN,
    input: { card: "inventory", kind: "flag", isLast: true }
  },
  description: {
    schema: nullable(text(65_535), "Text or HTML, kept as sent", "Solid walnut, oiled by hand."),
    default: null,
    rule: TEXT,
    column: { name: "body", headers: ["body (html)", "body html", "body", "description"] },
    input: { card: "basics", kind: "html" }
  },
  vendorName: {
    schema: nullable(short, "Vendor or manufacturer", "Northern Joinery"),
    default: null,
    rule: TEXT,
    search: "words",
    column: { name: "vendor", headers: ["vendor"] },
    input: { card: "organization", kind: "text" }
  },
  category: {
    schema: nullable(short, "Category, in the merchant's words", "Furniture"),
    default: null,
    rule: TEXT,
    search: "words",
    input: { card: "organization", kind: "text" }
  },
  categoryId: {
    schema: nullable(short, "Category id in a taxonomy", "4356"),
    default: null,
    rule: TEXT,
    search: "values",
    input: { card: "advanced", kind: "text", isLast: true }
  },
  categoryName: {
    schema: nullable(short, "Name of that category", "Desks"),
    default: null,
    rule: TEXT,
    search: "values",
    input: { card: "advanced", kind: "text", isLast: true }
  },
  productType: {
    schema: nullable(short, "Product type", "Desk"),
    default: null,
    rule: TEXT,
    search: "values",
    column: { name: "type", headers: ["type", "custom product type", "product type"] },
    input: { card: "organization", kind: "text", isLast: true }
  },
  productKind: {
    schema: field(text(64), "Kind of delivery, such as physical or digital", "physical"),
    default: "physical",
    rule: TEXT,
    input: { card: "organization", kind: "productKind", isLast: true }
  },
  sku: {
    schema: nullable(short, "Stock keeping unit; not unique", "DESK-WAL-160"),
    default: null,
    rule: TEXT,
    input: { card: "inventory", kind: "text" }
  },
  barcode: {
    schema: nullable(short, "GTIN, EAN, UPC or ISBN", "4006381333931"),
    default: null,
    rule: TEXT,
    input: { card: "inventory", kind: "text" }
  },
  imageUrl: {
    schema: nullable(HttpUrl, "Main image URL", "https://images.example.com/desk.jpg"),
    default: null,
    input: { card: "advanced", kind: "picture", isAutomatic: true }
  },
  tags: {
    schema: tags("Labels, without duplicates that differ only in case", ["oak", "office"]),
    default: [],
    rule: { kind: "text", list: true },
    search: "words",
    column: { name: "tags", headers: ["tags"], isList: true },
    input: { card: "organization", kind: "tags" }
  },
  media: {
    schema: Media,
    default: [],
    input: { card: "basics", kind: "media" }
  },
  options: {
    schema: Options,
    default: [],
    input: { card: "variants", kind: "options" }
  },
  variants: {
    schema: VariantInputs,
    default: [],
    input: { card: "variants", kind: "variants" }
  },
  faqs: {
    schema: Faqs,
    default: [],
    input: { card: "faqs", kind: "faqs" }
  },
  metafields: {
    schema: field(OpaqueJson, "Opaque to the service, kept as sent", { care: { oil: "yearly" } }),
    default: {},
    input: { card: "advanced", kind: "json" }
  },
  customFields: {
    schema: field(OpaqueJson, "Opaque to the service, kept as sent", [{ key: "engraving", value: "yes" }]),
    default: [],
    input: { card: "advanced", kind: "json" }
  },
  weight: {
    schema: nullable(Amount, "Weight, in the store's unit of weight", 31.4),
    default: null,
    rule: NUMBER,
    input: { card: "shipping", kind: "number" }
  },
  dimensions: {
    schema: nullable(Dimensions, "Dimensions", { length: 160, width: 80, height: 74, unit: "cm" }),
    default: null,
    input: { card: "shipping", kind: "dimensions", isLast: true }
  },
  countryOfOrigin: {
    schema: nullable(short, "Country of origin", "PT"),
    default: null,
    rule: TEXT,
    input: { card: "shipping", kind: "country" }
  },
  hsCode: {
    schema: nullable(short, "Harmonized System code for customs", "940330"),
    default: null,
    input: { card: "shipping", kind: "text" }
  },
  seoTitle: {
    schema: nullable(short, "Title for search engines", "Walnut desk, 160 cm"),
    default: null,
    column: { name: "seoTitle", headers: ["seo title"] },
    input: { card: "seo", kind: "title" }
  },
  seoDescription: {
    schema: nullable(long, "Description for search engines", "A desk of solid walnut."),
    default: null,
    column: { name: "seoDescription", headers: ["seo description"] },
    input: { card: "seo", kind: "lines" }
  },
  metaDescription: {
    schema: nullable(long, "Meta description, independent of `seoDescription`", "A desk of solid walnut."),
    default: null,
    input: { card: "seo", kind: "lines" }
  }
} as const satisfies Record<string, FieldRow>

type Fields = typeof PRODUCT_FIELDS
export type ProductField = keyof Fields

/** Fields whose row has the type. */
export type With<Row> = { readonly [F in ProductField]: Fields[F] extends Row ? F : never }[ProductField]

export const productFields = Struct.keys(PRODUCT_FIELDS)

interface SchemaOf extends Struct.Lambda {
  <Row extends Pick<FieldRow, "schema">>(row: Row): Row["schema"]
  readonly "~lambda.out": this["~lambda.in"] extends { readonly schema: infer Value } ? Value : never
}

/** Schemas of the fields that clients can set on creation and update. */
export const editableFields = Struct.map(
  PRODUCT_FIELDS,
  Struct.lambda<SchemaOf>((row) => row.schema)
)

const hasDefault = (name: ProductField): name is With<{ readonly default: unknown }> =>
  Object.hasOwn(PRODUCT_FIELDS[name], "default")

interface DefaultOf extends Struct.Lambda {
  <Row extends { readonly default: unknown }>(row: Row): Row["default"]
  readonly "~lambda.out": this["~lambda.in"] extends { readonly default: infer Value } ? Value : never
}

/** Values of fields that a new product does not give, and that a product of an earlier release does not have. */
export const PRODUCT_DEFAULTS = Struct.map(
  Struct.pick(PRODUCT_FIELDS, productFields.filter(hasDefault)),
  Struct.lambda<DefaultOf>((row) => row.default)
) satisfies Partial<Schema.Struct<typeof editableFields>["Type"]>
