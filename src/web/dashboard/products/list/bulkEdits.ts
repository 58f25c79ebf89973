import { Data, Effect, Result } from "effect"
import { decodeWith } from "../../../../domain/Decoder.ts"
import type { JsonObject } from "../../../../domain/Json.ts"
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
import { parseNumber } from "../../../data/parseInput.ts"
import { parseIssues } from "../editor/productInput.ts"

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
  /** Validates the input. */
  readonly read: (typed: string) => Result.Result<Change, string>
}

const decodePatch = decodeWith(UpdateProduct)
const decodeChange = decodeWith(SetInventory)

const firstIssueOf = ({ issues = [] }: { readonly issues?: ReadonlyArray<string> | undefined }) =>
  parseIssues(issues).values().next().value ?? "is not valid"

const patchChange = (members: JsonObject) =>
  Result.mapBoth(decodePatch(members, true), { onFailure: firstIssueOf, onSuccess: (patch) => Change.Patch({ patch }) })

/** Normalizes the tag as the service does. */
const tagChange = (typed: string, makeChange: (change: { readonly tag: string }) => Change) =>
  Result.mapBoth(decodePatch({ tags: [typed] }, true), {
    onFailure: firstIssueOf,
    onSuccess: ({ tags: [tag = typed] = [] }) => makeChange({ tag })
  })

const stockChange = (typed: string): Result.Result<Change, string> =>
  Result.flatMap(parseNumber(typed), (adjust) =>
    Result.mapBoth(decodeChange({ adjust }, true), {
      onFailure: firstIssueOf,
      onSuccess: (change) => Change.Adjust({ change })
    })
  )

export const bulkEdits: ReadonlyArray<BulkEdit> = [
  { name: "Set as active", read: () => patchChange({ isActive: true }) },
  { name: "Set as inactive", read: () => patchChange({ isActive: false }) },
  {
    name: "Set price",
    field: { label: "New price", hint: "In the currency of each product." },
    read: (typed) => Result.flatMap(parseNumber(typed), (price) => patchChange({ price }))
  },
  {
    name: "Adjust stock",
    field: { label: "Adjust by", hint: "Use a negative number to reduce the stock, such as -2." },
    read: stockChange
  },
  { name: "Add tag", field: { label: "Tag" }, read: (typed) => tagChange(typed, Change.AddTag) },
  { name: "Remove tag", field: { label: "Tag" }, read: (typed) => tagChange(typed, Change.RemoveTag) },
  { name: "Set vendor", field: { label: "Vendor" }, read: (typed) => patchChange({ vendorName: typed }) },
  { name: "Set category", field: { label: "Category" }, read: (typed) => patchChange({ category: typed }) },
  { name: "Set product type", field: { label: "Product type" }, read: (typed) => patchChange({ productType: typed }) },
  { name: "Delete", read: () => Result.succeed(Change.Delete()) }
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
