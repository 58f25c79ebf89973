import { Result } from "effect"
import { Edit } from "../../../../domain/changeSets/Edit.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { parseIssues } from "../editor/productInput.ts"
import { productTexts } from "../productTexts.ts"
import { bulkEditTexts } from "./bulkEditTexts.ts"

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
    ({ issues = [] }) => parseIssues(issues).values().next().value ?? bulkEditTexts.invalid
  )

/** Splits tags at commas. */
const tagsOf = (input: string, edit: (tags: ReadonlyArray<string>) => Result.Result<Edit, string>) => {
  const tags = input
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  return tags.length === 0 ? Result.fail(bulkEditTexts.missingTag) : edit(tags)
}

/** An empty text is no value, as in the product editor. */
const textOrNull = (input: string) => (input.trim() === "" ? null : input)

const numberEdit = (member: "price" | "discountedPrice", change: JsonObject, round: number | undefined) =>
  editOf({ [member]: round === undefined ? change : { ...change, round } })

const collectionEdit = (id: string, edit: (ids: ReadonlyArray<string>) => JsonObject) =>
  id === "" ? Result.fail(bulkEditTexts.missingCollection) : editOf({ collections: edit([id]) })

const patchOf = (patch: JsonObject) => editOf({ patch })

/** Steps of prices that people use. */
const STEPS = [0.01, 0.05, 0.1, 1]

/** Edits of one of the prices. */
const priceEdits = (
  member: "price" | "discountedPrice",
  texts: Readonly<Record<keyof typeof bulkEditTexts.price, string>>
): ReadonlyArray<BulkEdit> => [
  {
    name: texts.set,
    field: { label: texts.setLabel, hint: bulkEditTexts.newPriceHint },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseNumber(input), (set) => editOf({ [member]: { set } }))
  },
  {
    name: texts.add,
    field: { label: bulkEditTexts.amount, hint: texts.addHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    steps: [undefined, ...STEPS],
    parse: (input, round) => Result.flatMap(parseNumber(input), (add) => numberEdit(member, { add }, round))
  },
  {
    name: texts.percent,
    field: { label: bulkEditTexts.percent, hint: texts.percentHint },
    inputMode: "text",
    steps: STEPS,
    parse: (input, round) => Result.flatMap(parseNumber(input), (percent) => numberEdit(member, { percent }, round))
  }
]

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: bulkEditTexts.activate, parse: () => patchOf({ isActive: true }) },
  { name: bulkEditTexts.deactivate, parse: () => patchOf({ isActive: false }) },
  ...priceEdits("price", bulkEditTexts.price),
  ...priceEdits("discountedPrice", bulkEditTexts.salePrice),
  { name: bulkEditTexts.removeSalePrice, parse: () => patchOf({ discountedPrice: null }) },
  {
    name: bulkEditTexts.setStock,
    field: { label: bulkEditTexts.newStock },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseWhole(input), (set) => editOf({ stock: { set } }))
  },
  {
    name: bulkEditTexts.adjustStock,
    field: { label: productTexts.stock.adjust, hint: productTexts.stock.adjustHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    parse: (input) => Result.flatMap(parseWhole(input), (add) => editOf({ stock: { add } }))
  },
  {
    name: bulkEditTexts.addTag,
    field: { label: bulkEditTexts.tag, hint: productTexts.form.tagsHint },
    parse: (input) => tagsOf(input, (add) => editOf({ tags: { add } }))
  },
  {
    name: bulkEditTexts.removeTag,
    field: { label: bulkEditTexts.tag, hint: productTexts.form.tagsHint },
    // Apps can store a tag with a comma.
    parse: (input) => tagsOf(input, (remove) => editOf({ tags: { remove: [...remove, input.trim()] } }))
  },
  {
    name: bulkEditTexts.setVendor,
    field: { label: productTexts.fields.vendorName, hint: bulkEditTexts.clearHint },
    parse: (input) => patchOf({ vendorName: textOrNull(input) })
  },
  {
    name: bulkEditTexts.setCategory,
    field: { label: productTexts.fields.category, hint: bulkEditTexts.clearHint },
    parse: (input) => patchOf({ category: textOrNull(input) })
  },
  {
    name: bulkEditTexts.setProductType,
    field: { label: productTexts.fields.productType, hint: bulkEditTexts.clearHint },
    parse: (input) => patchOf({ productType: textOrNull(input) })
  },
  {
    name: bulkEditTexts.addToCollection,
    field: { label: bulkEditTexts.collection, hint: bulkEditTexts.collectionHint },
    isCollection: true,
    parse: (id) => collectionEdit(id, (add) => ({ add }))
  },
  {
    name: bulkEditTexts.removeFromCollection,
    field: { label: bulkEditTexts.collection, hint: bulkEditTexts.collectionHint },
    isCollection: true,
    parse: (id) => collectionEdit(id, (remove) => ({ remove }))
  },
  { name: bulkEditTexts.delete, parse: () => editOf({ delete: true }) }
]
