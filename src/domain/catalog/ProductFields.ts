import { Schema } from "effect"
import { listOf, recordOf } from "../Bounded.ts"
import { Uuid } from "../Uuid.ts"
import {
  Amount,
  Bool,
  CurrencyCode,
  described,
  field,
  HttpUrl,
  JsonValue,
  nullable,
  Opaque,
  open,
  optional,
  Slug,
  tags,
  text,
  trimmed
} from "./Fields.ts"

const Medium = open({
  url: field(HttpUrl, "Where it is", "https://images.example.com/desk-2.jpg"),
  type: optional(field(text(255), "What it is", "image")),
  alt: optional(field(text(65_535), "What it shows, for who cannot see it", "The desk from above")),
  position: optional(
    Schema.Int.annotate({
      description: "Its place among the others",
      message: "must be an integer"
    })
  )
}).annotate({ identifier: "Medium", description: "A picture, film or model" })

const ProductOption = open({
  name: field(text(255), "What differs", "Width"),
  values: field(listOf(text(255)), "The choices there are", ["120 cm", "160 cm"])
}).annotate({ identifier: "Option", description: "Something that the variants of a product differ in" })

/** Maximum number of variants of a product. */
export const MAX_VARIANTS = 2048

const ofVariant = {
  title: optional(field(text(255), "What it is called", "160 cm")),
  sku: optional(field(text(255), "Stock keeping unit; not unique", "DESK-WAL-160")),
  barcode: optional(field(text(255), "GTIN, EAN, UPC or ISBN", "4006381333931")),
  price: optional(field(Amount, "Price of one, in the product's `currencyCode`", 249.5)),
  discountedPrice: optional(field(Amount, "Price while it is on sale", 199)),
  costPrice: optional(field(Amount, "What one costs the merchant", 120.75)),
  stock: optional(field(Amount, "How many are at hand", 7)),
  options: optional(
    recordOf(text(255)).annotate({
      description: "Its choice of each option, by the option's name",
      examples: [{ Width: "160 cm" }]
    })
  )
}

/** Purchasable form of a product. */
export const Variant = open({
  id: described(Uuid, "Given by the service"),
  ...ofVariant
}).annotate({ identifier: "Variant", description: "One buyable form of a product" })
export type Variant = typeof Variant.Type

/** Variant as clients write it. Its id may be any value, because imported variants have foreign ids. */
export const VariantInput = open({
  id: optional(
    described(
      JsonValue,
      "In a patch, which variant is meant. Any value is taken; one that is no id of a variant of the product makes a new variant, with an id that the service gives"
    )
  ),
  ...ofVariant
}).annotate({ identifier: "VariantInput", description: "One buyable form of a product, as it is written" })
export type VariantInput = typeof VariantInput.Type

const Faq = open({
  question: field(text(65_535), "What customers ask", "Does it come assembled?"),
  answer: field(text(65_535), "What the shop answers", "The legs go on with four screws.")
}).annotate({ identifier: "Faq", description: "A question that customers ask, and its answer" })

const Dimensions = open({
  length: optional(field(Amount, "From front to back, or its longest side", 160)),
  width: optional(field(Amount, "From side to side", 80)),
  height: optional(field(Amount, "From bottom to top", 74)),
  unit: optional(field(text(255), "The unit of all three", "cm"))
}).annotate({ identifier: "Dimensions", description: "The size of a product" })

const short = text(255)
const long = text(1000)

/** Fields that clients can set on creation and update (contract, section 2.1; decisions, section 2). */
export const editable = {
  name: field(trimmed(255), "What the product is called, trimmed", "Walnut desk"),
  slug: field(Slug, "Its part of an address, unique in the store; made from the name when absent", "walnut-desk"),
  price: field(Amount, "Price of one, in `currencyCode`", 249.5),
  discountedPrice: nullable(Amount, "Price while it is on sale", 199),
  costPrice: nullable(Amount, "What one costs the merchant", 120.75),
  stock: field(Amount, "How many are at hand", 12),
  currencyCode: field(CurrencyCode, "ISO 4217, in any case; the store's when absent", "EUR"),
  isActive: field(Bool, "Whether it is offered", true),
  onSale: field(Bool, "Whether it is offered at `discountedPrice`", true),
  taxable: field(Bool, "Whether tax is charged", true),
  trackInventory: field(Bool, "Whether `stock` is kept", true),
  description: nullable(text(65_535), "Text or HTML, kept as sent", "Solid walnut, oiled by hand."),
  vendorName: nullable(short, "Who makes it", "Northern Joinery"),
  category: nullable(short, "Its category, in the merchant's words", "Furniture"),
  categoryId: nullable(short, "Its category in a taxonomy", "4356"),
  categoryName: nullable(short, "The name of that category", "Desks"),
  productType: nullable(short, "What kind of thing it is", "Desk"),
  productKind: field(text(64), "How it is delivered", "physical"),
  sku: nullable(short, "Stock keeping unit; not unique", "DESK-WAL-160"),
  barcode: nullable(short, "GTIN, EAN, UPC or ISBN", "4006381333931"),
  imageUrl: nullable(HttpUrl, "Its main picture", "https://images.example.com/desk.jpg"),
  tags: tags("Labels, each once whatever its case", ["oak", "office"]),
  media: field(listOf(Medium, 250), "Pictures, films and models", [{ url: "https://images.example.com/desk-2.jpg" }]),
  options: field(listOf(ProductOption, 10), "What its variants differ in", [{ name: "Width", values: ["120", "160"] }]),
  variants: field(
    listOf(VariantInput, MAX_VARIANTS),
    "Its buyable forms. In a patch, an item whose `id` exists keeps the fields it does not name; one left out is removed",
    [{ title: "160 cm", sku: "DESK-WAL-160", price: 249.5, stock: 7 }]
  ),
  faqs: field(listOf(Faq, 100), "Questions and answers", [{ question: "Assembled?", answer: "In four screws." }]),
  metafields: field(Opaque, "Opaque to the service, kept as sent", { care: { oil: "yearly" } }),
  customFields: field(Opaque, "Opaque to the service, kept as sent", [{ key: "engraving", value: "yes" }]),
  weight: nullable(Amount, "In the store's unit of weight", 31.4),
  dimensions: nullable(Dimensions, "Its size", { length: 160, width: 80, height: 74, unit: "cm" }),
  countryOfOrigin: nullable(short, "Where it was made", "PT"),
  hsCode: nullable(short, "Harmonized System code for customs", "940330"),
  seoTitle: nullable(short, "Title for search engines", "Walnut desk, 160 cm"),
  seoDescription: nullable(long, "Description for search engines", "A desk of solid walnut."),
  metaDescription: nullable(long, "Meta description; no alias of `seoDescription`", "A desk of solid walnut.")
}
