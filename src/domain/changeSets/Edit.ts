import { BigDecimal, Result, Schema, Struct } from "effect"
import type { Scope } from "../access/Scope.ts"
import { CollectionId } from "../catalog/Collection.ts"
import { Amount, AmountDelta, field, numberFrom, optional, tags } from "../catalog/Fields.ts"
import type { Product, UpdateProduct } from "../catalog/Product.ts"
import { UpdateProduct as ProductPatch } from "../catalog/Product.ts"
import { boundedArray } from "../json/Bounded.ts"
import { doubleOf, MAX_NUMBER, plus } from "../json/Numbers.ts"
import { foldCase } from "../Text.ts"

/* Changes of all products that rules match. Each is computed from the product as it is when it is changed. */

const NumberFields = Schema.Struct({
  set: optional(field(Amount, "New value", 19.99)),
  add: optional(field(AmountDelta, "Difference to add", -2)),
  percent: optional(
    field(numberFrom(-100, 1_000_000), "Change in percent of the current value: -10 makes 100 to 90", -10)
  ),
  round: optional(
    field(
      numberFrom(0.001, MAX_NUMBER),
      "Rounds the result half up to a multiple of this number. Default: 0.01 with `percent`, otherwise no rounding",
      0.05
    )
  )
})

const exactlyOne = Schema.makeFilter<typeof NumberFields.Type>(
  ({ add, percent, set }) =>
    [set, add, percent].filter((value) => value !== undefined).length === 1
      ? undefined
      : { path: [], issue: "must have exactly one of set, add, percent" },
  { toJsonSchema: () => ({ oneOf: [{ required: ["set"] }, { required: ["add"] }, { required: ["percent"] }] }) }
)

const NumberEdit = NumberFields.check(exactlyOne)
type NumberEdit = typeof NumberEdit.Type

const TagEdit = Schema.Struct({
  add: optional(tags("Tags to add. A product keeps its own spelling of a tag that it has", ["sale"])),
  remove: optional(tags("Tags to remove, in any case", ["new"]))
})

/** Maximum number of collections to which one change adds products, and from which it removes them. */
const MAX_COLLECTIONS = 20

const collectionIds = (description: string) =>
  optional(boundedArray(CollectionId, MAX_COLLECTIONS).annotate({ description }))

const CollectionEditFields = Schema.Struct({
  add: collectionIds("Manual collections that receive the products at their end"),
  remove: collectionIds("Manual collections that lose the products")
})

const CollectionEdit = CollectionEditFields.check(
  Schema.makeFilter<typeof CollectionEditFields.Type>(({ add = [], remove = [] }) =>
    add.length + remove.length > 0
      ? undefined
      : { path: [], issue: "must add to or remove from at least one collection" }
  )
)

const EditFields = Schema.Struct({
  patch: optional(ProductPatch.annotate({ description: "JSON Merge Patch for each product" })),
  price: optional(NumberEdit),
  discountedPrice: optional(
    NumberEdit.annotate({ description: "A product without a discounted price starts from its price" })
  ),
  stock: optional(NumberEdit.annotate({ description: "Changes the stock of the products, not of their variants" })),
  tags: optional(TagEdit),
  collections: optional(
    CollectionEdit.annotate({
      description:
        "Adds the products to manual collections and removes them from others: one operation for each collection"
    })
  ),
  delete: optional(Schema.Literal(true).annotate({ description: "Deletes the products" }))
})

/** Change of all products that rules match: exactly one of its members. */
export const Edit = EditFields.annotate({ identifier: "ProductEdit" }).check(
  Schema.makeFilter<typeof EditFields.Type>(
    (edit) =>
      Struct.keys(edit).length === 1
        ? undefined
        : {
            path: [],
            issue: "must have exactly one of patch, price, discountedPrice, stock, tags, collections, delete"
          },
    { toJsonSchema: () => ({ minProperties: 1, maxProperties: 1 }) }
  )
)
export type Edit = typeof Edit.Type

/** Scopes of which one is required for an edit. */
export const scopesOfEdit = (edit: Edit): readonly [Scope, ...ReadonlyArray<Scope>] =>
  edit.collections !== undefined
    ? ["write_collections"]
    : edit.stock === undefined
      ? ["write_products"]
      : ["write_inventory", "write_products"]

