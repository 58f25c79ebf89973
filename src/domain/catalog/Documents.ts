import { Schema, Struct } from "effect"
import { storedDocument } from "../json/StoredDocument.ts"
import { COLLECTION_DEFAULTS, CollectionHead } from "./Collection.ts"
import type { Snapshot } from "../Write.ts"
import { Product } from "./Product.ts"
import { PRODUCT_DEFAULTS } from "./ProductFields.ts"

/** Stored form of a product: the JSON that the API returns. */
export const ProductDocument = storedDocument(Product, { defaults: PRODUCT_DEFAULTS })

/** Returns the product in a state before or after a change. */
export const productIn = (side: Snapshot | null): Product | null =>
  side && (side.product ?? ProductDocument.parse(side.json))

/** Stored form of a collection, without its products, which have their own rows or are computed. */
export const CollectionDocument = storedDocument(CollectionHead, { defaults: COLLECTION_DEFAULTS })

/** Members of a collection that decide which products it contains, in a document or a state of the journal. */
export const CollectionContents = storedDocument(
  Schema.Struct({
    ...CollectionHead.mapFields(Struct.pick(["title", "type", "disjunctive", "rules"])).fields,
    productIds: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  { defaults: { title: "", type: "manual", disjunctive: false, rules: [] } }
)
