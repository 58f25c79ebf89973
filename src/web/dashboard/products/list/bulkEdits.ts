import { Data, Effect, Result } from "effect"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import type { JsonObject } from "../../../../domain/json/Json.ts"
import { foldCase } from "../../../../domain/Text.ts"
import {
  type Client,
  type IdempotencyKey,
  performed,
  type ProductId,
  SetInventory,
  type StoreId,
  UpdateProduct
} from "../../../../rpc/Client.ts"
import { parseNumber } from "../../../data/typedNumbers.ts"
import { parseIssues } from "../editor/productInput.ts"
import { productTexts } from "../productTexts.ts"

/** Change that applies to many products. */
export type Change = Data.TaggedEnum<{
  Patch: { readonly patch: UpdateProduct }
  AddTag: { readonly tag: string }
  RemoveTag: { readonly tag: string }
  Adjust: { readonly change: SetInventory }
  Delete: {}
}>
export const Change = Data.taggedEnum<Change>()

/** Bulk edit, with the input it needs. */
export interface BulkEdit {
  readonly name: string
  readonly field?: { readonly label: string; readonly hint?: string }
  /** Keyboard of a number. */
  readonly inputMode?: "decimal" | "text"
  /** Validates the input. */
  readonly parse: (input: string) => Result.Result<Change, string>
}

const decodePatch = decodeWith(UpdateProduct)
const decodeChange = decodeWith(SetInventory)

const firstIssueOf = ({ issues = [] }: { readonly issues?: ReadonlyArray<string> | undefined }) =>
  parseIssues(issues).values().next().value ?? productTexts.bulkEdit.invalid

const patchChange = (fields: JsonObject) =>
  Result.mapBoth(decodePatch(fields, true), { onFailure: firstIssueOf, onSuccess: (patch) => Change.Patch({ patch }) })

/** Normalizes the tag as the service does. */
const tagChange = (input: string, makeChange: (change: { readonly tag: string }) => Change) =>
  Result.mapBoth(decodePatch({ tags: [input] }, true), {
    onFailure: firstIssueOf,
    onSuccess: ({ tags: [tag = input] = [] }) => makeChange({ tag })
  })

const stockChange = (input: string): Result.Result<Change, string> =>
  Result.flatMap(parseNumber(input), (adjust) =>
    Result.mapBoth(decodeChange({ adjust }, true), {
      onFailure: firstIssueOf,
      onSuccess: (change) => Change.Adjust({ change })
    })
  )

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: productTexts.bulkEdit.activate, parse: () => patchChange({ isActive: true }) },
  { name: productTexts.bulkEdit.deactivate, parse: () => patchChange({ isActive: false }) },
  {
    name: productTexts.bulkEdit.setPrice,
    field: { label: productTexts.bulkEdit.newPrice, hint: productTexts.bulkEdit.newPriceHint },
    inputMode: "decimal",
    parse: (input) => Result.flatMap(parseNumber(input), (price) => patchChange({ price }))
  },
  {
    name: productTexts.bulkEdit.adjustStock,
    field: { label: productTexts.stock.adjust, hint: productTexts.stock.adjustHint },
    // The decimal keyboard of iPhones has no minus sign.
    inputMode: "text",
    parse: stockChange
  },
  {
    name: productTexts.bulkEdit.addTag,
    field: { label: productTexts.bulkEdit.tag },
    parse: (input) => tagChange(input, Change.AddTag)
  },
  {
    name: productTexts.bulkEdit.removeTag,
    field: { label: productTexts.bulkEdit.tag },
    parse: (input) => tagChange(input, Change.RemoveTag)
  },
  {
    name: productTexts.bulkEdit.setVendor,
    field: { label: productTexts.fields.vendorName },
    parse: (input) => patchChange({ vendorName: input })
  },
  {
    name: productTexts.bulkEdit.setCategory,
    field: { label: productTexts.fields.category },
    parse: (input) => patchChange({ category: input })
  },
  {
    name: productTexts.bulkEdit.setProductType,
    field: { label: productTexts.fields.productType },
    parse: (input) => patchChange({ productType: input })
  },
  { name: productTexts.bulkEdit.delete, parse: () => Result.succeed(Change.Delete()) }
]

/** Adds or removes a tag, ignoring case. */
const tagsAfter = (tags: ReadonlyArray<string>, { _tag, tag }: Extract<Change, { readonly tag: string }>) => {
  const others = tags.filter((one) => foldCase(one) !== foldCase(tag))
  if (_tag === "RemoveTag") return others
  return others.length === tags.length ? [...tags, tag] : tags
}

/**
 * Applies a change to one product. Tags are merged with the current ones and protected by the version, so that none is
 * lost.
 */
export const applyChange = (
  client: Client,
  storeId: StoreId,
  id: ProductId,
  change: Change,
  idempotencyKey: IdempotencyKey
) => {
  const target = { storeId, id, idempotencyKey }
  const retag = (tagEdit: Extract<Change, { readonly tag: string }>) =>
    Effect.gen(function* () {
      const product = yield* client.products.get({ storeId, id })
      const tags = tagsAfter(product.tags, tagEdit)
      if (tags.length === product.tags.length) return product
      return yield* performed(client.products.update({ ...target, expectedVersion: product.version, patch: { tags } }))
    }).pipe(Effect.retry({ times: 3, while: ({ _tag }) => _tag === "VersionMismatch" }))

  return Change.$match(change, {
    Patch: ({ patch }) => performed(client.products.update({ ...target, patch })),
    AddTag: retag,
    RemoveTag: retag,
    Adjust: ({ change: stock }) => performed(client.inventory.change({ ...target, change: stock })),
    Delete: () => performed(client.products.delete(target))
  })
}
