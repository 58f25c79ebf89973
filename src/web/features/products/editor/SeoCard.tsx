import { cutText } from "../../../../domain/Text.ts"
import { Card } from "../../../shared/ui/layout/Page.tsx"
import { type FormState, LineField, LinesField } from "./formFields.tsx"
import css from "./Editor.module.css"
import { productTexts } from "../productTexts.ts"

/** Approximate length that search engines show. */
const TITLE_LENGTH = 60
const DESCRIPTION_LENGTH = 155

const truncate = (text: string, length: number) => (text.length > length ? `${cutText(text, length).trimEnd()}…` : text)

/** Search engine fields with a preview. */
export const SeoCard = ({ editing }: { readonly editing: FormState }) => {
  const { name, metaDescription, seoDescription, seoTitle, slug } = editing.draft
  return (
    <Card title={productTexts.seo.title}>
      <figure className={css["preview"]} aria-label={productTexts.seo.preview}>
        <p className={css["address"]}>{productTexts.seo.address(slug || productTexts.seo.slugPlaceholder)}</p>
        <p className={css["found"]}>{truncate(seoTitle || name || productTexts.fields.name, TITLE_LENGTH)}</p>
        <p>
          {truncate(seoDescription || metaDescription || productTexts.seo.descriptionPlaceholder, DESCRIPTION_LENGTH)}
        </p>
      </figure>
      <LineField editing={editing} field="seoTitle" hint={productTexts.seo.titleHint(seoTitle.length, TITLE_LENGTH)} />
      <LinesField
        editing={editing}
        field="seoDescription"
        rows={2}
        hint={productTexts.seo.titleHint(seoDescription.length, DESCRIPTION_LENGTH)}
      />
      <LinesField editing={editing} field="metaDescription" rows={2} />
      <LineField editing={editing} field="slug" hint={productTexts.seo.slugHint} />
    </Card>
  )
}
