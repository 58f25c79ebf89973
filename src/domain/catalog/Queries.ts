import { Schema } from "effect"
import { SearchText, sortField } from "../Query.ts"
import { Bool, field, optional, withDescription } from "./Fields.ts"
import { Rules } from "./Rule.ts"

/* Filters and sort orders of products and collections (docs/spec/queries.md). */

/** Filter and sort order of products. */
export const ProductQuery = Schema.Struct({
  rules: optional(
    withDescription(
      Rules,
      "Rules that the products satisfy, in the language of automated collections. Without rules, all products match"
    )
  ),
  disjunctive: optional(field(Bool, "false: products must satisfy every rule. true: any one rule", false)),
  search: optional(
    field(
      SearchText,
      "Words, or the start of a SKU or barcode. Each word must be the start of a word in name, vendor, category or tags. Ignores case and accents; tolerates no typing errors",
      "oak des"
    )
  ),
  sort: sortField(["name", "price", "stock", "createdAt", "updatedAt"], "-createdAt")
})
export type ProductQuery = typeof ProductQuery.Type

/** Filter and sort order of collections. */
export const CollectionQuery = Schema.Struct({
  search: optional(field(SearchText, "Part of the title or slug. Ignores case", "oak")),
  sort: sortField(["title", "createdAt", "updatedAt"], "-createdAt")
})
export type CollectionQuery = typeof CollectionQuery.Type
