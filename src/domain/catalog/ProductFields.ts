import { Schema } from "effect"
import { boundedArray, boundedRecord } from "../json/Bounded.ts"
import { foldCase } from "../Text.ts"
import { Uuid } from "../Uuid.ts"
import {
  Amount,
  Bool,
  CurrencyCode,
  withDescription,
  field,
  HttpUrl,
  JsonValue,
  nullable,
  OpaqueJson,
  openStruct,
  optional,
  Slug,
  tags,
  text,
  trimmed
} from "./Fields.ts"

const Medium = openStruct({
  url: field(HttpUrl, "URL", "https://images.example.com/desk-2.jpg"),
  type: optional(field(text(255), "Kind of medium", "image")),
  alt: optional(field(text(65_535), "Alternative text", "The desk from above")),
  position: optional(
    Schema.Int.annotate({
      description: "Position in the list",
      message: "must be an integer"
    })
  )
}).annotate({ identifier: "Medium", description: "An image, video or 3D model" })

const ProductOption = openStruct({
  name: field(text(255), "Name of the option", "Width"),
  values: field(boundedArray(text(255)), "Possible values", ["120 cm", "160 cm"])
}).annotate({ identifier: "Option", description: "An option in which the variants of a product differ" })

/** Stored options. Those of earlier releases can have names or values that repeat. */
export const StoredOptions = boundedArray(ProductOption, 10).annotate({
  description: "Options in which the variants differ"
})

/** Finds the first text that repeats an earlier one, without regard to case and spaces around it. One bounds the issues. */
const repeatIn = (texts: ReadonlyArray<string>): ReadonlyArray<readonly [index: number, text: string]> => {
  const known = new Set<string>()
  for (const [index, text] of texts.entries()) {
    const folded = foldCase(text.trim())
    if (known.has(folded)) return [[index, text]]
    known.add(folded)
  }
  return []
}

interface OptionIssue {
  readonly path: ReadonlyArray<string | number>
  /** The name or value that repeats another one. */
  readonly text: string
  readonly issue: string
}

/** The first name of an option, and value of each option, that repeats. Variants name both, so that they are unique. */
export const repeatedOptions = (
  options: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<string> }>
): ReadonlyArray<OptionIssue> => [
  ...repeatIn(options.map(({ name }) => name)).map(([index, name]) => ({
    path: [index, "name"],
    text: name,
    issue: `must differ from the names of the other options, not only in case; ${JSON.stringify(name)} is there already`
  })),
  ...options.flatMap(({ name, values }, index) =>
    repeatIn(values).map(([at, value]) => ({
      path: [index, "values", at],
      text: value,
      issue: `must differ from the other values of ${JSON.stringify(name)}, not only in case; ${JSON.stringify(value)} is there already`
    }))
  )
]

/** Maximum number of variants of a product. */
export const MAX_VARIANTS = 2048

const ofVariant = {
  title: optional(field(text(255), "Title of the variant", "160 cm")),
  sku: optional(field(text(255), "Stock keeping unit; not unique", "DESK-WAL-160")),
  barcode: optional(field(text(255), "GTIN, EAN, UPC or ISBN", "4006381333931")),
  price: optional(field(Amount, "Unit price in the product's `currencyCode`", 249.5)),
  discountedPrice: optional(field(Amount, "Sale price", 199)),
  costPrice: optional(field(Amount, "Unit cost of the merchant", 120.75)),
  stock: optional(field(Amount, "Quantity in stock", 7)),
  options: optional(
    boundedRecord(text(255)).annotate({
      description: "Option values by option name",
      examples: [{ Width: "160 cm" }]
    })
  )
}

const VARIANT_IMAGE = "https://images.example.com/desk-160.jpg"

/** Purchasable form of a product. */
export const Variant = openStruct({
  id: withDescription(Uuid, "Assigned by the service"),
  ...ofVariant,
  // Apps may have stored other texts under this name, which was unknown to earlier releases.
  imageUrl: optional(nullable(Schema.String, "URL of the picture of the variant", VARIANT_IMAGE))
}).annotate({ identifier: "Variant", description: "A variant of a product" })
export type Variant = typeof Variant.Type

/** Variant as clients write it. Its id may be any value, because imported variants have foreign ids. */
export const VariantInput = openStruct({
  id: optional(
    withDescription(
      JsonValue,
      "In a patch, the variant to update. Any value is accepted; one that is not the id of a variant of the product creates a new variant, with an id assigned by the service"
    )
  ),
  ...ofVariant,
  imageUrl: optional(nullable(HttpUrl, "URL of the picture of the variant", VARIANT_IMAGE))
}).annotate({ identifier: "VariantInput", description: "A variant of a product, as clients write it" })
export type VariantInput = typeof VariantInput.Type

const Faq = openStruct({
  question: field(text(65_535), "Question of customers", "Does it come assembled?"),
  answer: field(text(65_535), "Answer of the merchant", "The legs go on with four screws.")
}).annotate({ identifier: "Faq", description: "A frequently asked question and its answer" })

