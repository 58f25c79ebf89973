import { Result } from "effect"
import type { Proposal } from "../../../domain/access/Proposals.ts"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import type { Product } from "../../../domain/catalog/Product.ts"
import { isObject, type JsonObject } from "../../../domain/json/Json.ts"
import { fieldName } from "../../shared/data/differences.ts"
import { parseNumber } from "../../shared/data/typedNumbers.ts"
import { type Draft as CollectionDraft, draftOf as collectionDraftOf } from "../collections/collectionDraft.ts"
import { type Draft as ProductDraft, draftOf as productDraftOf, type Field } from "../products/editor/productDraft.ts"
import { FORM_FIELDS } from "../products/editor/productFields.ts"
import type { Problems } from "../products/editor/productInput.ts"

/* Forms of the proposed values that a member can edit while approving. */

/** Member of the payload with the proposed values. */
type ContentName = "product" | "collection" | "patch" | "change"

const CONTENT_NAMES: ReadonlyArray<ContentName> = ["product", "collection", "patch", "change"]

interface FormContent {
  readonly name: ContentName
  readonly values: JsonObject
  /** Labels of proposed fields without a control. They stay as proposed. */
  readonly kept: ReadonlyArray<string>
}

/** Fields of collections with a control. */
const COLLECTION_FIELDS = [
  "title",
  "description",
  "isActive",
  "imageUrl",
  "slug",
  "seoTitle",
  "metaDescription"
] as const satisfies ReadonlyArray<keyof CollectionDraft>

export type CollectionField = (typeof COLLECTION_FIELDS)[number]

/** Drafts have the values of the resource after the proposed write. */
export type ProposalForm = FormContent &
  (
    | { readonly _tag: "Product"; readonly fields: ReadonlyArray<Field>; readonly draft: ProductDraft }
    | { readonly _tag: "Collection"; readonly fields: ReadonlyArray<CollectionField>; readonly draft: CollectionDraft }
    | { readonly _tag: "Stock"; readonly field: "stock" | "adjust"; readonly quantity: number }
  )

/** Options and variants belong together, and new variants have no ids yet. */
const WITHOUT_CONTROL: ReadonlySet<Field> = new Set(["options", "variants"])

const PRODUCT_FIELDS = FORM_FIELDS.filter((field) => !WITHOUT_CONTROL.has(field))

const stockForm = (content: Omit<FormContent, "kept">): ProposalForm | undefined => {
  const { adjust, stock } = content.values
  if (typeof adjust === "number") return { _tag: "Stock", ...content, kept: [], field: "adjust", quantity: adjust }
  return typeof stock === "number"
    ? { _tag: "Stock", ...content, kept: [], field: "stock", quantity: stock }
    : undefined
}

/** Returns the form of a proposal, if it has values with a control. `resource`: the result of its dry run. */
export const formOf = (
  { payload }: typeof Proposal.Type,
  resource: Product | Collection | { readonly deleted: true }
): ProposalForm | undefined => {
  const name = CONTENT_NAMES.find((one) => isObject(payload[one]))
  const values = name === undefined ? undefined : payload[name]
  if (name === undefined || !isObject(values) || "deleted" in resource) return undefined
  if (name === "change") return stockForm({ name, values })
  const proposed = Object.keys(values)
  const contentFor = (fields: ReadonlyArray<string>) => ({
    name,
    values,
    kept: proposed.filter((field) => !fields.includes(field)).map(fieldName)
  })
  if ("stock" in resource) {
    const fields = PRODUCT_FIELDS.filter((field) => proposed.includes(field))
    const draft = productDraftOf(resource)
    return fields.length === 0 ? undefined : { _tag: "Product", ...contentFor(fields), fields, draft }
  }
  const fields = COLLECTION_FIELDS.filter((field) => proposed.includes(field))
  const draft = collectionDraftOf(resource)
  return fields.length === 0 ? undefined : { _tag: "Collection", ...contentFor(fields), fields, draft }
}

/** Payload of a proposal with edited values. */
export const withEdits = (
  { payload }: typeof Proposal.Type,
  { name, values }: ProposalForm,
  edits: object
): JsonObject => ({ ...payload, [name]: { ...values, ...edits } })

/** Validates an edited quantity. */
export const parseQuantity = (field: "stock" | "adjust", typed: string): Result.Result<JsonObject, Problems> =>
  parseNumber(typed).pipe(
    Result.map((quantity) => ({ [field]: quantity })),
    Result.mapError((problem): Problems => new Map([["quantity", problem]]))
  )
