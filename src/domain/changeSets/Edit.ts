import { BigDecimal, Result, Schema, Struct } from "effect"
import type { Scope } from "../access/Scope.ts"
import { CollectionId } from "../catalog/Collection.ts"
import { Amount, AmountDelta, Bool, field, numberFrom, optional, tags } from "../catalog/Fields.ts"
import { changed, patchProduct, type Product, UpdateProduct as ProductPatch } from "../catalog/Product.ts"
import type { Variant } from "../catalog/ProductParts.ts"
import { boundedArray } from "../json/Bounded.ts"
import { doubleOf, MAX_NUMBER, plus } from "../json/Numbers.ts"
import { foldCase } from "../Text.ts"

/* Changes of all products that rules match. Each is computed from the product as it is when it is changed. */

const numberFields = {
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
}

const set = optional(field(Amount, "New value", 19.99))

const ofVariants = optional(field(Bool, "If false, variants keep their own prices. Default: true", false))

interface NumberEdit {
  /** Null removes the value. */
  readonly set?: number | null
  readonly add?: number
  readonly percent?: number
  readonly round?: number
  readonly variants?: boolean
}

const exactlyOne = Schema.makeFilter<NumberEdit>(
  ({ add, percent, set }) =>
    [set, add, percent].filter((value) => value !== undefined).length === 1
      ? undefined
      : { path: [], issue: "must have exactly one of set, add, percent" },
  { toJsonSchema: () => ({ oneOf: [{ required: ["set"] }, { required: ["add"] }, { required: ["percent"] }] }) }
)

const PriceEdit = Schema.Struct({ set, ...numberFields, variants: ofVariants }).check(exactlyOne)

const SalePriceEdit = Schema.Struct({
  set: optional(field(Schema.NullOr(Amount), "New value. Null removes the discounted price", 19.99)),
  ...numberFields,
  variants: ofVariants
}).check(exactlyOne)

const StockEdit = Schema.Struct({
  set,
  ...numberFields,
  variants: optional(
    field(Bool, "If true, changes the variants of a product that has some, not its own stock. Default: false", true)
  )
}).check(exactlyOne)

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
  patch: optional(ProductPatch.annotate({ description: "JSON Merge Patch at the top level, for each product" })),
  price: optional(PriceEdit.annotate({ description: "Also changes the prices that variants have of their own" })),
  discountedPrice: optional(
    SalePriceEdit.annotate({
      description: "A product or variant without a discounted price starts from its own price"
    })
  ),
  stock: optional(StockEdit),
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

/** Change that computes a number. */
type Computation = NumberEdit & { readonly set?: number }

const computed = (current: number, { add, percent, round, set }: Computation): number => {
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

const editNumber = (member: string, current: number, edit: Computation): Result.Result<number, ResultOutOfRange> => {
  const sum = edit.add === undefined ? 0 : plus(current, edit.add)
  const next = Number.isNaN(sum) ? sum : computed(current, edit)
  return next >= 0 && next <= MAX_NUMBER
    ? Result.succeed(next)
    : Result.fail(new ResultOutOfRange({ member, current: String(current) }))
}

type NumberMember = "price" | "discountedPrice" | "stock"

const memberOfVariant = (member: NumberMember, { id, title }: Variant) =>
  `${member} of the variant ${JSON.stringify(title ?? id)}`

/** Changes a number of the variants that have a value to start from. The others use that of the product. */
const editVariants = (
  variants: ReadonlyArray<Variant>,
  member: NumberMember,
  currentOf: (variant: Variant) => number | undefined,
  edit: Computation
): Result.Result<ReadonlyArray<Variant>, ResultOutOfRange> =>
  Result.all(
    variants.map((variant) => {
      const current = currentOf(variant)
      return current === undefined
        ? Result.succeed(variant)
        : Result.map(editNumber(memberOfVariant(member, variant), current, edit), (next) => ({
            ...variant,
            [member]: next
          }))
    })
  )

type NumberChanges = Result.Result<Partial<Product>, ResultOutOfRange>

const editPrice = ({ price, variants }: Product, edit: Computation): NumberChanges =>
  Result.all({
    price: editNumber("price", price, edit),
    variants:
      edit.variants === false ? Result.succeed(variants) : editVariants(variants, "price", ({ price }) => price, edit)
  })

const editSalePrice = (
  { discountedPrice, price, variants }: Product,
  { set, ...edit }: typeof SalePriceEdit.Type
): NumberChanges => {
  const isOfProduct = edit.variants === false
  if (set === null) {
    return Result.succeed({
      discountedPrice: null,
      variants: isOfProduct ? variants : variants.map(({ discountedPrice: _, ...variant }) => variant)
    })
  }
  const computation = set === undefined ? edit : { ...edit, set }
  return Result.all({
    discountedPrice: editNumber("discountedPrice", discountedPrice ?? price, computation),
    variants: isOfProduct
      ? Result.succeed(variants)
      : editVariants(variants, "discountedPrice", (own) => own.discountedPrice ?? own.price, computation)
  })
}

const editStock = ({ stock, variants }: Product, edit: Computation): NumberChanges =>
  edit.variants === true && variants.length > 0
    ? Result.all({ variants: editVariants(variants, "stock", ({ stock = 0 }) => stock, edit) })
    : Result.all({ stock: editNumber("stock", stock, edit) })

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

/** Computes the fields that an edit changes. A patch and a deletion are none. */
const changesOf = (
  product: Product,
  { discountedPrice, price, stock, tags }: Edit
): Result.Result<Partial<Product>, ResultOutOfRange | TooManyTags> => {
  if (price !== undefined) return editPrice(product, price)
  if (discountedPrice !== undefined) return editSalePrice(product, discountedPrice)
  if (stock !== undefined) return editStock(product, stock)
  if (tags === undefined) return Result.succeed({})
  const edited = editTags(product.tags, tags)
  return edited.length > MAX_TAGS ? Result.fail(new TooManyTags()) : Result.succeed({ tags: edited })
}

/** Returns the product after an edit other than a deletion, or the same object if nothing changes. */
export const editProduct = (
  product: Product,
  edit: Edit,
  at: Date
): Result.Result<Product, ResultOutOfRange | TooManyTags> =>
  edit.patch === undefined
    ? Result.map(changesOf(product, edit), (changes) => changed(product, changes, at))
    : Result.succeed(patchProduct(product, edit.patch, at))
