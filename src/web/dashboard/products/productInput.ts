import { Result, Struct } from "effect"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { decodeWith } from "../../../domain/Decoder.ts"
import { canonical, type JsonNumber, type JsonObject } from "../../../domain/Json.ts"
import { CreateProduct, UpdateProduct } from "../../../domain/catalog/Product.ts"
import { differences } from "../../data/merge.ts"
import { parseJson, parseNumber } from "../../data/parseInput.ts"
import { type Draft, type Field, newDraft, VARIANT_AMOUNTS, VARIANT_TEXTS, type VariantDraft } from "./productDraft.ts"

/* What a form asks the service to do. Only what differs from what it began with is sent. */

/** What is wrong, by where: `variants.0.price`. */
export type Problems = ReadonlyMap<string, string>

const ISSUE = /^(?:product|patch)\.([^:]+): (.*)$|^([^:]+): (.*)$/s

/** What is wrong, of lines as the service and its schemas write them: `path: reason`, of which the call's member is left out. */
export const parseIssues = (lines: ReadonlyArray<string>): Problems =>
  new Map(
    lines.map((line) => {
      const [, inCall, ofCall = "", path, reason = ""] = ISSUE.exec(line) ?? []
      return inCall === undefined ? ([path ?? "", path === undefined ? line : reason] as const) : [inCall, ofCall]
    })
  )

const CANNOT_CLEAR = "cannot be cleared. Enter 0, or remove the variant and add it again"

/** Reads what was typed, and keeps what is wrong with it. */
const makeReader = () => {
  const problems = new Map<string, string>()
  const keep =
    (path: string) =>
    <A>(read: Result.Result<A, string>): A | undefined =>
      Result.getOrElse(read, (problem) => {
        problems.set(path, problem)
        return undefined
      })
  const amount = (path: string, text: string): JsonNumber | undefined => keep(path)(parseNumber(text))
  return {
    problems,
    amount,
    amountOrNull: (path: string, text: string) => (text.trim() === "" ? null : amount(path, text)),
    json: (path: string, text: string) => keep(path)(parseJson(text)),
    reject: (path: string, problem: string) => void problems.set(path, problem)
  }
}

type Reader = ReturnType<typeof makeReader>

const textOrNull = (text: string) => (text === "" ? null : text)

/** The members that are said, beside those that the form does not know. */
const member = (name: string, value: unknown) => (value === "" || value === undefined ? {} : { [name]: value })

const dimensionsInput = ({ dimensions: { height, stored, length, unit, width } }: Draft, read: Reader) => {
  const input = {
    ...(stored === null ? {} : Struct.omit(stored, ["length", "width", "height", "unit"])),
    ...(length === "" ? {} : member("length", read.amount("dimensions.length", length))),
    ...(width === "" ? {} : member("width", read.amount("dimensions.width", width))),
    ...(height === "" ? {} : member("height", read.amount("dimensions.height", height))),
    ...member("unit", unit)
  }
  return Object.keys(input).length === 0 ? null : input
}

/** A variant's choices, by the names that the options have now. */
const choicesOf = ({ choices }: VariantDraft, { options }: Draft) =>
  Object.fromEntries(
    Object.entries(choices).flatMap(([key, choice]) =>
      choice === "" ? [] : [[options.find((option) => option.key === key)?.name ?? key, choice]]
    )
  )

/** Of a variant that there is, only what is new to it: the service keeps the rest. */
const variantInput = (variant: VariantDraft, draft: Draft, base: Draft, index: number, read: Reader): JsonObject => {
  const before = base.variants.find(({ key }) => key === variant.key)
  const input: Record<string, unknown> = before === undefined ? {} : { id: variant.key }
  for (const name of VARIANT_TEXTS) if (variant[name] !== (before?.[name] ?? "")) input[name] = variant[name]
  const amounts = before === undefined ? [...VARIANT_AMOUNTS, "stock" as const] : VARIANT_AMOUNTS
  for (const name of amounts) {
    if (variant[name] === (before?.[name] ?? "")) continue
    const path = `variants.${index}.${name}`
    if (variant[name].trim() === "") read.reject(path, CANNOT_CLEAR)
    else input[name] = read.amount(path, variant[name])
  }
  const choices = choicesOf(variant, draft)
  const had = before === undefined ? {} : choicesOf(before, base)
  if (canonical(choices) !== canonical(had)) input["options"] = choices
  return input
}

