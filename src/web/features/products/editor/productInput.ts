import { Predicate, Result, Struct } from "effect"
import type { BadRequest } from "../../../../domain/BadRequest.ts"
import { PRODUCT_FIELDS } from "../../../../domain/catalog/ProductFields.ts"
import { isNullable } from "../../../../domain/catalog/ProductFieldSets.ts"
import { repeatedOptions } from "../../../../domain/catalog/ProductParts.ts"
import { CreateProduct, UpdateProduct } from "../../../../domain/catalog/Product.ts"
import { decodeWith } from "../../../../domain/json/Decoder.ts"
import { canonical, type JsonObject } from "../../../../domain/json/Json.ts"
import { SetInventory } from "../../../../rpc/Client.ts"
import { problemText } from "../../../shared/data/errorMessages.ts"
import { differences } from "../../../shared/data/differences.ts"
import { parseAmount, parseNumber, parseWhole } from "../../../shared/data/typedNumbers.ts"
import { productTexts } from "../productTexts.ts"
import { parseJson } from "./jsonInput.ts"
import {
  type Composite,
  type Draft,
  type Field,
  isFlag,
  type Line,
  newDraft,
  VARIANT_AMOUNTS,
  VARIANT_TEXTS,
  type VariantDraft
} from "./productDraft.ts"

/* Converts form values to requests. Contains only changed fields. */

/** Validation messages by path, such as `variants.0.price`. */
export type Problems = ReadonlyMap<string, string>

const ISSUE = /^(?:product|patch)\.([^:]+): (.*)$|^([^:]+): (.*)$/s

/** Parses lines `path: reason`. Drops the name of the payload from the path. */
export const parseIssues = (lines: ReadonlyArray<string>): Problems =>
  new Map(
    lines.map((line) => {
      const [, payloadPath, payloadReason = "", path, reason = ""] = ISSUE.exec(line) ?? []
      return payloadPath === undefined
        ? ([path ?? "", path === undefined ? line : problemText(reason)] as const)
        : [payloadPath, problemText(payloadReason)]
    })
  )

const CANNOT_CLEAR = productTexts.form.cannotClear

/** Parses form values and collects the validation messages. `stored`: values that the form was opened with. */
const makeReader = (currency: string, stored: Draft) => {
  const problems = new Map<string, string>()
  const collect =
    (path: string) =>
    <A>(parsed: Result.Result<A, string>): A | undefined =>
      Result.getOrElse(parsed, (problem) => {
        problems.set(path, problem)
        return undefined
      })
  const amount = (path: string, text: string): number | undefined => collect(path)(parseNumber(text))
  return {
    problems,
    stored,
    amount,
    pieces: (path: string, text: string) => collect(path)(parseWhole(text)),
    /** Amount in the currency of the product. */
    money: (path: string, text: string, before: string | undefined) =>
      collect(path)(parseAmount(text, currency, before)),
    json: (path: string, text: string) => collect(path)(parseJson(text)),
    reject: (path: string, problem: string) => void problems.set(path, problem)
  }
}

type Reader = ReturnType<typeof makeReader>

const textOrNull = (text: string) => (text === "" ? null : text)

/** Object with one member, or empty if there is no value. */
const member = (name: string, value: unknown) => (value === "" || value === undefined ? {} : { [name]: value })

const dimensionsInput = ({ dimensions: { height, stored, length, unit, width } }: Draft, reader: Reader) => {
  const input = {
    ...(stored === null ? {} : Struct.omit(stored, ["length", "width", "height", "unit"])),
    ...(length === "" ? {} : member("length", reader.amount("dimensions.length", length))),
    ...(width === "" ? {} : member("width", reader.amount("dimensions.width", width))),
    ...(height === "" ? {} : member("height", reader.amount("dimensions.height", height))),
    ...member("unit", unit)
  }
  return Object.keys(input).length === 0 ? null : input
}

/** Options of a variant, by the current option names. */
const choicesOf = ({ choices }: VariantDraft, { options }: Draft) =>
  Object.fromEntries(
    Object.entries(choices).flatMap(([key, choice]) =>
      choice === "" ? [] : [[options.find((option) => option.key === key)?.name ?? key, choice]]
    )
  )

