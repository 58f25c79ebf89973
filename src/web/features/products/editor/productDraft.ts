import { Record as Records, type Schema, Struct } from "effect"
import { newProduct, type Product, ProductId } from "../../../../domain/catalog/Product.ts"
import type { AmountInput, CompositeInput, TextInput } from "../../../../domain/catalog/ProductFieldRow.ts"
import type { ProductField } from "../../../../domain/catalog/ProductFields.ts"
import { fieldsWithInput, type FieldWithInput } from "../../../../domain/catalog/ProductFieldSets.ts"
import { cutText } from "../../../../domain/Text.ts"
import { uuidV7 } from "../../../../domain/Uuid.ts"
import { amountText, numberText } from "../../../shared/data/typedNumbers.ts"
import { productTexts } from "../productTexts.ts"

/* Form values of a product. Numbers and JSON are text, as typed. */

export type Field = ProductField

type Medium = Product["media"][number]
type Faq = Product["faqs"][number]
type Dimensions = NonNullable<Product["dimensions"]>
type Option = Product["options"][number]
type Opaque = Schema.Schema.Type<typeof Product>["metafields"]

/** Item of a list. Its key is stable while the item is moved or edited. */
interface Item<Stored> {
  readonly key: string
  /** Item in the service, with members that the form does not know. */
  readonly stored?: Stored
}

export interface MediumDraft extends Item<Medium> {
  readonly url: string
  readonly alt: string
  readonly type: string
}

export interface OptionDraft extends Item<Option> {
  readonly name: string
  readonly values: ReadonlyArray<string>
}

export interface FaqDraft extends Item<Faq> {
  readonly question: string
  readonly answer: string
}

/** Text fields of a variant. */
export const VARIANT_TEXTS = ["title", "sku", "barcode"] as const
export const VARIANT_AMOUNTS = ["price", "discountedPrice", "costPrice"] as const
type VariantLine = (typeof VARIANT_TEXTS)[number] | (typeof VARIANT_AMOUNTS)[number]

export interface VariantDraft extends Readonly<Record<VariantLine, string>> {
  /** Id of the variant, or a temporary key. */
  readonly key: string
  /** Initial stock of a new variant. Later changes use the inventory procedure. */
  readonly stock: string
  readonly imageUrl: string
  /** Option values, by option key. */
  readonly choices: Readonly<Record<string, string>>
}

export interface DimensionsDraft {
  readonly stored: Dimensions | null
  readonly length: string
  readonly width: string
  readonly height: string
  readonly unit: string
}

const TEXTS = fieldsWithInput(["text", "title", "lines", "html", "picture", "currency", "country", "productKind"])
const AMOUNTS = fieldsWithInput(["number", "stock"])
const MONEY = fieldsWithInput(["money"])
const JSON_FIELDS = fieldsWithInput(["json"])
const FLAGS = fieldsWithInput(["flag"])

/** Fields that are text in the form. */
export type Line = FieldWithInput<TextInput | AmountInput | "json">
type Flag = FieldWithInput<"flag">
export type Composite = FieldWithInput<CompositeInput>

interface Composites {
  readonly tags: ReadonlyArray<string>
  readonly media: ReadonlyArray<MediumDraft>
  readonly options: ReadonlyArray<OptionDraft>
  readonly variants: ReadonlyArray<VariantDraft>
  readonly faqs: ReadonlyArray<FaqDraft>
  readonly dimensions: DimensionsDraft
}

export type Draft = Readonly<Record<Line, string>> & Readonly<Record<Flag, boolean>> & Pick<Composites, Composite>

/** True for fields that are checked or not. */
export const isFlag = (field: Field): field is Flag => FLAGS.some((flag) => flag === field)

/** Temporary key of a new item. */
export const newItemKey = (): string => `new ${crypto.randomUUID()}`

const text = (value: string | null | undefined) => value ?? ""

const amount = (value: number | null | undefined) => (value === null || value === undefined ? "" : numberText(value))

/** Formats amounts of money in the currency of a product. A new product has none yet. */
const moneyIn = (currency: string) => (value: number | null | undefined) =>
  value === null || value === undefined || currency === "" ? amount(value) : amountText(value, currency)

const json = (value: Opaque) => JSON.stringify(value, undefined, 2)

