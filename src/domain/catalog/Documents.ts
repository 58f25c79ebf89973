import { storedDocument } from "../json/StoredDocument.ts"
import { COLLECTION_DEFAULTS, CollectionHead } from "./Collection.ts"
import { Product } from "./Product.ts"
import { PRODUCT_DEFAULTS } from "./ProductFields.ts"

/** Stored form of a product: the JSON that the API returns. */
export const ProductDocument = storedDocument(Product, { defaults: PRODUCT_DEFAULTS })

/** Stored form of a collection, without its products, which have their own rows or are computed. */
export const CollectionDocument = storedDocument(CollectionHead, { defaults: COLLECTION_DEFAULTS })
