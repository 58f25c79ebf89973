import { Button } from "../../../shared/ui/form/Button.tsx"
import { TextField } from "../../../shared/ui/form/Field.tsx"
import { ListField } from "../../../shared/ui/form/ListField.tsx"
import { Card, MutedText, Row } from "../../../shared/ui/layout/Page.tsx"
import { type FormState, problemIn } from "./formFields.tsx"
import css from "./Editor.module.css"
import { ItemButtons, updateItem } from "./ItemButtons.tsx"
import { newItemKey, type OptionDraft } from "./productDraft.ts"
import { withoutOptions } from "./variants.ts"
import { productTexts } from "../productTexts.ts"

/** Options by which variants differ. */
export const OptionsCard = ({ editing: { draft, edit, problems } }: { readonly editing: FormState }) => {
  const { options } = draft
  const change = (next: ReadonlyArray<OptionDraft>) =>
    edit({ options: next, variants: withoutOptions(draft.variants, options, next) })
  return (
    <Card title={productTexts.fields.options}>
      <MutedText>{productTexts.options.advice}</MutedText>
      {problemIn(problems, "options") === undefined || options.length > 0 ? undefined : (
        <p role="alert">{problemIn(problems, "options")}</p>
      )}
      {options.length === 0 ? undefined : (
        <ol className={css["items"]}>
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
                change={(values) => edit({ options: updateItem(options, option.key, { values }) })}
              />
              <ItemButtons name={productTexts.options.item(index + 1)} item={option} items={options} change={change} />
            </li>
          ))}
        </ol>
      )}
      <Row>
        <Button onClick={() => change([...options, { key: newItemKey(), name: "", values: [] }])}>
          {productTexts.options.add}
        </Button>
      </Row>
    </Card>
  )
}
