import {
  FIELDS,
  fieldOf,
  type Kind,
  type Relation,
  RELATIONS,
  type Rule,
  type RuleField
} from "../../../../domain/catalog/Rule.ts"
import { ExactNumber } from "../../../../domain/Json.ts"
import { number, time } from "../../../data/format.ts"

/* Labels of rule fields and conditions. The type requires one for each. */

export const ruleFieldLabels: Readonly<Record<RuleField, string>> = {
  title: "Name",
  description: "Description",
  slug: "Slug",
  vendorName: "Vendor",
  productType: "Product type",
  productKind: "Product kind",
  category: "Category",
  categoryId: "Category ID",
  categoryName: "Category name",
  sku: "SKU",
  barcode: "Barcode",
  currencyCode: "Currency",
  countryOfOrigin: "Country of origin",
  tags: "Tag",
  price: "Price",
  discountedPrice: "Sale price",
  costPrice: "Cost",
  stock: "Stock",
  weight: "Weight",
  "variant.price": "Variant price",
  "variant.stock": "Variant stock",
  "variant.title": "Variant title",
  "variant.sku": "Variant SKU",
  "variant.barcode": "Variant barcode",
  isActive: "Active",
  onSale: "On sale",
  taxable: "Charge tax",
  trackInventory: "Track stock",
  createdAt: "Created",
  updatedAt: "Updated"
}

const relationLabels: Readonly<Record<Relation, string>> = {
  equals: "is",
  not_equals: "is not",
  contains: "contains",
  not_contains: "does not contain",
  starts_with: "starts with",
  ends_with: "ends with",
  in: "is one of",
  not_in: "is not one of",
  is_set: "has a value",
  is_not_set: "has no value",
  greater_than: "is more than",
  greater_or_equal: "is at least",
  less_than: "is less than",
  less_or_equal: "is at most"
}

const timeRelationLabels: Partial<Record<Relation, string>> = {
  greater_than: "is after",
  greater_or_equal: "is at or after",
  less_than: "is before",
  less_or_equal: "is at or before"
}

/** Label of a relation for a field kind. */
export const relationLabel = (relation: Relation, kind: Kind): string =>
  (kind === "time" ? timeRelationLabels[relation] : undefined) ?? relationLabels[relation]

/** Text of a value: quoted text, yes or no, or a formatted number or time. */
export const ruleValueText = (value: unknown, kind: Kind): string => {
  if (Array.isArray(value)) return value.map((one) => ruleValueText(one, kind)).join(", ")
  if (value === null || value === undefined) return "none"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number" || value instanceof ExactNumber) return number(value)
  const text = String(value)
  if (kind === "time" && !Number.isNaN(Date.parse(text))) return time(text)
  return kind === "text" ? `“${text}”` : text
}

/** Sentence of a rule, such as: Tag is “oak”. */
export const ruleSentence = ({ field, relation, value }: Rule): string => {
  const known = fieldOf(field)
  if (known === undefined) return `${field} ${relation}`
  const { kind } = FIELDS[known]
  const knownRelation = RELATIONS[kind].find((one) => one === relation)
  const text = `${ruleFieldLabels[known]} ${knownRelation === undefined ? relation : relationLabel(knownRelation, kind)}`
  return value === undefined ? text : `${text} ${ruleValueText(value, kind)}`
}

/** Value of a product in the field of a rule. */
export const productValueText = ({ field }: Rule, found: unknown): string => {
  const known = fieldOf(field)
  const isNone = Array.isArray(found) && found.length === 0
  return known === undefined || isNone ? "none" : ruleValueText(found, FIELDS[known].kind)
}
