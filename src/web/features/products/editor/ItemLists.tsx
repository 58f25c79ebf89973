import { useRef, useState } from "react"
import { flushSync } from "react-dom"
import { MAX_VARIANTS } from "../../../../domain/catalog/ProductParts.ts"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { TextArea, TextField, ListField } from "../../../shared/ui/form/Field.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row } from "../../../shared/ui/layout/Page.tsx"
import css from "../Products.module.css"
import { productTexts } from "../productTexts.ts"
import { type FaqDraft, newItemKey, type OptionDraft, type VariantDraft } from "./productDraft.ts"
import { type FormState, problemIn } from "./productFields.ts"
import { combinationCount, followOptions, isEmpty } from "./variantTable.ts"

/* Operations on keyed lists in a form. */

interface Keyed {
  readonly key: string
}

export const removeItem = <Item extends Keyed>(items: ReadonlyArray<Item>, key: string): ReadonlyArray<Item> =>
  items.filter((item) => item.key !== key)

export const updateItem = <Item extends Keyed>(
  items: ReadonlyArray<Item>,
  key: string,
  members: Partial<Item>
): ReadonlyArray<Item> => items.map((item) => (item.key === key ? { ...item, ...members } : item))

/** Moves an item one place up or down, within the list. */
const moveItem = <Item extends Keyed>(items: ReadonlyArray<Item>, key: string, by: -1 | 1): ReadonlyArray<Item> => {
  const from = items.findIndex((item) => item.key === key)
  const item = items[from]
  const other = items[from + by]
  if (item === undefined || other === undefined) return items
  return items.with(from, other).with(from + by, item)
}

interface ItemButtonsProps<Item> {
  /** Name of the item, such as "media 2". */
  readonly name: string
  readonly item: Item
  readonly items: ReadonlyArray<Item>
  readonly change: (items: ReadonlyArray<Item>) => void
}

/** Moves or removes an item of a list. */
const ItemButtons = <Item extends { readonly key: string }>({ change, item, items, name }: ItemButtonsProps<Item>) => (
  <Row>
    <Button
      kind="quiet"
      aria-label={productTexts.items.moveUp(name)}
      disabled={items[0] === item}
      onClick={() => change(moveItem(items, item.key, -1))}
    >
      ↑
    </Button>
    <Button
      kind="quiet"
      aria-label={productTexts.items.moveDown(name)}
      disabled={items.at(-1) === item}
      onClick={() => change(moveItem(items, item.key, 1))}
    >
      ↓
    </Button>
    <Button
      kind="quiet"
      aria-label={productTexts.items.removeItem(name)}
      onClick={() => change(removeItem(items, item.key))}
    >
      {productTexts.items.remove}
    </Button>
  </Row>
)

export const newFaq = (): FaqDraft => ({ key: newItemKey(), question: "", answer: "" })

interface ListProps {
  readonly editing: FormState
}

export const FaqList = ({ editing: { draft, edit, problems } }: ListProps) => {
  const { faqs } = draft
  return (
    <>
      {faqs.length === 0 ? undefined : (
        <ol className={css["items"]}>
          {faqs.map((faq, index) => (
            <li key={faq.key} className={css["items"]}>
              <TextField
                label={productTexts.faqs.question(index + 1)}
                value={faq.question}
                problem={problems.get(`faqs.${index}.question`)}
                onChange={({ target }) => edit({ faqs: updateItem(faqs, faq.key, { question: target.value }) })}
              />
              <TextArea
                label={productTexts.faqs.answer(index + 1)}
                rows={2}
                value={faq.answer}
                problem={problems.get(`faqs.${index}.answer`)}
                onChange={({ target }) => edit({ faqs: updateItem(faqs, faq.key, { answer: target.value }) })}
              />
              <ItemButtons
                name={productTexts.faqs.item(index + 1)}
                item={faq}
                items={faqs}
                change={(next) => edit({ faqs: next })}
              />
            </li>
          ))}
        </ol>
      )}
      <Row>
        <Button onClick={() => edit({ faqs: [...faqs, newFaq()] })}>{productTexts.faqs.add}</Button>
      </Row>
    </>
  )
}

