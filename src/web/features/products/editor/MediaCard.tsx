import { Button } from "../../../shared/ui/form/Button.tsx"
import { Columns, TextField } from "../../../shared/ui/form/Field.tsx"
import { Card, Row } from "../../../shared/ui/layout/Page.tsx"
import { type FormState, LineField } from "./formFields.tsx"
import css from "./Editor.module.css"
import { ItemButtons, updateItem } from "./ItemButtons.tsx"
import { Picture } from "../../../shared/ui/display/Picture.tsx"
import { newItemKey } from "./productDraft.ts"
import { productTexts } from "../productTexts.ts"

/** Media of a product by URL. The service does not host files. */
export const MediaCard = ({ editing }: { readonly editing: FormState }) => {
  const { draft, edit, problems } = editing
  const { media } = draft
  return (
    <Card title={productTexts.fields.media}>
      <div className={css["medium"]}>
        <Picture url={draft.imageUrl} alt="" isLarge />
        <LineField
          editing={editing}
          field="imageUrl"
          placeholder={productTexts.media.urlPlaceholder}
          hint={productTexts.media.mainImageHint}
        />
      </div>
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
    </Card>
  )
}
