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
  /** Validates the input. */
  readonly parse: (input: string) => Result.Result<Edit, string>
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

const patchOf = (patch: JsonObject) => editOf({ patch })

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: bulkEditTexts.activate, parse: () => patchOf({ isActive: true }) },
  { name: bulkEditTexts.deactivate, parse: () => patchOf({ isActive: false }) },
  {
    name: bulkEditTexts.setPrice,
    field: { label: bulkEditTexts.newPrice, hint: bulkEditTexts.newPriceHint },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseNumber(input), (price) => patchOf({ price }))
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
  { name: bulkEditTexts.delete, parse: () => editOf({ delete: true }) }
]
