import { Result } from "effect"
import { Edit } from "../../../../domain/changeSets/Edit.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { parseNumber, parseWhole } from "../../../data/typedNumbers.ts"
import { parseIssues } from "../editor/productInput.ts"
import { productTexts } from "../productTexts.ts"

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
    ({ issues = [] }) => parseIssues(issues).values().next().value ?? productTexts.bulkEdit.invalid
  )

/** Splits tags at commas. */
const tagsOf = (input: string, edit: (tags: ReadonlyArray<string>) => Result.Result<Edit, string>) => {
  const tags = input
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")
  return tags.length === 0 ? Result.fail(productTexts.bulkEdit.missingTag) : edit(tags)
}

/** An empty text is no value, as in the product editor. */
const textOrNull = (input: string) => (input.trim() === "" ? null : input)

const patchOf = (patch: JsonObject) => editOf({ patch })

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: productTexts.bulkEdit.activate, parse: () => patchOf({ isActive: true }) },
  { name: productTexts.bulkEdit.deactivate, parse: () => patchOf({ isActive: false }) },
  {
    name: productTexts.bulkEdit.setPrice,
    field: { label: productTexts.bulkEdit.newPrice, hint: productTexts.bulkEdit.newPriceHint },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseNumber(input), (price) => patchOf({ price }))
  },
  {
    name: productTexts.bulkEdit.adjustStock,
    field: { label: productTexts.stock.adjust, hint: productTexts.stock.adjustHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    parse: (input) => Result.flatMap(parseWhole(input), (add) => editOf({ stock: { add } }))
  },
  {
    name: productTexts.bulkEdit.addTag,
    field: { label: productTexts.bulkEdit.tag, hint: productTexts.form.tagsHint },
    parse: (input) => tagsOf(input, (add) => editOf({ tags: { add } }))
  },
  {
    name: productTexts.bulkEdit.removeTag,
    field: { label: productTexts.bulkEdit.tag, hint: productTexts.form.tagsHint },
    // Apps can store a tag with a comma.
    parse: (input) => tagsOf(input, (remove) => editOf({ tags: { remove: [...remove, input.trim()] } }))
  },
  {
    name: productTexts.bulkEdit.setVendor,
    field: { label: productTexts.fields.vendorName, hint: productTexts.bulkEdit.clearHint },
    parse: (input) => patchOf({ vendorName: textOrNull(input) })
  },
  {
    name: productTexts.bulkEdit.setCategory,
    field: { label: productTexts.fields.category, hint: productTexts.bulkEdit.clearHint },
    parse: (input) => patchOf({ category: textOrNull(input) })
  },
  {
    name: productTexts.bulkEdit.setProductType,
    field: { label: productTexts.fields.productType, hint: productTexts.bulkEdit.clearHint },
    parse: (input) => patchOf({ productType: textOrNull(input) })
  },
  { name: productTexts.bulkEdit.delete, parse: () => editOf({ delete: true }) }
]
