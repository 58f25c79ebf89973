import { Result } from "effect"
import { Edit } from "../../../../domain/changeSets/Edit.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { parseIssues } from "../editor/productInput.ts"
import { productListTexts } from "./productListTexts.ts"
import { productTexts } from "../productTexts.ts"

/** Bulk edit, with the input it needs. */
export interface BulkEdit {
  readonly name: string
  readonly field?: { readonly label: string; readonly hint?: string }
  /** Keyboard of a number. */
  readonly inputMode?: "decimal" | "text"
  /** The input is the id of a manual collection. */
  readonly isCollection?: true
  /** Steps to which the result can be rounded, the default first. Undefined stands for no rounding. */
  readonly steps?: ReadonlyArray<number | undefined>
  /** Validates the input. */
  readonly parse: (input: string, round?: number) => Result.Result<Edit, string>
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

const numberEdit = (member: "price" | "discountedPrice", change: JsonObject, round: number | undefined) =>
  editOf({ [member]: round === undefined ? change : { ...change, round } })

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
    parse: (input) => Result.flatMap(parseNumber(input), (set) => editOf({ [member]: { set } }))
  },
  {
    name: texts.add,
    field: { label: productListTexts.bulk.amount, hint: texts.addHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    steps: [undefined, ...STEPS],
    parse: (input, round) => Result.flatMap(parseNumber(input), (add) => numberEdit(member, { add }, round))
  },
  {
    name: texts.percent,
    field: { label: productListTexts.bulk.percent, hint: texts.percentHint },
    inputMode: "text",
    steps: STEPS,
    parse: (input, round) => Result.flatMap(parseNumber(input), (percent) => numberEdit(member, { percent }, round))
  }
]

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: productListTexts.bulk.activate, parse: () => patchOf({ isActive: true }) },
  { name: productListTexts.bulk.deactivate, parse: () => patchOf({ isActive: false }) },
  ...priceEdits("price", productListTexts.bulk.price),
  ...priceEdits("discountedPrice", productListTexts.bulk.salePrice),
  { name: productListTexts.bulk.removeSalePrice, parse: () => patchOf({ discountedPrice: null }) },
  {
    name: productListTexts.bulk.setStock,
    field: { label: productListTexts.bulk.newStock },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseWhole(input), (set) => editOf({ stock: { set } }))
  },
  {
    name: productListTexts.bulk.adjustStock,
    field: { label: productTexts.stock.adjust, hint: productTexts.stock.adjustHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    parse: (input) => Result.flatMap(parseWhole(input), (add) => editOf({ stock: { add } }))
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
