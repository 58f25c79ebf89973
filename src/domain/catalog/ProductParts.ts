import { Schema } from "effect"
import { boundedArray, boundedRecord } from "../json/Bounded.ts"
import { foldCase } from "../Text.ts"
import { Uuid } from "../Uuid.ts"
import { Amount, withDescription, field, HttpUrl, JsonValue, nullable, openStruct, optional, text } from "./Fields.ts"

/* Lists and objects in the fields of a product. */

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

/** Dimensions of a product. */
export const Dimensions = openStruct({
  length: optional(field(Amount, "Depth, or longest side", 160)),
  width: optional(field(Amount, "Width", 80)),
  height: optional(field(Amount, "Height", 74)),
  unit: optional(field(text(255), "Unit of all three", "cm"))
}).annotate({ identifier: "Dimensions", description: "Dimensions of a product" })

/** Images, videos and 3D models of a product. */
export const Media = field(boundedArray(Medium, 250), "Images, videos and 3D models", [
  { url: "https://images.example.com/desk-2.jpg" }
])

/** Options of a product as clients write them. */
export const Options = field(
  boundedArray(ProductOption, 10),
  "Options in which the variants differ. Names and values of an option are unique, without regard to case",
  [{ name: "Width", values: ["120", "160"] }]
).check(Schema.makeFilter<typeof StoredOptions.Type>(repeatedOptions))

/** Variants of a product as clients write them. */
export const VariantInputs = field(
  boundedArray(VariantInput, MAX_VARIANTS),
  "Variants. In a patch, an item with an existing `id` keeps the fields that it omits; omitted variants are removed",
  [{ title: "160 cm", sku: "DESK-WAL-160", price: 249.5, stock: 7 }]
)

/** Questions and answers on a product. */
export const Faqs = field(boundedArray(Faq, 100), "Questions and answers", [
  { question: "Assembled?", answer: "In four screws." }
])
