import { Button } from "../../../shared/ui/form/Button.tsx"
import { TextArea, TextField } from "../../../shared/ui/form/Field.tsx"
import { Card, Row } from "../../../shared/ui/layout/Page.tsx"
import type { FormState } from "./formFields.tsx"
import css from "./Editor.module.css"
import { ItemButtons, updateItem } from "./ItemButtons.tsx"
import { newItemKey } from "./productDraft.ts"
import { productTexts } from "../productTexts.ts"

export const FaqsCard = ({ editing: { draft, edit, problems } }: { readonly editing: FormState }) => {
  const { faqs } = draft
  return (
    <Card title={productTexts.fields.faqs}>
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
        <Button onClick={() => edit({ faqs: [...faqs, { key: newItemKey(), question: "", answer: "" }] })}>
          {productTexts.faqs.add}
        </Button>
      </Row>
    </Card>
  )
}
