import { Button } from "../../../shared/ui/form/Button.tsx"
import { Columns, TextArea, TextField } from "../../../shared/ui/form/Field.tsx"
import { Row } from "../../../shared/ui/layout/Page.tsx"
import { Picture } from "../../../shared/ui/display/Picture.tsx"
import css from "./Editor.module.css"
import { type FaqDraft, newItemKey } from "./productDraft.ts"
import type { FormState } from "./productFields.ts"
import { productTexts } from "../productTexts.ts"

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
export const moveItem = <Item extends Keyed>(
  items: ReadonlyArray<Item>,
  key: string,
  by: -1 | 1
): ReadonlyArray<Item> => {
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
export const ItemButtons = <Item extends { readonly key: string }>({
  change,
  item,
  items,
  name
}: ItemButtonsProps<Item>) => (
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

/** Media of a product by URL. The service does not host files. */
export const MediaList = ({ editing: { draft, edit, problems } }: ListProps) => {
  const { media } = draft
  return (
    <>
      {media.length === 0 ? undefined : (
        <ol className={css["items"]}>
          {media.map((medium, index) => (
            <li key={medium.key} className={css["medium"]}>
              <Picture url={medium.url} alt={medium.alt} isLarge />
              <div className={css["items"]}>
                <TextField
                  label={productTexts.media.url(index + 1)}
                  placeholder={productTexts.media.urlPlaceholder}
                  value={medium.url}
                  problem={problems.get(`media.${index}.url`)}
                  onChange={({ target }) => edit({ media: updateItem(media, medium.key, { url: target.value }) })}
                />
                <Columns>
                  <TextField
                    label={productTexts.media.alt}
                    hint={productTexts.media.altHint}
                    value={medium.alt}
                    problem={problems.get(`media.${index}.alt`)}
                    onChange={({ target }) => edit({ media: updateItem(media, medium.key, { alt: target.value }) })}
                  />
                  <TextField
                    label={productTexts.media.type}
                    hint={productTexts.media.typeHint}
                    value={medium.type}
                    problem={problems.get(`media.${index}.type`)}
                    onChange={({ target }) => edit({ media: updateItem(media, medium.key, { type: target.value }) })}
                  />
                </Columns>
                <ItemButtons
                  name={productTexts.media.item(index + 1)}
                  item={medium}
                  items={media}
                  change={(next) => edit({ media: next })}
                />
              </div>
            </li>
          ))}
        </ol>
      )}
      <Row>
        <Button onClick={() => edit({ media: [...media, { key: newItemKey(), url: "", alt: "", type: "" }] })}>
          {productTexts.media.add}
        </Button>
      </Row>
    </>
  )
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