const Dimensions = openStruct({
  length: optional(field(Amount, "Depth, or longest side", 160)),
  width: optional(field(Amount, "Width", 80)),
  height: optional(field(Amount, "Height", 74)),
  unit: optional(field(text(255), "Unit of all three", "cm"))
}).annotate({ identifier: "Dimensions", description: "Dimensions of a product" })

const short = text(255)
const long = text(1000)

/** Fields that clients can set on creation and update (contract, section 2.1; docs/spec/products.md). */
export const editableFields = {
  name: field(trimmed(255), "Name, trimmed", "Walnut desk"),
  slug: field(Slug, "URL part, unique in the store; derived from the name if absent", "walnut-desk"),
  price: field(Amount, "Unit price in `currencyCode`", 249.5),
  discountedPrice: nullable(Amount, "Sale price", 199),
  costPrice: nullable(Amount, "Unit cost of the merchant", 120.75),
  stock: field(Amount, "Quantity in stock", 12),
  currencyCode: field(CurrencyCode, "Currency (ISO 4217), in any case. Default: the store's currency", "EUR"),
  isActive: field(Bool, "If true, the product is offered", true),
  onSale: field(Bool, "If true, the product is offered at `discountedPrice`", true),
  taxable: field(Bool, "If true, tax is charged", true),
  trackInventory: field(Bool, "If true, `stock` is tracked", true),
  description: nullable(text(65_535), "Text or HTML, kept as sent", "Solid walnut, oiled by hand."),
  vendorName: nullable(short, "Vendor or manufacturer", "Northern Joinery"),
  category: nullable(short, "Category, in the merchant's words", "Furniture"),
  categoryId: nullable(short, "Category id in a taxonomy", "4356"),
  categoryName: nullable(short, "Name of that category", "Desks"),
  productType: nullable(short, "Product type", "Desk"),
  productKind: field(text(64), "Kind of delivery, such as physical or digital", "physical"),
  sku: nullable(short, "Stock keeping unit; not unique", "DESK-WAL-160"),
  barcode: nullable(short, "GTIN, EAN, UPC or ISBN", "4006381333931"),
  imageUrl: nullable(HttpUrl, "Main image URL", "https://images.example.com/desk.jpg"),
  tags: tags("Labels, without duplicates that differ only in case", ["oak", "office"]),
  media: field(boundedArray(Medium, 250), "Images, videos and 3D models", [
    { url: "https://images.example.com/desk-2.jpg" }
  ]),
  options: field(
    boundedArray(ProductOption, 10),
    "Options in which the variants differ. Names and values of an option are unique, without regard to case",
    [{ name: "Width", values: ["120", "160"] }]
  ).check(Schema.makeFilter<typeof StoredOptions.Type>(repeatedOptions)),
  variants: field(
    boundedArray(VariantInput, MAX_VARIANTS),
    "Variants. In a patch, an item with an existing `id` keeps the fields that it omits; omitted variants are removed",
    [{ title: "160 cm", sku: "DESK-WAL-160", price: 249.5, stock: 7 }]
  ),
  faqs: field(boundedArray(Faq, 100), "Questions and answers", [{ question: "Assembled?", answer: "In four screws." }]),
  metafields: field(OpaqueJson, "Opaque to the service, kept as sent", { care: { oil: "yearly" } }),
  customFields: field(OpaqueJson, "Opaque to the service, kept as sent", [{ key: "engraving", value: "yes" }]),
  weight: nullable(Amount, "Weight, in the store's unit of weight", 31.4),
  dimensions: nullable(Dimensions, "Dimensions", { length: 160, width: 80, height: 74, unit: "cm" }),
  countryOfOrigin: nullable(short, "Country of origin", "PT"),
  hsCode: nullable(short, "Harmonized System code for customs", "940330"),
  seoTitle: nullable(short, "Title for search engines", "Walnut desk, 160 cm"),
  seoDescription: nullable(long, "Description for search engines", "A desk of solid walnut."),
  metaDescription: nullable(long, "Meta description, independent of `seoDescription`", "A desk of solid walnut.")
}

/** Values of fields that a new product does not give, and that a product of an earlier release does not have. */
export const PRODUCT_DEFAULTS = {
  price: 0,
  discountedPrice: null,
  costPrice: null,
  stock: 0,
  isActive: true,
  onSale: false,
  taxable: true,
  trackInventory: true,
  description: null,
  vendorName: null,
  category: null,
  categoryId: null,
  categoryName: null,
  productType: null,
  productKind: "physical",
  sku: null,
  barcode: null,
  imageUrl: null,
  tags: [],
  media: [],
  options: [],
  variants: [],
  faqs: [],
  metafields: {},
  customFields: [],
  weight: null,
  dimensions: null,
  countryOfOrigin: null,
  hsCode: null,
  seoTitle: null,
  seoDescription: null,
  metaDescription: null
} as const satisfies Partial<Schema.Struct<typeof editableFields>["Type"]>
