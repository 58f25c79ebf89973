import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Result } from "effect"
import { useState } from "react"
import { type CreateProduct, performed } from "../../../../rpc/Client.ts"
import { differences } from "../../../shared/data/merge.ts"
import { useRpcMutation } from "../../../shared/data/queries.ts"
import { Page } from "../../../shared/ui/layout/Page.tsx"
import { SaveBar } from "../../../shared/ui/form/SaveBar.tsx"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { UnsavedChangesGuard } from "../../../shared/ui/form/UnsavedChangesGuard.tsx"
import { useStore, useStoreId } from "../../../shared/data/store.ts"
import { isShownInForm, NO_PROBLEMS, type Problems, problemsIn, productInput } from "./productInput.ts"
import { focusFirstProblem, type FormState, LineField, withoutEdited } from "./formFields.tsx"
import { type Draft, newDraft } from "./productDraft.ts"
import { BackToProducts, ProductForm } from "./ProductForm.tsx"
import { cacheProduct, reloadLists } from "../list/useProducts.ts"
import { productTexts } from "../productTexts.ts"

/** Initial stock, if the variants have none of their own. */
const NewStock = ({ editing }: { readonly editing: FormState }) => {
  const { trackInventory, variants } = editing.draft
  if (!trackInventory) return <p>{productTexts.editor.untracked}</p>
  if (variants.length > 0) return <p>{productTexts.editor.stockOfVariants}</p>
  return <LineField editing={editing} field="stock" isNumber />
}

const NO_VARIANTS = new Map<string, never>()

/** Creates a product. Only the name is required. */
export const NewProductPage = () => {
  const storeId = useStoreId()
  const store = useStore()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(newDraft)
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const creating = useRpcMutation({
    write: (client, product: CreateProduct, idempotencyKey) =>
      performed(client.products.create({ storeId, idempotencyKey, product })),
    invalidates: [
      [storeId, "products"],
      [storeId, "store"]
    ],
    onSuccess: (product) => {
      cacheProduct(queryClient, storeId, product)
      reloadLists(queryClient, storeId)
      toast(productTexts.create.created(product.name))
      void navigate({
        to: "/dashboard/$storeId/products/$productId",
        params: { storeId, productId: product.id },
        replace: true,
        ignoreBlocker: true
      })
    }
  })
  const editing = {
    draft,
    problems,
    edit: (members: Partial<Draft>) => {
      setDraft((now) => ({ ...now, ...members }))
      setProblems((now) => withoutEdited(now, members))
    }
  }
  const showProblems = (nextProblems: Problems) => {
    setProblems(nextProblems)
    focusFirstProblem()
  }
  const save = () =>
    Result.match(productInput(draft), {
      onFailure: showProblems,
      onSuccess: (product) => {
        setProblems(NO_PROBLEMS)
        creating.mutate(product, { onError: (error) => showProblems(problemsIn(error)) })
      }
    })
  const isChanged = differences(newDraft, draft).length > 0
  return (
    <Page title={productTexts.create.title} isWide above={<BackToProducts />}>
      {creating.error === null || isShownInForm(creating.error) ? undefined : <ErrorNotice error={creating.error} />}
      <ProductForm
        editing={editing}
        currency={store.data?.currencyCode ?? ""}
        stock={<NewStock editing={editing} />}
        variantStock={NO_VARIANTS}
      />
      <SaveBar
        isShown
        action={productTexts.create.title}
        save={save}
        discard={() => {
          setDraft(newDraft)
          setProblems(NO_PROBLEMS)
        }}
        isBusy={creating.isPending}
      >
        {problems.size > 0 ? productTexts.create.correctFields : productTexts.create.unsavedProduct}
      </SaveBar>
      <UnsavedChangesGuard isUnsaved={isChanged && !creating.isSuccess}>
        {productTexts.create.unsaved}
      </UnsavedChangesGuard>
    </Page>
  )
}
