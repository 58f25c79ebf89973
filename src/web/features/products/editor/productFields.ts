import { isSame } from "../../../shared/data/differences.ts"
import type { Uploads } from "../../files/uploads.ts"
import { type Draft, type Field, newDraft } from "./productDraft.ts"
import type { Problems } from "./productInput.ts"
import { productTexts } from "../productTexts.ts"

/** Values and validation messages of a product form. */
export interface FormState {
  readonly draft: Draft
  readonly problems: Problems
  readonly edit: (fields: Partial<Draft>) => void
  /** Uploads of pictures. Undefined where pictures cannot be uploaded. */
  readonly uploads?: Uploads
}

export type CardName =
  "basics" | "pricing" | "inventory" | "variants" | "seo" | "faqs" | "shipping" | "advanced" | "status" | "organization"

interface CardRow {
  readonly name: CardName
  readonly title?: string
  /** Button that opens the card. A card without it is always open. */
  readonly add?: string
}

const { addToCard, cards } = productTexts

/** Cards of the wide column, most used first. */
export const MAIN_CARDS: ReadonlyArray<CardRow> = [
  { name: "basics" },
  { name: "pricing", title: cards.pricing },
  { name: "inventory", title: cards.inventory },
  { name: "variants", title: cards.variants, add: addToCard.variants },
  { name: "seo", title: cards.seo, add: addToCard.seo },
  { name: "faqs", title: cards.faqs, add: addToCard.faqs },
  { name: "shipping", title: cards.shipping, add: addToCard.shipping },
  { name: "advanced", title: cards.advanced, add: addToCard.advanced }
]

export const SIDE_CARDS: ReadonlyArray<CardRow> = [
  { name: "status", title: cards.status },
  { name: "organization", title: cards.organization, add: addToCard.organization }
]

type Kind =
  | "text"
  | "title"
  | "lines"
  | "html"
  | "json"
  | "number"
  | "flag"
  | "tags"
  | "picture"
  | "currency"
  | "country"
  | "productKind"
  | "stock"
  | "dimensions"
  | "media"
  | "options"
  | "variants"
  | "faqs"

interface FieldRow {
  readonly card: CardName
  readonly kind: Kind
  readonly hint?: string | ((draft: Draft, currency: string) => string)
  readonly rows?: number
  /** The service or another card supplies a value, which does not open the card. */
  readonly isAutomatic?: true
}

const { form, media, seo } = productTexts

/** Length that search engines show, approximately. */
export const SEO_LENGTHS = { title: 60, description: 155 } as const

/** Fields of a product (contract, section 2.1) in the order of the form. `productTexts.fields` has their labels. */
export const FIELDS: Readonly<Record<Field, FieldRow>> = {
  name: { card: "basics", kind: "title" },
  description: { card: "basics", kind: "html" },
  media: { card: "basics", kind: "media" },
  price: { card: "pricing", kind: "number", hint: (_, currency) => currency },
  discountedPrice: { card: "pricing", kind: "number", hint: (_, currency) => form.salePriceHint(currency) },
  costPrice: { card: "pricing", kind: "number", hint: (_, currency) => form.costHint(currency) },
  currencyCode: { card: "pricing", kind: "currency" },
  onSale: { card: "pricing", kind: "flag", hint: form.onSaleHint },
  taxable: { card: "pricing", kind: "flag" },
  stock: { card: "inventory", kind: "stock" },
  sku: { card: "inventory", kind: "text", hint: form.skuHint },
  barcode: { card: "inventory", kind: "text", hint: form.barcodeHint },
  trackInventory: { card: "inventory", kind: "flag" },
  options: { card: "variants", kind: "options" },
  variants: { card: "variants", kind: "variants" },
  seoTitle: {
    card: "seo",
    kind: "title",
    hint: ({ seoTitle }) => seo.lengthHint(seoTitle.length, SEO_LENGTHS.title)
  },
  seoDescription: {
    card: "seo",
    kind: "lines",
    rows: 2,
    hint: ({ seoDescription }) => seo.lengthHint(seoDescription.length, SEO_LENGTHS.description)
  },
  metaDescription: { card: "seo", kind: "lines", rows: 2 },
  slug: { card: "seo", kind: "text", hint: seo.slugHint, isAutomatic: true },
  faqs: { card: "faqs", kind: "faqs" },
  weight: { card: "shipping", kind: "number", hint: form.weightHint },
  countryOfOrigin: { card: "shipping", kind: "country" },
  hsCode: { card: "shipping", kind: "text", hint: form.hsCodeHint },
  dimensions: { card: "shipping", kind: "dimensions" },
  imageUrl: { card: "advanced", kind: "picture", hint: media.mainImageHint, isAutomatic: true },
  metafields: { card: "advanced", kind: "json", hint: form.jsonHint },
  customFields: { card: "advanced", kind: "json", hint: form.jsonHint },
  categoryId: { card: "advanced", kind: "text", hint: form.categoryIdHint },
  categoryName: { card: "advanced", kind: "text", hint: form.categoryNameHint },
  isActive: { card: "status", kind: "flag", hint: form.activeHint },
  vendorName: { card: "organization", kind: "text" },
  category: { card: "organization", kind: "text" },
  tags: { card: "organization", kind: "tags", hint: form.tagsHint },
  productType: { card: "organization", kind: "text" },
  productKind: { card: "organization", kind: "productKind" }
}

/** First message of a field or of its parts. */
export const problemIn = (problems: Problems, field: string): string | undefined =>
  [...problems].find(([path]) => path === field || path.startsWith(`${field}.`))?.[1]

/** True if a field of a card differs from a new product, or has a message. */
export const isCardNeeded = (fields: ReadonlyArray<Field>, { draft, problems }: FormState): boolean =>
  fields.some(
    (field) =>
      problemIn(problems, field) !== undefined ||
      (FIELDS[field].isAutomatic !== true && !isSame(draft[field], newDraft[field]))
  )

/** Messages without those of the edited fields. */
export const withoutEdited = (problems: Problems, edited: Partial<Draft>): Problems => {
  const isEdited = (path: string) => Object.hasOwn(edited, path.split(".", 1).join(""))
  return [...problems.keys()].some(isEdited) ? new Map([...problems].filter(([path]) => !isEdited(path))) : problems
}

/** Focuses the first invalid field after it is rendered. */
export const focusFirstProblem = (): void => {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus())
}
