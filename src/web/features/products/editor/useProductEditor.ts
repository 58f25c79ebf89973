import { useQueryClient } from "@tanstack/react-query"
import { Predicate, Result } from "effect"
import { useMemo, useState } from "react"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { performed, type ProductId, type StoreId, type UpdateProduct } from "../../../../rpc/Client.ts"
import { differences, merge, withFields } from "../../../shared/data/differences.ts"
import { useRpcMutation } from "../../../shared/data/queries.ts"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { NO_PROBLEMS, patchOf, type Problems, problemsIn } from "./productInput.ts"
import { type Draft, draftOf, type Field } from "./productDraft.ts"
import { useUploads } from "../../files/uploads.ts"
import { addPictures, replacePicture } from "./pictures.ts"
import { focusFirstProblem, withoutEdited } from "./productFields.ts"
import { cacheProduct } from "../list/useProducts.ts"
import { productTexts } from "../productTexts.ts"

interface EditState {
  /** Product on which the draft is based. */
  readonly base: Product
  readonly draft: Draft
  readonly problems: Problems
  /** Fields that another user changed and the draft adopted. */
  readonly changedByThem: ReadonlyArray<Field>
}

interface Saving {
  readonly expectedVersion: number
  readonly patch: UpdateProduct
  readonly sent: Draft
}

const formOf = (product: Product): EditState => ({
  base: product,
  draft: draftOf(product),
  problems: NO_PROBLEMS,
  changedByThem: []
})

/**
 * Form state of a product. Adopts changes of other users in untouched fields. Fields that both changed have to be
 * resolved before saving.
 */
export const useProductEditor = (storeId: StoreId, id: ProductId, product: Product) => {
  const queryClient = useQueryClient()
  const [form, setForm] = useState(() => formOf(product))
  const [isComparing, setComparing] = useState(false)
  const { base, draft } = form
  const baseDraft = useMemo(() => draftOf(base), [base])
  const changed = differences(baseDraft, draft)
  const merged = product.version > base.version ? merge(baseDraft, draft, draftOf(product)) : undefined
  if (merged !== undefined && merged.conflicts.length === 0) {
    const changedByThem = changed.length === 0 ? [] : merged.changedByThem.filter((field) => field !== "stock")
    setForm({ ...form, base: product, draft: merged.draft, changedByThem })
    setComparing(false)
  }

  const save = useRpcMutation({
    write: (client, { expectedVersion, patch }: Saving, idempotencyKey) =>
      performed(client.products.update({ storeId, id, idempotencyKey, expectedVersion, patch })),
    invalidates: [[storeId, "products"]],
    onSuccess: (saved, { sent }) => {
      cacheProduct(queryClient, storeId, saved)
      // Keeps input since the save started.
      setForm((now) => {
        return { ...formOf(saved), draft: merge(sent, now.draft, draftOf(saved)).draft }
      })
      setComparing(false)
      toast(productTexts.editor.saved)
    }
  })

  const uploads = useUploads(storeId, ({ alt, url }, replaces) =>
    setForm((now) => {
      const pictures =
        replaces === undefined ? addPictures(now.draft, [{ url, alt }]) : replacePicture(now.draft, replaces, url)
      return { ...now, draft: { ...now.draft, ...pictures }, problems: withoutEdited(now.problems, pictures) }
    })
  )

  const submit = (target: Product, next: Draft) => {
    Result.match(patchOf(draftOf(target), next), {
      onFailure: (problems) => {
        setForm((now) => ({ ...now, problems }))
        focusFirstProblem()
      },
      onSuccess: (patch) =>
        save.mutate(
          { expectedVersion: target.version, patch, sent: next },
          {
            onError: (error) => {
              setForm((now) => ({ ...now, problems: problemsIn(error) }))
              focusFirstProblem()
              if (!Predicate.isTagged(error, "VersionMismatch")) return
              setComparing(true)
              void queryClient.invalidateQueries({ queryKey: [storeId, "product", id] })
            }
          }
        )
    })
  }

  return {
    ...form,
    changed,
    /** Fields that both users changed. */
    conflicts: merged?.conflicts ?? [],
    theirs: draftOf(product),
    isComparing: isComparing && merged !== undefined && merged.conflicts.length > 0,
    compare: () => setComparing(true),
    endCompare: () => setComparing(false),
    isSaving: save.isPending,
    uploads,
    error: save.error,
    edit: (members: Partial<Draft>) =>
      setForm((now) => ({
        ...now,
        draft: { ...now.draft, ...members },
        problems: withoutEdited(now.problems, members)
      })),
    save: () => (merged === undefined ? submit(base, draft) : setComparing(true)),
    /** Saves with the other user's values for these fields. */
    saveChosen: (fields: ReadonlyArray<Field>) => {
      if (merged === undefined) return
      const next = withFields(merged.draft, draftOf(product), fields)
      setForm((now) => ({ ...now, base: product, draft: next }))
      setComparing(false)
      if (differences(draftOf(product), next).length > 0) submit(product, next)
    },
    discard: () => {
      save.reset()
      uploads.clear()
      setForm(formOf(product))
    }
  }
}
