import { lazy, type ReactNode, Suspense, useMemo, useRef, useState } from "react"
import { flushSync } from "react-dom"
import type { Card as CardName } from "../../../../domain/catalog/ProductFieldRow.ts"
import { cutText } from "../../../../domain/Text.ts"
import { type Choice, countries, currencies, lengthUnits } from "../../../shared/data/localeNames.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { Loading } from "../../../shared/ui/display/QueryBoundary.tsx"
import { Picture } from "../../../shared/ui/display/Values.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import {
  CheckField,
  type FieldTexts,
  Fieldset,
  NumberField,
  SelectField,
  TextArea,
  TextField,
  ListField
} from "../../../shared/ui/form/Field.tsx"
import { BackLink, Card, Stack } from "../../../shared/ui/layout/Page.tsx"
import css from "../Products.module.css"
import { DescriptionField } from "./DescriptionField.tsx"
import { FaqList, newFaq, newOption, OptionList } from "./ItemLists.tsx"
import { MediaGallery } from "./MediaGallery.tsx"
import type { Draft, Field } from "./productDraft.ts"
import {
  fieldsOf,
  type FormState,
  HINTS,
  inputOf,
  isCardNeeded,
  MAIN_CARDS,
  problemIn,
  SEO_LENGTHS,
  SIDE_CARDS
} from "./productFields.ts"
import { productTexts } from "../productTexts.ts"

// A fourth of the code of the page, with its virtual table. A product without variants does not load it.
const VariantsCard = lazy(() => import("./VariantsCard.tsx").then(({ VariantsCard }) => ({ default: VariantsCard })))

interface ProductFormProps {
  readonly editing: FormState
  /** ISO 4217 code. */
  readonly currency: string
  /** Stock input of a new product, or the stock with an update button. */
  readonly stock: ReactNode
  /** Stock buttons of existing variants, by variant id. */
  readonly variantStock: ReadonlyMap<string, ReactNode>
}

interface ChoiceFieldProps extends FieldTexts {
  readonly value: string
  readonly choices: () => ReadonlyArray<Choice>
  /** Name of the choice without a value. Without it, a value cannot be cleared. */
  readonly empty?: string
  readonly change: (value: string) => void
}

/** Select whose choices include the stored value, because apps can store any text. */
const ChoiceField = ({ change, choices, empty, value, ...texts }: ChoiceFieldProps) => {
  const known = useMemo(() => choices(), [choices])
  const first = empty === undefined ? [] : [{ value: "", name: empty }]
  const stored = [...first, ...known].some((choice) => choice.value === value) ? [] : [{ value, name: value }]
  return (
    <SelectField {...texts} value={value} onChange={({ target }) => change(target.value)}>
      {[...first, ...stored, ...known].map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.name}
        </option>
      ))}
    </SelectField>
  )
}

/** Product kinds that the service and its imports know. */
const productKinds = (): ReadonlyArray<Choice> =>
  Object.entries(productTexts.form.productKinds).map(([value, name]) => ({ value, name }))

const DIMENSIONS = ["length", "width", "height"] as const

const Dimensions = ({ draft: { dimensions }, edit, problems }: FormState) => {
  const change = (members: Partial<Draft["dimensions"]>) => edit({ dimensions: { ...dimensions, ...members } })
  return (
    <Fieldset legend={productTexts.fields.dimensions}>
      <div className={css["fields"]}>
        {DIMENSIONS.map((name) => (
          <NumberField
            key={name}
            label={productTexts.form.dimensions[name]}
            value={dimensions[name]}
            problem={problems.get(`dimensions.${name}`)}
            onChange={({ target }) => change({ [name]: target.value })}
          />
        ))}
        <ChoiceField
          label={productTexts.form.dimensions.unit}
          value={dimensions.unit}
          problem={problems.get("dimensions.unit")}
          choices={lengthUnits}
          empty={productTexts.form.notSet}
          change={(unit) => change({ unit })}
        />
      </div>
    </Fieldset>
  )
}

const truncate = (text: string, length: number) => (text.length > length ? `${cutText(text, length).trimEnd()}…` : text)

/** Preview of a search result. */
const SeoPreview = ({ metaDescription, name, seoDescription, seoTitle, slug }: Draft) => {
  const { seo } = productTexts
  const description = seoDescription || metaDescription || seo.descriptionPlaceholder
  return (
    <figure className={css["preview"]} aria-label={seo.preview}>
      <p className={css["address"]}>{seo.address(slug || seo.slugPlaceholder)}</p>
      <p className={css["found"]}>{truncate(seoTitle || name || productTexts.fields.name, SEO_LENGTHS.title)}</p>
      <p>{truncate(description, SEO_LENGTHS.description)}</p>
    </figure>
  )
}