const variantDraft = (variant: Product["variants"][number], money: ReturnType<typeof moneyIn>): VariantDraft => ({
  key: variant.id,
  title: text(variant.title),
  sku: text(variant.sku),
  barcode: text(variant.barcode),
  price: money(variant.price),
  discountedPrice: money(variant.discountedPrice),
  costPrice: money(variant.costPrice),
  stock: "",
  imageUrl: text(variant.imageUrl),
  choices: variant.options ?? {}
})

/** Option keys are the saved names, because variants refer to options by name. */
const optionDrafts = (options: Product["options"]): ReadonlyArray<OptionDraft> =>
  options.map((stored, index) => ({
    key: options.findIndex(({ name }) => name === stored.name) === index ? stored.name : `${stored.name} ${index}`,
    stored,
    name: stored.name,
    values: stored.values
  }))

/** Form values of a product. */
export const draftOf = (product: Product): Draft => draftWith(product, moneyIn(product.currencyCode))

/** Converts the values of some fields to text. */
const linesOf = <Name extends Field, Value>(
  values: Readonly<Record<Name, Value>>,
  lineOf: (value: Value) => string
): Readonly<Record<Name, string>> => Records.map(values, lineOf)

const draftWith = (product: Product, money: ReturnType<typeof moneyIn>): Draft => ({
  ...linesOf(Struct.pick(product, TEXTS), text),
  ...linesOf(Struct.pick(product, AMOUNTS), amount),
  ...linesOf(Struct.pick(product, MONEY), money),
  ...linesOf(Struct.pick(product, JSON_FIELDS), json),
  ...Struct.pick(product, FLAGS),
  tags: product.tags,
  media: product.media.map((stored, index) => ({
    key: `${index}`,
    stored,
    url: stored.url,
    alt: text(stored.alt),
    type: text(stored.type)
  })),
  options: optionDrafts(product.options),
  variants: product.variants.map((variant) => variantDraft(variant, money)),
  faqs: product.faqs.map((stored, index) => ({
    key: `${index}`,
    stored,
    question: stored.question,
    answer: stored.answer
  })),
  dimensions: {
    stored: product.dimensions,
    length: amount(product.dimensions?.length),
    width: amount(product.dimensions?.width),
    height: amount(product.dimensions?.height),
    unit: text(product.dimensions?.unit)
  }
})

/** Form values of a new product: the defaults of the service. */
export const newDraft: Draft = draftOf(
  newProduct({ name: "" }, { id: ProductId.make(uuidV7(0)), slug: "", at: new Date(0), currencyCode: "" })
)

const MAX_NAME_LENGTH = 255

/**
 * Form values of a copy. Slugs and codes identify one product, and goods in stock exist once, so the copy has its own.
 */
export const copyOf = (product: Product): Draft => {
  const draft = draftOf(product)
  const { copyOf: nameOfCopy } = productTexts.create
  return {
    ...draft,
    name: nameOfCopy(cutText(draft.name, MAX_NAME_LENGTH - nameOfCopy("").length)),
    slug: newDraft.slug,
    sku: newDraft.sku,
    barcode: newDraft.barcode,
    stock: newDraft.stock,
    variants: draft.variants.map((variant) => ({ ...variant, key: newItemKey(), sku: "", barcode: "" }))
  }
}

const variantText = (variant: Draft["variants"][number]) =>
  [
    variant.title,
    ...Object.values(variant.choices),
    variant.sku,
    ...VARIANT_AMOUNTS.map((name) => variant[name]),
    variant.imageUrl
  ]
    .filter((part) => part !== "")
    .join(" · ")

/** Text of a field, for the comparison of two versions. */
export const fieldText = (draft: Draft, field: Field): string => {
  switch (field) {
    case "tags":
      return draft.tags.join(", ")
    case "media":
      return draft.media.map(({ alt, url }) => (alt === "" ? url : `${url} (${alt})`)).join("\n")
    case "options":
      return draft.options.map(({ name, values }) => `${name}: ${values.join(", ")}`).join("\n")
    case "variants":
      return draft.variants.map(variantText).join("\n")
    case "faqs":
      return draft.faqs.map(({ answer, question }) => `${question}\n${answer}`).join("\n")
    case "dimensions":
      return [draft.dimensions.length, draft.dimensions.width, draft.dimensions.height, draft.dimensions.unit]
        .filter((part) => part !== "")
        .join(" × ")
    default:
      return isFlag(field) ? (draft[field] ? productTexts.form.yes : productTexts.form.no) : draft[field]
  }
}