/** Changed fields of a variant. The service keeps the others. */
const variantInput = (variant: VariantDraft, draft: Draft, base: Draft, index: number, reader: Reader): JsonObject => {
  const before = base.variants.find(({ key }) => key === variant.key)
  const stored = reader.stored.variants.find(({ key }) => key === variant.key)
  const input: Record<string, unknown> = before === undefined ? {} : { id: variant.key }
  for (const name of VARIANT_TEXTS) if (variant[name] !== (before?.[name] ?? "")) input[name] = variant[name]
  const amounts = before === undefined ? [...VARIANT_AMOUNTS, "stock" as const] : VARIANT_AMOUNTS
  for (const name of amounts) {
    if (variant[name] === (before?.[name] ?? "")) continue
    const path = `variants.${index}.${name}`
    if (variant[name].trim() === "") reader.reject(path, CANNOT_CLEAR)
    else {
      input[name] =
        name === "stock" ? reader.pieces(path, variant.stock) : reader.money(path, variant[name], stored?.[name])
    }
  }
  if (variant.imageUrl !== (before?.imageUrl ?? "")) input["imageUrl"] = textOrNull(variant.imageUrl)
  const choices = choicesOf(variant, draft)
  const choicesBefore = before === undefined ? {} : choicesOf(before, base)
  if (canonical(choices) !== canonical(choicesBefore)) input["options"] = choices
  return input
}

/** Converts a text of the form. */
const lineInput = (field: Line, draft: Draft, reader: Reader) => {
  const text = draft[field]
  switch (PRODUCT_FIELDS[field].input.kind) {
    case "number":
      return isNullable(field) && text.trim() === "" ? null : reader.amount(field, text)
    case "money":
      return isNullable(field) && text.trim() === "" ? null : reader.money(field, text, reader.stored[field])
    case "stock":
      return reader.pieces(field, text)
    case "json":
      return reader.json(field, text)
    case "text":
    case "title":
    case "lines":
    case "html":
    case "picture":
    case "currency":
    case "country":
    case "productKind":
      return isNullable(field) && text === "" ? null : text
  }
}

/** Converts fields that are more than a text or a flag. */
const compositesOf = (draft: Draft, base: Draft, reader: Reader) =>
  ({
    tags: () => draft.tags,
    media: () =>
      draft.media.map(({ alt, stored, type, url }) => ({
        ...(stored === undefined ? {} : Struct.omit(stored, ["alt", "type"])),
        url,
        ...member("type", type),
        ...member("alt", alt)
      })),
    options: () => draft.options.map(({ stored, name, values }) => ({ ...stored, name, values })),
    variants: () => draft.variants.map((variant, index) => variantInput(variant, draft, base, index, reader)),
    faqs: () => draft.faqs.map(({ answer, stored, question }) => ({ ...stored, question, answer })),
    dimensions: () => dimensionsInput(draft, reader)
  }) satisfies Record<Composite, () => unknown>

/** True if a sale price is no discount. Texts that are no number have their own message. */
const isNoDiscount = (salePrice: string, price: string) => {
  const [sale, full] = [parseNumber(salePrice), parseNumber(price)]
  return Result.isSuccess(sale) && Result.isSuccess(full) && sale.success >= full.success
}

/** Rejects changes that the service accepts, because apps may rely on them, but that make no sense to shoppers. */
const rejectNonsense = (draft: Draft, base: Draft, fields: ReadonlyArray<Field>, { reject }: Reader) => {
  const isPriceChanged = fields.includes("price") || fields.includes("discountedPrice")
  if (isPriceChanged && isNoDiscount(draft.discountedPrice, draft.price)) {
    reject("discountedPrice", productTexts.form.noDiscount)
  }
  if (fields.includes("options")) {
    for (const [index, { name }] of draft.options.entries()) {
      if (name.trim() === "") reject(`options.${index}.name`, productTexts.options.missingName)
    }
    for (const { path, text } of repeatedOptions(draft.options)) {
      const { repeatedName, repeatedValue } = productTexts.options
      reject(`options.${path.join(".")}`, path.includes("name") ? repeatedName : repeatedValue(text))
    }
  }
  if (!fields.includes("variants")) return
  for (const [index, variant] of draft.variants.entries()) {
    const before = base.variants.find(({ key }) => key === variant.key)
    const isChanged = variant.price !== before?.price || variant.discountedPrice !== before.discountedPrice
    if (isChanged && isNoDiscount(variant.discountedPrice, variant.price || draft.price)) {
      reject(`variants.${index}.discountedPrice`, productTexts.form.noDiscount)
    }
  }
}

