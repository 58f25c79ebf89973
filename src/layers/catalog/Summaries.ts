import { Struct } from "effect"
import { ProductSummary } from "../../domain/catalog/ProductSummary.ts"

const members = Struct.keys(ProductSummary.fields)

/** The small form of a product's `document` as JSON text, its numbers with all of their digits, in order of its members. */
export const SUMMARY = `(
  select row_to_json(d)::text from json_to_record(document) as d (${members.map((name) => `"${name}" json`).join(", ")})
)`