/** Control of a field, by its kind. */
export const ProductField = ({ field, form }: { readonly field: Field; readonly form: ProductFormProps }) => {
  const { currency, editing, stock, variantStock } = form
  const { draft, edit, problems } = editing
  const hint = HINTS[field]
  const value = draft[field]
  const text = typeof value === "string" ? value : ""
  const change = (next: string) => edit({ [field]: next })
  const texts = {
    label: productTexts.fields[field],
    hint: typeof hint === "function" ? hint(draft, draft.currencyCode || currency) : hint,
    problem: problemIn(problems, field)
  }
  const input = {
    ...texts,
    autoComplete: "off",
    value: text,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => change(target.value)
  }
  switch (inputOf(field).kind) {
    case "text":
    case "title":
      return <TextField {...input} />
    case "number":
    case "money":
      return <NumberField {...input} />
    case "lines":
      return <TextArea {...input} rows={2} />
    case "html":
      return <DescriptionField {...texts} value={text} change={change} />
    case "json":
      return <TextArea {...input} rows={6} spellCheck={false} />
    case "flag":
      return (
        <CheckField {...texts} checked={value === true} onChange={({ target }) => edit({ [field]: target.checked })} />
      )
    case "currency":
      return <ChoiceField {...texts} value={text === "" ? currency : text} choices={currencies} change={change} />
    case "country":
      return (
        <ChoiceField {...texts} value={text} choices={countries} empty={productTexts.form.notSet} change={change} />
      )
    case "productKind":
      return <ChoiceField {...texts} value={text} choices={productKinds} change={change} />
    case "tags":
      return (
        <ListField
          {...texts}
          label={productTexts.fields.tags}
          itemName={productTexts.form.tagItem}
          separator=","
          values={draft.tags}
          change={(tags) => edit({ tags })}
        />
      )
    case "picture":
      return (
        <div className={css["medium"]}>
          <Picture url={text} alt="" isLarge />
          <TextField {...input} placeholder={productTexts.media.urlPlaceholder} />
        </div>
      )
    case "stock":
      return stock
    case "dimensions":
      return <Dimensions {...editing} />
    case "media":
      return <MediaGallery editing={editing} />
    case "options":
      return <OptionList editing={editing} />
    case "variants":
      return (
        <Suspense fallback={<Loading lines={8} />}>
          <VariantsCard editing={editing} stock={variantStock} />
        </Suspense>
      )
    case "faqs":
      return <FaqList editing={editing} />
  }
}

/** Kinds with a column of their own. Others take the width of the card. */
const NARROW: ReadonlySet<string> = new Set(["text", "number", "money", "currency", "country", "productKind", "stock"])

/** First item of a list whose card is opened. */
const firstItem = (card: CardName): Partial<Draft> => {
  if (card === "variants") return { options: [newOption()] }
  return card === "faqs" ? { faqs: [newFaq()] } : {}
}

interface FormCardProps {
  readonly card: (typeof MAIN_CARDS)[number]
  readonly form: ProductFormProps
}

/** Card with its fields. While they are empty, it is closed: a title with a button. */
const FormCard = ({ card: { add, name, title }, form }: FormCardProps) => {
  const fields = fieldsOf(name)
  const { editing } = form
  const isNeeded = add === undefined || isCardNeeded(fields, editing)
  // An opened card stays open, because its fields may be cleared to enter something else.
  const [isOpen, setOpen] = useState(isNeeded)
  const content = useRef<HTMLDivElement>(null)
  if (isNeeded && !isOpen) setOpen(true)
  const open = () => {
    // The button disappears, so the focus moves to the first field.
    flushSync(() => {
      setOpen(true)
      editing.edit(firstItem(name))
    })
    content.current?.querySelector<HTMLElement>("input, select, textarea")?.focus()
  }
  if (!isOpen) {
    return <Card title={title} actions={<Button onClick={open}>{add}</Button>} />
  }
  return (
    <Card title={title}>
      <div ref={content} className={css["fields"]}>
        {name === "seo" ? (
          <div className={css["whole"]}>
            <SeoPreview {...editing.draft} />
          </div>
        ) : undefined}
        {fields.map((field) => (
          <div key={field} className={NARROW.has(inputOf(field).kind) ? undefined : css["whole"]}>
            <ProductField field={field} form={form} />
          </div>
        ))}
      </div>
    </Card>
  )
}

/** Cards of a product in two columns, or in one on narrow screens. */
export const ProductForm = (form: ProductFormProps) => (
  <div className={css["form"]}>
    {[MAIN_CARDS, SIDE_CARDS].map((column) => (
      <Stack key={column[0]?.name} isSecondary={column === SIDE_CARDS}>
        {column.map((card) => (
          <FormCard key={card.name} card={card} form={form} />
        ))}
      </Stack>
    ))}
  </div>
)

export const BackToProducts = () => {
  const storeId = useStoreId()
  return (
    <BackLink to="/dashboard/$storeId/products" params={{ storeId }}>
      {productTexts.title}
    </BackLink>
  )
}
