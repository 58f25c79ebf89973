import { Result } from "effect"
import { Edit } from "../../../../domain/changeSets/Edit.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { parseAmount, parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { parseIssues } from "../editor/productInput.ts"
import { productListTexts } from "./productListTexts.ts"
import { productTexts } from "../productTexts.ts"

/** Choices beside the input of a bulk edit. */
export interface BulkChoices {
  /** Step to which the results are rounded. */
  readonly round?: number | undefined
  /** False leaves the prices of variants as they are. */
  readonly variants?: boolean
  /** Currency of the products. Empty if they have several ones. */
  readonly currency?: string
}

/** Bulk edit, with the input it needs. */
export interface BulkEdit {
  readonly name: string
  readonly field?: { readonly label: string; readonly hint?: string }
  /** Keyboard of a number. */
  readonly inputMode?: "decimal" | "text"
  /** The input is the id of a manual collection. */
  readonly isCollection?: true
  /** The edit can leave variants as they are. */
  readonly isOfVariants?: true
  /** Steps to which the result can be rounded, the default first. Undefined stands for no rounding. */
  readonly steps?: ReadonlyArray<number | undefined>
  /** Validates the input. */
  readonly parse: (input: string, choices: BulkChoices) => Result.Result<Edit, string>
}

const decodeEdit = decodeWith(Edit)

const editOf = (fields: JsonObject) =>
  Result.mapError(
    decodeEdit(fields, true),
    ({ issues = [] }) => parseIssues(issues).values().next().value ?? productListTexts.bulk.invalid
  )

/** Splits tags at commas. */
const tagsOf = (input: string, edit: (tags: ReadonlyArray<string>) => Result.Result<Edit, string>) => {
  const tags = input
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  return tags.length === 0 ? Result.fail(productListTexts.bulk.missingTag) : edit(tags)
}

/** An empty text is no value, as in the product editor. */
const textOrNull = (input: string) => (input.trim() === "" ? null : input)

const priceEdit = (member: "price" | "discountedPrice", change: JsonObject, { round, variants = true }: BulkChoices) =>
  editOf({
    [member]: { ...change, ...(round === undefined ? {} : { round }), ...(variants ? {} : { variants }) }
  })

const collectionEdit = (id: string, edit: (ids: ReadonlyArray<string>) => JsonObject) =>
  id === "" ? Result.fail(productListTexts.bulk.missingCollection) : editOf({ collections: edit([id]) })

const patchOf = (patch: JsonObject) => editOf({ patch })

/** Steps of prices that people use. */
const STEPS = [0.01, 0.05, 0.1, 1]

/** Edits of one of the prices. */
const priceEdits = (
  member: "price" | "discountedPrice",
  texts: Readonly<Record<keyof typeof productListTexts.bulk.price, string>>
): ReadonlyArray<BulkEdit> => [
  {
    name: texts.set,
    field: { label: texts.setLabel, hint: productListTexts.bulk.newPriceHint },
    inputMode: "decimal",
    isOfVariants: true,
    parse: (input, choices) =>
      Result.flatMap(parseAmount(input, choices.currency ?? ""), (set) => priceEdit(member, { set }, choices))
  },
  {
    name: texts.add,
    field: { label: productListTexts.bulk.amount, hint: texts.addHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    steps: [undefined, ...STEPS],
    isOfVariants: true,
    parse: (input, choices) =>
      Result.flatMap(parseAmount(input, choices.currency ?? ""), (add) => priceEdit(member, { add }, choices))
  },
  {
    name: texts.percent,
    field: { label: productListTexts.bulk.percent, hint: texts.percentHint },
    inputMode: "text",
    steps: STEPS,
    isOfVariants: true,
    parse: (input, choices) => Result.flatMap(parseNumber(input), (percent) => priceEdit(member, { percent }, choices))
  }
]

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: productListTexts.bulk.activate, parse: () => patchOf({ isActive: true }) },
  { name: productListTexts.bulk.deactivate, parse: () => patchOf({ isActive: false }) },
  ...priceEdits("price", productListTexts.bulk.price),
  ...priceEdits("discountedPrice", productListTexts.bulk.salePrice),
  {
    name: productListTexts.bulk.removeSalePrice,
    isOfVariants: true,
    parse: (_, choices) => priceEdit("discountedPrice", { set: null }, choices)
  },
  {
    name: productListTexts.bulk.setStock,
    field: { label: productListTexts.bulk.newStock, hint: productListTexts.bulk.stockHint },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseWhole(input), (set) => editOf({ stock: { set, variants: true } }))
  },
  {
    name: productListTexts.bulk.adjustStock,
    field: {
      label: productTexts.stock.adjust,
      hint: `${productTexts.stock.adjustHint} ${productListTexts.bulk.stockHint}`
    },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    parse: (input) => Result.flatMap(parseWhole(input), (add) => editOf({ stock: { add, variants: true } }))
  },
  {
    name: productListTexts.bulk.addTag,
    field: { label: productListTexts.bulk.tag, hint: productTexts.form.tagsHint },
    parse: (input) => tagsOf(input, (add) => editOf({ tags: { add } }))
  },
  {
    name: productListTexts.bulk.removeTag,
    field: { label: productListTexts.bulk.tag, hint: productTexts.form.tagsHint },
    // Apps can store a tag with a comma.
    parse: (input) => tagsOf(input, (remove) => editOf({ tags: { remove: [...remove, input.trim()] } }))
  },
  {
    name: productListTexts.bulk.setVendor,
    field: { label: productTexts.fields.vendorName, hint: productListTexts.bulk.clearHint },
    parse: (input) => patchOf({ vendorName: textOrNull(input) })
  },
  {
    name: productListTexts.bulk.setCategory,
    field: { label: productTexts.fields.category, hint: productListTexts.bulk.clearHint },
    parse: (input) => patchOf({ category: textOrNull(input) })
  },
  {
    name: productListTexts.bulk.setProductType,
    field: { label: productTexts.fields.productType, hint: productListTexts.bulk.clearHint },
    parse: (input) => patchOf({ productType: textOrNull(input) })
  },
  {
    name: productListTexts.bulk.addToCollection,
    field: { label: productListTexts.bulk.collection, hint: productListTexts.bulk.collectionHint },
    isCollection: true,
    parse: (id) => collectionEdit(id, (add) => ({ add }))
  },
  {
    name: productListTexts.bulk.removeFromCollection,
    field: { label: productListTexts.bulk.collection, hint: productListTexts.bulk.collectionHint },
    isCollection: true,
    parse: (id) => collectionEdit(id, (remove) => ({ remove }))
  },
  { name: productListTexts.bulk.delete, parse: () => editOf({ delete: true }) }
]
