import { Schema } from "effect"
import { lazy, type RefObject, Suspense, useEffect } from "react"
import { HttpUrl } from "../../../domain/catalog/Fields.ts"
import type { CollectionId, ProductId } from "../../../rpc/Client.ts"
import { CheckField, SelectField, TextArea, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, Stack } from "../../shared/ui/layout/Page.tsx"
import { Loading } from "../../shared/ui/display/QueryBoundary.tsx"
import { Picture } from "../../shared/ui/display/Values.tsx"
import type { Draft, Problems } from "./collectionDraft.ts"
import css from "./Collections.module.css"
import { MatchingProducts } from "./MatchingProducts.tsx"
import { RuleBuilder } from "./RuleBuilder.tsx"
import { collectionTexts } from "./collectionTexts.ts"

// Its search and menus have 34 KiB, which automated collections do not need.
const ManualProducts = lazy(() => import("./ManualProducts.tsx").then((loaded) => ({ default: loaded.ManualProducts })))

interface CollectionFormProps {
  /** Id of the collection. A new collection has none. */
  readonly id?: CollectionId
  /** Products of an automated collection, kept when it becomes a manual one. */
  readonly matched: ReadonlyArray<ProductId>
  readonly draft: Draft
  /** The saved collection. A new collection has none. */
  readonly saved?: Draft
  readonly problems: Problems
  readonly change: (part: Partial<Draft>) => void
}

const isUrl = Schema.is(HttpUrl)

/** All fields of a collection. */
export const CollectionForm = ({ change, draft, id, matched, problems, saved }: CollectionFormProps) => {
  const changeType = (type: string) =>
    change(
      type === "automated"
        ? { type, productIds: [] }
        : { type: "manual", productIds: draft.productIds.length > 0 ? draft.productIds : matched }
    )
  return (
    <div className={css["editor"]}>
      <Stack>
        <Card title={collectionTexts.form.details}>
          <TextField
            label={collectionTexts.fields.title}
            value={draft.title}
            problem={problems.get("title")}
            onChange={({ target }) => change({ title: target.value })}
          />
          <TextArea
            label={collectionTexts.fields.description}
            hint={collectionTexts.form.descriptionHint}
            value={draft.description}
            problem={problems.get("description")}
            onChange={({ target }) => change({ description: target.value })}
          />
          <SelectField
            label={collectionTexts.fields.type}
            value={draft.type}
            onChange={({ target }) => changeType(target.value)}
          >
            <option value="manual">{collectionTexts.form.types.manual}</option>
            <option value="automated">{collectionTexts.form.types.automated}</option>
          </SelectField>
        </Card>
        {draft.type === "manual" ? (
          <Suspense fallback={<Loading />}>
            <ManualProducts ids={draft.productIds} change={(productIds) => change({ productIds })} />
          </Suspense>
        ) : (
          <>
            <Card title={collectionTexts.fields.rules}>
              <RuleBuilder draft={draft} problems={problems} change={change} />
            </Card>
            <MatchingProducts
              {...(id === undefined ? {} : { id })}
              {...(saved === undefined ? {} : { saved })}
              draft={draft}
            />
          </>
        )}
      </Stack>
      <Stack isSecondary>
        <Card title={collectionTexts.form.status}>
          <CheckField
            label={collectionTexts.fields.isActive}
            hint={collectionTexts.form.activeHint}
            checked={draft.isActive}
            onChange={({ target }) => change({ isActive: target.checked })}
          />
        </Card>
        <Card title={collectionTexts.fields.imageUrl}>
          <Picture url={isUrl(draft.imageUrl.trim()) ? draft.imageUrl.trim() : null} alt="" isLarge />
          <TextField
            label={collectionTexts.form.imageUrl}
            hint={collectionTexts.form.imageUrlHint}
            inputMode="url"
            value={draft.imageUrl}
            problem={problems.get("imageUrl")}
            onChange={({ target }) => change({ imageUrl: target.value })}
          />
        </Card>
        <Card title={collectionTexts.form.searchListing}>
          <TextField
            label={collectionTexts.fields.slug}
            hint={id === undefined ? collectionTexts.form.newSlugHint : collectionTexts.form.slugHint}
            value={draft.slug}
            problem={problems.get("slug")}
            onChange={({ target }) => change({ slug: target.value })}
          />
          <TextField
            label={collectionTexts.fields.seoTitle}
            value={draft.seoTitle}
            problem={problems.get("seoTitle")}
            onChange={({ target }) => change({ seoTitle: target.value })}
          />
          <TextArea
            label={collectionTexts.fields.metaDescription}
            value={draft.metaDescription}
            problem={problems.get("metaDescription")}
            onChange={({ target }) => change({ metaDescription: target.value })}
          />
        </Card>
      </Stack>
    </div>
  )
}

/** Focuses the first invalid field after a failed save. */
export const useFocusFirstProblem = (form: RefObject<HTMLElement | null>, problems: Problems): void => {
  useEffect(() => {
    if (problems.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, problems])
}
