import type { Card, FieldInput } from "../../../../domain/catalog/ProductFieldRow.ts"
import { PRODUCT_FIELDS, productFields } from "../../../../domain/catalog/ProductFields.ts"
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

interface CardRow {
  readonly name: Card
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

const { form, media, seo } = productTexts

/** Length that search engines show, approximately. */
export const SEO_LENGTHS = { title: 60, description: 155 } as const

/** Hints of inputs. */
export const HINTS: Readonly<Partial<Record<Field, string | ((draft: Draft, currency: string) => string)>>> = {
  price: (_, currency) => currency,
  discountedPrice: (_, currency) => form.salePriceHint(currency),
  costPrice: (_, currency) => form.costHint(currency),
  onSale: form.onSaleHint,
  sku: form.skuHint,
  barcode: form.barcodeHint,
  seoTitle: ({ seoTitle }) => seo.lengthHint(seoTitle.length, SEO_LENGTHS.title),
  seoDescription: ({ seoDescription }) => seo.lengthHint(seoDescription.length, SEO_LENGTHS.description),
  slug: seo.slugHint,
  weight: form.weightHint,
  hsCode: form.hsCodeHint,
  imageUrl: media.mainImageHint,
  metafields: form.jsonHint,
  customFields: form.jsonHint,
  categoryId: form.categoryIdHint,
  categoryName: form.categoryNameHint,
  isActive: form.activeHint,
  tags: form.tagsHint
}

/** Input of a field. */
export const inputOf = (field: Field): FieldInput => PRODUCT_FIELDS[field].input

/** Fields of a card in the order of the form. */
export const fieldsOf = (card: Card): ReadonlyArray<Field> => {
  const fields = productFields.filter((field) => inputOf(field).card === card)
  return [...fields.filter((field) => !inputOf(field).isLast), ...fields.filter((field) => inputOf(field).isLast)]
}

/** Fields of a product in the order of the form. */
export const FORM_FIELDS = [...MAIN_CARDS, ...SIDE_CARDS].flatMap(({ name }) => fieldsOf(name))

/** First message of a field or of its parts. */
export const problemIn = (problems: Problems, field: string): string | undefined =>
  [...problems].find(([path]) => path === field || path.startsWith(`${field}.`))?.[1]

/** True if a field of a card differs from a new product, or has a message. */
export const isCardNeeded = (fields: ReadonlyArray<Field>, { draft, problems }: FormState): boolean =>
  fields.some(
    (field) =>
      problemIn(problems, field) !== undefined ||
      (inputOf(field).isAutomatic !== true && !isSame(draft[field], newDraft[field]))
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
