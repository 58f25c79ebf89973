import { Card } from "../../../ui/layout/Page.tsx"
import { type FormState, LineField, LinesField } from "./formFields.tsx"
import css from "./Editor.module.css"

/** Approximate length that search engines show. */
const TITLE_LENGTH = 60
const DESCRIPTION_LENGTH = 155

const truncate = (text: string, length: number) => (text.length > length ? `${text.slice(0, length).trimEnd()}…` : text)

/** Search engine fields with a preview. */
export const SeoCard = ({ editing }: { readonly editing: FormState }) => {
  const { name, metaDescription, seoDescription, seoTitle, slug } = editing.draft
  return (
    <Card title="Search engine listing">
      <figure className={css["preview"]} aria-label="Search engine preview">
        <p className={css["address"]}>your store › products › {slug || "created from the name"}</p>
        <p className={css["found"]}>{truncate(seoTitle || name || "Name", TITLE_LENGTH)}</p>
        <p>
          {truncate(
            seoDescription || metaDescription || "Add a description. Without one, search engines choose a text.",
            DESCRIPTION_LENGTH
          )}
        </p>
      </figure>
      <LineField
        editing={editing}
        field="seoTitle"
        hint={`${seoTitle.length} characters. Search engines show about ${TITLE_LENGTH}.`}
      />
      <LinesField
        editing={editing}
        field="seoDescription"
        rows={2}
        hint={`${seoDescription.length} characters. Search engines show about ${DESCRIPTION_LENGTH}.`}
      />
      <LinesField editing={editing} field="metaDescription" rows={2} />
      <LineField editing={editing} field="slug" hint="The last part of its URL: a-z, 0-9 and hyphens." />
    </Card>
  )
}