export const newOption = (): OptionDraft => ({ key: newItemKey(), name: "", values: [] })

interface Removal {
  readonly value: string
  /** Options without the value. */
  readonly options: ReadonlyArray<OptionDraft>
  readonly variants: ReadonlyArray<VariantDraft>
}

/** Options by which variants differ. Their values create the variants. */
export const OptionList = ({ editing: { draft, edit, problems } }: { readonly editing: FormState }) => {
  const { options, variants } = draft
  const [removal, setRemoval] = useState<Removal>()
  const change = (next: ReadonlyArray<OptionDraft>) =>
    edit({ options: next, variants: followOptions(variants, options, next) })
  const changeValues = ({ key, values: before }: OptionDraft, values: ReadonlyArray<string>) => {
    const next = updateItem(options, key, { values })
    const value = before.find((one) => !values.includes(one))
    if (value === undefined) return change(next)
    if (values.length === 0 && combinationCount(next) > 1) {
      // The others still distinguish the variants.
      const others = options.filter((option) => option.key !== key)
      return edit({ options: next, variants: followOptions(variants, options, others) })
    }
    const affected = variants.filter(({ choices }) => choices[key] === value)
    // Variants without input of their own are created again with the value.
    if (!affected.every((variant) => isEmpty(variant, options)))
      return setRemoval({ value, options: next, variants: affected })
    edit({ options: next, variants: variants.filter((variant) => !affected.includes(variant)) })
  }
  const remove = (isWithVariants: boolean) => {
    if (removal === undefined) return
    const removed = new Set(removal.variants.filter((variant) => isWithVariants || isEmpty(variant, options)))
    edit({ options: removal.options, variants: variants.filter((variant) => !removed.has(variant)) })
    setRemoval(undefined)
  }
  const list = useRef<HTMLOListElement>(null)
  const add = () => {
    flushSync(() => change([...options, newOption()]))
    list.current?.querySelector<HTMLElement>(":scope > li:last-child input")?.focus()
  }
  const combinations = combinationCount(options)
  const affected = removal?.variants.length ?? 0
  return (
    <>
      <MutedText>{productTexts.options.advice}</MutedText>
      {problemIn(problems, "options") === undefined || options.length > 0 ? undefined : (
        <p role="alert">{problemIn(problems, "options")}</p>
      )}
      {options.length === 0 ? undefined : (
        <ol ref={list} className={css["items"]}>
          {options.map((option, index) => (
            <li key={option.key} className={css["items"]}>
              <TextField
                label={productTexts.options.option(index + 1)}
                value={option.name}
                problem={problems.get(`options.${index}.name`)}
                onChange={({ target }) => edit({ options: updateItem(options, option.key, { name: target.value }) })}
              />
              <ListField
                label={productTexts.options.values(option.name || productTexts.options.item(index + 1))}
                itemName={productTexts.options.valueItem}
                values={option.values}
                problem={problemIn(problems, `options.${index}.values`)}
                change={(values) => changeValues(option, values)}
              />
              <ItemButtons name={productTexts.options.item(index + 1)} item={option} items={options} change={change} />
            </li>
          ))}
        </ol>
      )}
      {combinations > MAX_VARIANTS ? (
        <p role="alert">{productTexts.variants.tooMany(combinations, MAX_VARIANTS)}</p>
      ) : undefined}
      <Row>
        <Button onClick={add}>{productTexts.options.add}</Button>
      </Row>
      <Dialog
        title={productTexts.options.confirmRemove(removal?.value ?? "")}
        isOpen={removal !== undefined}
        close={() => setRemoval(undefined)}
      >
        <p>{productTexts.options.removeAdvice(affected)}</p>
        <Row>
          <Button kind="danger" onClick={() => remove(true)}>
            {productTexts.options.removeWithVariants(affected)}
          </Button>
          <Button onClick={() => remove(false)}>{productTexts.options.keepVariants}</Button>
        </Row>
      </Dialog>
    </>
  )
}
