import { Schema } from "effect"
import * as fc from "fast-check"
import { Amount } from "../../src/domain/catalog/Fields.ts"
import { CreateProduct, UpdateProduct } from "../../src/domain/catalog/Product.ts"

/*
 * Random products for tests of rules. A small vocabulary makes values of different products coincide. It contains
 * letters of many scripts in both cases, special characters of LIKE and JSON, and empty text. Some numbers have more
 * digits than a float.
 */

const SCRIPTS = [
  "ÅNGSTRÖM",
  "ångström",
  "straße",
  "STRASSE",
  "ΟΔΟΣ",
  "οδος",
  "İstanbul",
  "日本",
  "😀",
  "é",
  "e\u0301",
  "ǅ"
]
const SPECIAL = [
  "50%",
  "a_b",
  "a%b",
  "back\\slash",
  "it's",
  '"quoted"',
  "$1",
  "{}",
  "[1]",
  "null",
  "\\u0000",
  ",",
  "-",
  "\t"
]
const WORDS = ["", "desk", "Desk", "DESK", "oak", " ", "0", "1e5", "12345678901234567890", ...SCRIPTS, ...SPECIAL]

export const word = fc.constantFrom(...WORDS)

/** Any text that is valid in a body. */
export const anyText = fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.replaceAll("\u0000", "0"))

export const phrase = fc.oneof(
  { weight: 8, arbitrary: fc.array(word, { maxLength: 3 }).map((words) => words.join("")) },
  { weight: 1, arbitrary: anyText }
)

const nonBlank = phrase.filter((text) => text.trim() !== "")

const toAmount = Schema.decodeUnknownSync(Amount)

const SHORT = ["0", "0.1", "0.3", "1", "1.5", "1.50", "2", "10", "19.99", "100", "1e2", "999999999999999", "5e-7"]
const LONG = ["0.10000000000000002", "1.0000000000000002", "19.990000000000002", "0.30000000000000004", "5e-324"]

/** Amounts close to each other. */
export const amount = fc.constantFrom(...SHORT, ...LONG).map((text) => toAmount(JSON.parse(text)))

const variant = fc.record(
  { title: phrase, sku: phrase, barcode: phrase, price: amount, stock: amount },
  { requiredKeys: [] }
)

const nullable = <A>(value: fc.Arbitrary<A>) => fc.option(value, { freq: 4 })

const fields = {
  name: nonBlank,
  price: amount,
  stock: amount,
  discountedPrice: nullable(amount),
  costPrice: nullable(amount),
  weight: nullable(amount),
  currencyCode: fc.constantFrom("EUR", "usd", "Jpy"),
  isActive: fc.boolean(),
  onSale: fc.boolean(),
  taxable: fc.boolean(),
  trackInventory: fc.boolean(),
  description: nullable(phrase),
  vendorName: nullable(phrase),
  category: nullable(phrase),
  categoryId: nullable(phrase),
  categoryName: nullable(phrase),
  productType: nullable(phrase),
  productKind: phrase,
  sku: nullable(phrase),
  barcode: nullable(phrase),
  countryOfOrigin: nullable(phrase),
  tags: fc.array(nonBlank, { maxLength: 4 }),
  variants: fc.array(variant, { maxLength: 3 }),
  metafields: fc.dictionary(phrase, fc.oneof(phrase, amount), { maxKeys: 2, noNullPrototype: true }),
  seoTitle: nullable(phrase)
}

const toCreate = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

export const randomProduct: fc.Arbitrary<CreateProduct> = fc.record(fields, { requiredKeys: ["name"] }).map(toCreate)

export const randomPatch: fc.Arbitrary<UpdateProduct> = fc
  .record(fields, { requiredKeys: [] })
  .chain((patch) => fc.subarray(Object.entries(patch), { maxLength: 4 }))
  .map((entries) => toPatch(Object.fromEntries(entries)))
