import type { Kind, RuleField } from "../../src/domain/catalog/Rule.ts"

/*
 * Relations and values that each rule field allows: a second copy of the table in docs/spec/collections.md. Tests
 * compare the service with this copy to find mistakes in its own table.
 */

const TEXT_RELATIONS = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "in",
  "not_in",
  "is_set",
  "is_not_set"
] as const

const NUMBER_RELATIONS = [
  "equals",
  "not_equals",
  "greater_than",
  "greater_or_equal",
  "less_than",
  "less_or_equal",
  "in",
  "not_in",
  "is_set",
  "is_not_set"
] as const

export const RELATIONS_OF: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  text: TEXT_RELATIONS,
  number: NUMBER_RELATIONS,
  time: NUMBER_RELATIONS,
  boolean: ["equals", "not_equals"]
}

export const ALL_RELATIONS: ReadonlyArray<string> = [...new Set([...TEXT_RELATIONS, ...NUMBER_RELATIONS])]

/** Every name of a rule field, with the field and its kind. */
export const NAMES: ReadonlyArray<{ readonly name: string; readonly field: RuleField; readonly kind: Kind }> = [
  { name: "title", field: "title", kind: "text" },
  { name: "name", field: "title", kind: "text" },
  { name: "description", field: "description", kind: "text" },
  { name: "slug", field: "slug", kind: "text" },
  { name: "vendorName", field: "vendorName", kind: "text" },
  { name: "vendor", field: "vendorName", kind: "text" },
  { name: "productType", field: "productType", kind: "text" },
  { name: "type", field: "productType", kind: "text" },
  { name: "productKind", field: "productKind", kind: "text" },
  { name: "category", field: "category", kind: "text" },
  { name: "categoryId", field: "categoryId", kind: "text" },
  { name: "categoryName", field: "categoryName", kind: "text" },
  { name: "sku", field: "sku", kind: "text" },
  { name: "barcode", field: "barcode", kind: "text" },
  { name: "currencyCode", field: "currencyCode", kind: "text" },
  { name: "countryOfOrigin", field: "countryOfOrigin", kind: "text" },
  { name: "tags", field: "tags", kind: "text" },
  { name: "tag", field: "tags", kind: "text" },
  { name: "price", field: "price", kind: "number" },
  { name: "discountedPrice", field: "discountedPrice", kind: "number" },
  { name: "costPrice", field: "costPrice", kind: "number" },
  { name: "stock", field: "stock", kind: "number" },
  { name: "inventory", field: "stock", kind: "number" },
  { name: "weight", field: "weight", kind: "number" },
  { name: "variant.price", field: "variant.price", kind: "number" },
  { name: "variant.stock", field: "variant.stock", kind: "number" },
  { name: "variant.title", field: "variant.title", kind: "text" },
  { name: "variant.sku", field: "variant.sku", kind: "text" },
  { name: "variant.barcode", field: "variant.barcode", kind: "text" },
  { name: "isActive", field: "isActive", kind: "boolean" },
  { name: "onSale", field: "onSale", kind: "boolean" },
  { name: "taxable", field: "taxable", kind: "boolean" },
  { name: "trackInventory", field: "trackInventory", kind: "boolean" },
  { name: "createdAt", field: "createdAt", kind: "time" },
  { name: "updatedAt", field: "updatedAt", kind: "time" }
]

/** A valid value of each kind, and some invalid ones. */
export const VALUES: Readonly<Record<Kind, { readonly right: unknown; readonly wrong: ReadonlyArray<unknown> }>> = {
  text: { right: "oak", wrong: [1, true, null, ["oak"], { oak: 1 }] },
  number: {
    right: 12.5,
    wrong: ["twelve", "", "1,5", "1e3", "0x10", ".5", "5.", "1_000", "Infinity", "--1", true, null, [1]]
  },
  time: {
    right: "2026-01-31T09:30:00Z",
    wrong: [
      "2026-01-31",
      "2026-01-31T09:30:00",
      "yesterday",
      "2026-02-30T09:30:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T09:61:00Z",
      "2026-01-31T09:30:60Z",
      "2026-01-30T23:59:60Z",
      "2026-01-31T09:30:00+24:00",
      1769851800000,
      true,
      null
    ]
  },
  boolean: { right: true, wrong: ["true", 1, 0, null, [true]] }
}

/** A valid value for the relation. */
export const rightValue = (kind: Kind, relation: string): unknown =>
  relation === "in" || relation === "not_in" ? [VALUES[kind].right] : VALUES[kind].right
