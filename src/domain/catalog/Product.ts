import { Schema, Struct } from "effect"
import { boundedArray } from "../json/Bounded.ts"
import { canonical } from "../json/Json.ts"
import { isText } from "../Text.ts"
import { Uuid, uuidV7 } from "../Uuid.ts"
import { field, StoredCurrencyCode, Timestamp, Version } from "./Fields.ts"
import { editableFields, PRODUCT_DEFAULTS } from "./ProductFields.ts"
import { MAX_VARIANTS, StoredOptions, Variant, type VariantInput } from "./ProductParts.ts"

export const ProductId = Uuid.pipe(Schema.brand("ProductId"), Schema.annotate({ identifier: "ProductId" }))
export type ProductId = typeof ProductId.Type

/** Product of a store. Responses always contain all fields. */
export const Product = Schema.Struct({
  id: ProductId,
  version: Version,
  ...editableFields,
  currencyCode: field(StoredCurrencyCode, "Currency (ISO 4217)", "EUR"),
  options: StoredOptions,
  variants: boundedArray(Variant, MAX_VARIANTS).annotate({ description: "Variants of the product" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotate({ identifier: "Product" })
export type Product = typeof Product.Type

/** Fields of a new product. Only the name is required. */
export const CreateProduct = Schema.Struct({ name: editableFields.name })
  .pipe(
    Schema.fieldsAssign(
      Schema.Struct(editableFields)
        .mapFields(Struct.omit(["name"]))
        .mapFields(Struct.map(Schema.optionalKey)).fields
    )
  )
  .annotate({ identifier: "CreateProduct" })
export type CreateProduct = typeof CreateProduct.Type

/** JSON Merge Patch (RFC 7396) at the top level: null clears a nullable field. */
export const UpdateProduct = Schema.Struct(editableFields).mapFields(Struct.map(Schema.optionalKey)).annotate({
  identifier: "UpdateProduct"
})
export type UpdateProduct = typeof UpdateProduct.Type

export class ProductNotFound extends Schema.TaggedError<ProductNotFound>()("ProductNotFound", { id: ProductId }) {
  override get message() {
    return `Product ${this.id} was not found`
  }
}

export class ProductLimitReached extends Schema.TaggedError<ProductLimitReached>()("ProductLimitReached", {
  limit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
}) {
  override get message() {
    return `The store's plan allows ${this.limit} products; delete some or move to a larger plan`
  }
}

/** Maximum size of a product in bytes of JSON (docs/spec/products.md). */
export const MAX_PRODUCT_BYTES = 1024 * 1024

export class ProductTooLarge extends Schema.TaggedError<ProductTooLarge>()("ProductTooLarge", {}) {
  override get message() {
    return `The product would be larger than ${MAX_PRODUCT_BYTES} bytes of JSON; shorten or remove some of its fields`
  }
}

/** Values that the database assigns to a new product: an id in commit order, and the time. */
export interface AssignedToProduct {
  readonly id: ProductId
  readonly slug: string
  readonly at: Date
  readonly currencyCode: string
}

/** Builds a new product from the input and the defaults (docs/spec/products.md). */
export const newProduct = (input: CreateProduct, { at, currencyCode, id, slug }: AssignedToProduct): Product => {
  // Spreads that replace members of an object with this many take V8 five times as long.
  const given = Object.assign({}, PRODUCT_DEFAULTS, input)
  const { discountedPrice, price } = given
  return Object.assign(given, {
    id,
    version: 1,
    slug,
    currencyCode: input.currencyCode ?? currencyCode,
    onSale: input.onSale ?? (discountedPrice !== null && discountedPrice < price),
    variants: withIds(given.variants, new Map(), at),
    createdAt: at.toISOString(),
    updatedAt: at.toISOString()
  })
}

/** Returns the id in stored form; clients may use any case. */
const idOf = ({ id }: VariantInput) => (isText(id) ? id.toLowerCase() : id)

/** Merges a variant into the known one with its id, or assigns a new id. No id is used twice. */
const withIds = (
  variants: ReadonlyArray<VariantInput>,
  known: Map<unknown, Variant>,
  at: Date
): ReadonlyArray<Variant> =>
  variants.map((variant) => {
    const id = idOf(variant)
    const before = known.get(id)
    known.delete(id)
    return before === undefined ? { ...variant, id: uuidV7(at.getTime()) } : { ...before, ...variant, id: before.id }
  })

/** Applies a patch. Returns the same object if nothing changes. */
export const patchProduct = (product: Product, patch: UpdateProduct, at: Date): Product => {
  const known = new Map(product.variants.map((variant) => [variant.id, variant] as const))
  const { variants, ...fields } = patch
  return changed(product, variants === undefined ? fields : { ...fields, variants: withIds(variants, known, at) }, at)
}

/** Returns the product with changed fields and the next version, or the same object if nothing changes. */
export const changed = (product: Product, changes: Partial<Product>, at: Date): Product =>
  changesNothing(product, changes)
    ? product
    : { ...product, ...changes, version: product.version + 1, updatedAt: at.toISOString() }

const changesNothing = (product: Product, changes: Partial<Product>) =>
  Struct.keys(changes).every((key) => canonical(changes[key]) === canonical(product[key]))