/** Every field as the service takes it. */
const inputOf = (draft: Draft, base: Draft, read: Reader) =>
  ({
    name: () => draft.name,
    slug: () => draft.slug,
    price: () => read.amount("price", draft.price),
    discountedPrice: () => read.amountOrNull("discountedPrice", draft.discountedPrice),
    costPrice: () => read.amountOrNull("costPrice", draft.costPrice),
    stock: () => read.amount("stock", draft.stock),
    currencyCode: () => draft.currencyCode,
    isActive: () => draft.isActive,
    onSale: () => draft.onSale,
    taxable: () => draft.taxable,
    trackInventory: () => draft.trackInventory,
    description: () => textOrNull(draft.description),
    vendorName: () => textOrNull(draft.vendorName),
    category: () => textOrNull(draft.category),
    categoryId: () => textOrNull(draft.categoryId),
    categoryName: () => textOrNull(draft.categoryName),
    productType: () => textOrNull(draft.productType),
    productKind: () => draft.productKind,
    sku: () => textOrNull(draft.sku),
    barcode: () => textOrNull(draft.barcode),
    imageUrl: () => textOrNull(draft.imageUrl),
    tags: () => draft.tags,
    media: () =>
      draft.media.map(({ alt, stored, type, url }) => ({
        ...(stored === undefined ? {} : Struct.omit(stored, ["alt", "type"])),
        url,
        ...member("type", type),
        ...member("alt", alt)
      })),
    options: () => draft.options.map(({ stored, name, values }) => ({ ...stored, name, values })),
    variants: () => draft.variants.map((variant, index) => variantInput(variant, draft, base, index, read)),
    faqs: () => draft.faqs.map(({ answer, stored, question }) => ({ ...stored, question, answer })),
    metafields: () => read.json("metafields", draft.metafields),
    customFields: () => read.json("customFields", draft.customFields),
    weight: () => read.amountOrNull("weight", draft.weight),
    dimensions: () => dimensionsInput(draft, read),
    countryOfOrigin: () => textOrNull(draft.countryOfOrigin),
    hsCode: () => textOrNull(draft.hsCode),
    seoTitle: () => textOrNull(draft.seoTitle),
    seoDescription: () => textOrNull(draft.seoDescription),
    metaDescription: () => textOrNull(draft.metaDescription)
  }) satisfies Record<Field, () => unknown>

/** What is sent of these fields, or all that is wrong with them: nothing is sent then. */
const decoder =
  <A>(decode: (given: unknown, strict: boolean) => Result.Result<A, BadRequest>) =>
  (base: Draft, draft: Draft, fields: ReadonlyArray<Field>): Result.Result<A, Problems> => {
    const read = makeReader()
    const members = inputOf(draft, base, read)
    const input = Object.fromEntries(fields.map((field) => [field, members[field]()]))
    const decoded = Result.mapError(decode(input, true), ({ issues = [] }) => parseIssues(issues))
    if (read.problems.size === 0) return decoded
    // What could not be read is missing to the schema, which says less of it.
    return Result.fail(new Map([...(Result.isFailure(decoded) ? decoded.failure : []), ...read.problems]))
  }

const toPatch = decoder(decodeWith(UpdateProduct))
const toProduct = decoder(decodeWith(CreateProduct))

/** Variants say their choices by the names of options: where an option is called otherwise, so do they. */
const isRenamed = (base: Draft, draft: Draft) =>
  draft.options.some(({ key, name }) => base.options.some((option) => option.key === key && option.name !== name))

/** What changes a product into what the form says. */
export const patchOf = (base: Draft, draft: Draft): Result.Result<UpdateProduct, Problems> => {
  const fields = new Set(differences(base, draft))
  if (isRenamed(base, draft)) fields.add("variants")
  return toPatch(base, draft, [...fields])
}

/** What makes a product as the form says. */
export const productInput = (draft: Draft): Result.Result<CreateProduct, Problems> =>
  toProduct(newDraft, draft, [...new Set<Field>(["name", ...differences(newDraft, draft)])])
