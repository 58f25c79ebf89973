import { useQueryClient } from "@tanstack/react-query"
import { Predicate, Result } from "effect"
import { useMemo, useState } from "react"
import type { Product } from "../../../domain/catalog/Product.ts"
import { performed, type ProductId, type StoreId, type UpdateProduct } from "../../../rpc/Client.ts"
import { differences, merge, withFields } from "../../data/merge.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { toast } from "../../ui/Toasts.tsx"
import { patchOf, type Problems } from "./productInput.ts"
import { focusFirstProblem, withoutEdited } from "./formFields.tsx"
import { type Draft, draftOf, type Field } from "./productDraft.ts"
import { NO_PROBLEMS, problemsIn } from "./formProblems.ts"
import { cacheProduct } from "./useProducts.ts"

interface EditState {
  /** What the product was when the form was made of it, or was last put upon it. */
  readonly base: Product
  readonly draft: Draft
  readonly problems: Problems
  /** What somebody else changed meanwhile and the form took over. */
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
 * The form of a product. What somebody else saves meanwhile is taken over where the form says nothing of it; where both
 * changed the same, somebody chooses before it is saved.
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
      // What was typed while it was sent stays, upon what was saved.
      setForm((now) => {
        return { ...formOf(saved), draft: merge(sent, now.draft, draftOf(saved)).draft }
      })
      setComparing(false)
      toast("Product saved")
    }
  })

  const submit = (onto: Product, next: Draft) => {
    Result.match(patchOf(draftOf(onto), next), {
      onFailure: (problems) => {
        setForm((now) => ({ ...now, problems }))
        focusFirstProblem()
      },
      onSuccess: (patch) =>
        save.mutate(
          { expectedVersion: onto.version, patch, sent: next },
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
    /** Fields in which the form and somebody else say different things. */
    conflicts: merged?.conflicts ?? [],
    theirs: draftOf(product),
    isComparing: isComparing && merged !== undefined && merged.conflicts.length > 0,
    compare: () => setComparing(true),
    endCompare: () => setComparing(false),
    isSaving: save.isPending,
    error: save.error,
    edit: (members: Partial<Draft>) =>
      setForm((now) => ({
        ...now,
        draft: { ...now.draft, ...members },
        problems: withoutEdited(now.problems, members)
      })),
    save: () => (merged === undefined ? submit(base, draft) : setComparing(true)),
    /** Saves upon what somebody else saved, with these fields as they have them. */
    saveChosen: (given: ReadonlyArray<Field>) => {
      if (merged === undefined) return
      const next = withFields(merged.draft, draftOf(product), given)
      setForm((now) => ({ ...now, base: product, draft: next }))
      setComparing(false)
      if (differences(draftOf(product), next).length > 0) submit(product, next)
    },
    discard: () => {
      save.reset()
      setForm(formOf(product))
    }
  }
}
