import { Button } from "../../ui/Button.tsx"
import { TextArea, TextField } from "../../ui/Field.tsx"
import { Card, Row } from "../../ui/Page.tsx"
import type { Editing } from "./Editing.tsx"
import css from "./Editor.module.css"
import { fieldNames } from "./FieldNames.ts"
import { ItemButtons } from "./ItemButtons.tsx"
import { changedItem } from "./Lists.ts"
import { newItemKey } from "./ProductDraft.ts"

/** What customers ask, and what the shop answers. */
export const FaqsCard = ({ editing: { draft, edit, problems } }: { readonly editing: Editing }) => {
  const { faqs } = draft
  return (
    <Card title={fieldNames.faqs}>
      {faqs.length === 0 ? undefined : (
        <ol className={css["items"]}>
          {faqs.map((faq, index) => (
            <li key={faq.key} className={css["items"]}>
              <TextField
                label={`Question ${index + 1}`}
                value={faq.question}
                problem={problems.get(`faqs.${index}.question`)}
                onChange={({ target }) => edit({ faqs: changedItem(faqs, faq.key, { question: target.value }) })}
              />
              <TextArea
                label={`Answer ${index + 1}`}
                rows={2}
                value={faq.answer}
                problem={problems.get(`faqs.${index}.answer`)}
                onChange={({ target }) => edit({ faqs: changedItem(faqs, faq.key, { answer: target.value }) })}
              />
              <ItemButtons
                name={`question ${index + 1}`}
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
          Add question
        </Button>
      </Row>
    </Card>
  )
}
