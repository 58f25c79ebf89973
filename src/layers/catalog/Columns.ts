import { Struct } from "effect"
import { CollectionDocument, ProductDocument } from "../../domain/catalog/Documents.ts"
import { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import { documentText } from "../sql/Documents.ts"
import { sql } from "../sql/Statement.ts"

/** Bytes of the document of a product or collection. `bytes` is stale if an older release wrote the current version. */
export const DOCUMENT_BYTES = sql`case when bytes_of = version then bytes else octet_length(document::text) end`

/** Texts of the documents of products and collections for responses (see `completeMarked`). */
export const PRODUCT_TEXT = documentText(ProductDocument, sql`document::text`)
export const COLLECTION_TEXT = documentText(CollectionDocument, sql`document::text`)

const members = Struct.keys(ProductSummary.fields)

/** Summary of a product's `document` as JSON text. `json` keeps the spelling of numbers. */
export const SUMMARY = sql.literal(`(
  select row_to_json(d)::text from json_to_record(document) as d (${members.map((name) => `"${name}" json`).join(", ")})
)`)
