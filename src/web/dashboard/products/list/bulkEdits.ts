import { Result } from "effect"
import { Edit } from "../../../../domain/changeSets/Edit.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { parseNumber } from "../../../data/typedNumbers.ts"
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
    parse: (input) => Result.flatMap(parseNumber(input), (add) => editOf({ stock: { add } }))
  },
  {
    name: productTexts.bulkEdit.addTag,
    field: { label: productTexts.bulkEdit.tag },
    parse: (input) => editOf({ tags: { add: [input] } })
  },
  {
    name: productTexts.bulkEdit.removeTag,
    field: { label: productTexts.bulkEdit.tag },
    parse: (input) => editOf({ tags: { remove: [input] } })
  },
  {
    name: productTexts.bulkEdit.setVendor,
    field: { label: productTexts.fields.vendorName },
    parse: (input) => patchOf({ vendorName: input })
  },
  {
    name: productTexts.bulkEdit.setCategory,
    field: { label: productTexts.fields.category },
    parse: (input) => patchOf({ category: input })
  },
  {
    name: productTexts.bulkEdit.setProductType,
    field: { label: productTexts.fields.productType },
    parse: (input) => patchOf({ productType: input })
  },
  { name: productTexts.bulkEdit.delete, parse: () => editOf({ delete: true }) }
]