/** Validates these fields. Fails with all messages. */
const decoder =
  <A>(decode: (input: unknown, strict: boolean) => Result.Result<A, BadRequest>) =>
  (
    base: Draft,
    draft: Draft,
    fields: ReadonlyArray<Field>,
    { currency, stored }: { readonly currency: string; readonly stored: Draft }
  ): Result.Result<A, Problems> => {
    const reader = makeReader(currency, stored)
    const composites = compositesOf(draft, base, reader)
    const isComposite = (field: Field): field is Composite => Object.hasOwn(composites, field)
    const inputOf = (field: Field): unknown => {
      if (isFlag(field)) return draft[field]
      return isComposite(field) ? composites[field]() : lineInput(field, draft, reader)
    }
    const input = Object.fromEntries(fields.map((field) => [field, inputOf(field)]))
    rejectNonsense(draft, base, fields, reader)
    const decoded = Result.mapError(decode(input, true), ({ issues = [] }) => parseIssues(issues))
    if (reader.problems.size === 0) return decoded
    // A value that cannot be parsed is missing for the schema, whose message is less specific.
    return Result.fail(new Map([...(Result.isFailure(decoded) ? decoded.failure : []), ...reader.problems]))
  }

const toPatch = decoder(decodeWith(UpdateProduct))
const toProduct = decoder(decodeWith(CreateProduct))

/** Variants refer to options by name, so a renamed option changes them too. */
const isRenamed = (base: Draft, draft: Draft) =>
  draft.options.some(({ key, name }) => base.options.some((option) => option.key === key && option.name !== name))

/** Validates the changes to a product. */
export const patchOf = (base: Draft, draft: Draft): Result.Result<UpdateProduct, Problems> => {
  const fields = new Set(differences(base, draft))
  if (isRenamed(base, draft)) fields.add("variants")
  return toPatch(base, draft, [...fields], { currency: draft.currencyCode, stored: base })
}

/**
 * Validates a new product. `initial`: values that the form was opened with, such as those of a copy. `storeCurrency`: that of
 * a product without its own.
 */
export const productInput = (
  draft: Draft,
  initial = newDraft,
  storeCurrency = ""
): Result.Result<CreateProduct, Problems> =>
  toProduct(
    newDraft,
    draft,
    [...new Set<Field>(["name", ...differences(newDraft, draft)])].filter(
      // The form hides the stock of a product that variants have instead.
      (field) => field !== "stock" || draft.variants.length === 0
    ),
    { currency: draft.currencyCode || storeCurrency, stored: initial }
  )

export const NO_PROBLEMS: Problems = new Map()

/** Validation messages of a service error, by field. */
export const problemsIn = (error: unknown): Problems => {
  if (Predicate.isTagged(error, "SlugTaken") && error instanceof Error) return new Map([["slug", error.message]])
  const issues = Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues : []
  return parseIssues(issues.filter(Predicate.isString))
}

/** True if the form shows the error itself, at a field or as a conflict. */
export const isShownInForm = (error: unknown): boolean =>
  problemsIn(error).size > 0 || Predicate.isTagged(error, "VersionMismatch")

/** Relative or absolute stock change. */
export interface StockChange {
  readonly mode: "adjust" | "count"
  readonly input: string
  readonly reason: string
  /** Stock when the dialog was shown. An absolute change fails if it differs by then. */
  readonly shown: number
  readonly variantId?: string | undefined
}

const decodeChange = decodeWith(SetInventory)

const quantityOf = ({ shown, mode }: StockChange, quantity: number): JsonObject =>
  mode === "adjust" ? { adjust: quantity } : { stock: quantity, expectedStock: shown }

/** Goods are counted in pieces, unless their stock already has decimals, as that of fabric by the meter. */
const parserFor = (stock: number) => (Number.isInteger(stock) ? parseWhole : parseNumber)

/** Validates the change. Messages have the keys `input` and `reason`. */
export const parseStockChange = (change: StockChange): Result.Result<SetInventory, Problems> => {
  const { reason, input, shown, variantId } = change
  return Result.flatMap(
    Result.mapError(parserFor(shown)(input), (problem): Problems => new Map([["input", problem]])),
    (quantity) =>
      Result.mapError(
        decodeChange(
          {
            ...quantityOf(change, quantity),
            ...(variantId === undefined ? {} : { variantId }),
            ...(reason.trim() === "" ? {} : { reason: reason.trim() })
          },
          true
        ),
        ({ issues = [] }) =>
          new Map([...parseIssues(issues)].map(([path, problem]) => [path === "reason" ? path : "input", problem]))
      )
  )
}