/** Change of the products of one manual collection. */
export interface MembersEdit {
  readonly id: CollectionId
  readonly member: "add" | "remove"
}

/** Returns the collections whose products an edit changes; undefined if it changes the products themselves. */
export const membersEditsOf = ({ collections }: Edit): ReadonlyArray<MembersEdit> | undefined =>
  collections && [
    ...(collections.add ?? []).map((id) => ({ id, member: "add" as const })),
    ...(collections.remove ?? []).map((id) => ({ id, member: "remove" as const }))
  ]

/** The result of an edit is not an amount. */
export class ResultOutOfRange extends Schema.TaggedError<ResultOutOfRange>()("ResultOutOfRange", {
  member: Schema.String,
  current: Schema.String
}) {
  override get message() {
    return `The ${this.member} is ${this.current}; after the change it must be from 0 to ${MAX_NUMBER} and a number that a double (IEEE 754) holds`
  }
}

const HUNDRED = BigDecimal.fromNumberUnsafe(100)

/** Rounds half up to a multiple of `step`. */
const roundTo = (value: BigDecimal.BigDecimal, step: BigDecimal.BigDecimal): BigDecimal.BigDecimal =>
  BigDecimal.multiply(
    BigDecimal.round(BigDecimal.divideUnsafe(value, step), { scale: 0, mode: "half-from-zero" }),
    step
  )

const computed = (current: number, { add, percent, round, set }: NumberEdit): number => {
  const base =
    percent === undefined
      ? BigDecimal.fromNumberUnsafe(set ?? plus(current, add ?? 0))
      : BigDecimal.divideUnsafe(
          BigDecimal.multiply(
            BigDecimal.fromNumberUnsafe(current),
            BigDecimal.sum(HUNDRED, BigDecimal.fromNumberUnsafe(percent))
          ),
          HUNDRED
        )
  const step = round ?? (percent === undefined ? undefined : 0.01)
  return doubleOf(step === undefined ? base : roundTo(base, BigDecimal.fromNumberUnsafe(step)))
}

const editNumber = (
  member: "price" | "discountedPrice" | "stock",
  current: number,
  edit: NumberEdit
): Result.Result<number, ResultOutOfRange> => {
  const sum = edit.add === undefined ? 0 : plus(current, edit.add)
  const next = Number.isNaN(sum) ? sum : computed(current, edit)
  return next >= 0 && next <= MAX_NUMBER
    ? Result.succeed(next)
    : Result.fail(new ResultOutOfRange({ member, current: String(current) }))
}

const editTags = (current: ReadonlyArray<string>, { add = [], remove = [] }: typeof TagEdit.Type) => {
  const removed = new Set(remove.map(foldCase))
  const kept = current.filter((tag) => !removed.has(foldCase(tag)))
  const known = new Set(kept.map(foldCase))
  return [...kept, ...add.filter((tag) => !known.has(foldCase(tag)))]
}

/** Maximum number of tags of a product. */
const MAX_TAGS = 250

/** The product would have too many tags. */
export class TooManyTags extends Schema.TaggedError<TooManyTags>()("TooManyTags", {}) {
  override get message() {
    return `The product would have more than ${MAX_TAGS} tags; remove some first`
  }
}

/** Computes the patch that an edit makes of a product. A deletion has none. */
export const patchOfEdit = (
  product: Product,
  { discountedPrice, patch = {}, price, stock, tags }: Edit
): Result.Result<UpdateProduct, ResultOutOfRange | TooManyTags> => {
  if (price !== undefined) return Result.map(editNumber("price", product.price, price), (price) => ({ price }))
  if (discountedPrice !== undefined) {
    return Result.map(
      editNumber("discountedPrice", product.discountedPrice ?? product.price, discountedPrice),
      (discountedPrice) => ({ discountedPrice })
    )
  }
  if (stock !== undefined) return Result.map(editNumber("stock", product.stock, stock), (stock) => ({ stock }))
  if (tags !== undefined) {
    const edited = editTags(product.tags, tags)
    return edited.length > MAX_TAGS ? Result.fail(new TooManyTags()) : Result.succeed({ tags: edited })
  }
  return Result.succeed(patch)
}
