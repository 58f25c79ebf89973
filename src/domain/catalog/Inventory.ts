import { Result, Schema, Struct } from "effect"
import { MAX_NUMBER, plus } from "../json/Numbers.ts"
import { Uuid } from "../Uuid.ts"
import { Amount, withDescription, AmountDelta, field, optional, text } from "./Fields.ts"
import { patchProduct, Product } from "./Product.ts"
import { Variant } from "./ProductParts.ts"

const InventoryFields = Schema.Struct({
  stock: optional(field(Amount, "New stock", 20)),
  adjust: optional(field(AmountDelta, "Difference to add to the stock", -2)),
  variantId: optional(withDescription(Uuid, "Variant to change; without it, the product itself")),
  expectedStock: optional(field(Amount, "Required current stock: the change fails if the stock differs", 12)),
  reason: optional(field(text(255), "Reason for the journal", "Two were broken"))
})

/** Requires exactly one of `stock` and `adjust`. */
export const stockOrAdjust = Schema.makeFilter<typeof InventoryFields.Type>(
  ({ adjust, stock }) =>
    (stock === undefined) === (adjust === undefined)
      ? { path: ["stock"], issue: "must be given, or `adjust`, and not both" }
      : undefined,
  {
    identifier: "SetInventory",
    toJsonSchema: () => ({ allOf: [{ oneOf: [{ required: ["stock"] }, { required: ["adjust"] }] }] })
  }
)

/** Sets the stock of a product or variant, or changes it by a difference (docs/spec/inventory.md). */
export const SetInventory = InventoryFields.check(stockOrAdjust)
export type SetInventory = typeof SetInventory.Type

/** Stock of a variant. */
export const VariantLevel = Schema.Struct(Struct.pick(Variant.schema.fields, ["id", "sku", "stock"]))

/** Stock of a product and its variants, for callers that do not see the rest of the product. */
export const InventoryLevels = Schema.Struct({
  ...Struct.pick(Product.fields, ["id", "version", "sku", "stock", "trackInventory"]),
  variants: Schema.Array(VariantLevel).annotate({ description: "Stock of the variants" })
}).annotate({
  identifier: "InventoryLevels",
  description: "Stock of a product and its variants, for callers without access to products"
})

/** Tests if a response shows the whole product. */
export const isWhole = (seen: Product | typeof InventoryLevels.Type): seen is Product => "price" in seen

export class VariantNotFound extends Schema.TaggedError<VariantNotFound>()("VariantNotFound", { id: Uuid }) {
  override get message() {
    return `The product has no variant ${this.id}; see \`variants\` of the product`
  }
}

export class StockMismatch extends Schema.TaggedError<StockMismatch>()("StockMismatch", { current: Schema.String }) {
  override get message() {
    return `The stock is ${this.current}, not the expected value; read it again and repeat the change`
  }
}

export class StockOutOfRange extends Schema.TaggedError<StockOutOfRange>()("StockOutOfRange", {
  current: Schema.String
}) {
  override get message() {
    return `The stock is ${this.current}; after the change it must be from 0 to ${MAX_NUMBER} and a number that a double (IEEE 754) holds; round the difference`
  }
}

/** Returns the product with the new stock, or the same object if the stock does not change. */
export const withStock = (
  product: Product,
  { adjust, expectedStock, stock, variantId }: SetInventory,
  at: Date
): Result.Result<Product, VariantNotFound | StockMismatch | StockOutOfRange> => {
  const variant = product.variants.find(({ id }) => id === variantId)
  if (variantId !== undefined && variant === undefined) return Result.fail(new VariantNotFound({ id: variantId }))
  const current = variant === undefined ? product.stock : (variant.stock ?? 0)
  if (expectedStock !== undefined && current !== expectedStock) {
    return Result.fail(new StockMismatch({ current: String(current) }))
  }
  const next = stock ?? plus(current, adjust ?? 0)
  // The sum is NaN if no double has it.
  if (!(next >= 0 && next <= MAX_NUMBER)) {
    return Result.fail(new StockOutOfRange({ current: String(current) }))
  }
  const variants = product.variants.map((other) => (other === variant ? { ...other, stock: next } : other))
  return Result.succeed(patchProduct(product, variant === undefined ? { stock: next } : { variants }, at))
}
