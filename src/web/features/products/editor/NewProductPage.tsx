import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { Result } from "effect"
import { useState } from "react"
import { type CreateProduct, performed, type ProductId } from "../../../../rpc/Client.ts"
import { differences } from "../../../shared/data/differences.ts"
import { useRpcMutation, useRpcQuery } from "../../../shared/data/queries.ts"
import { NumberField } from "../../../shared/ui/form/Field.tsx"
import { Page } from "../../../shared/ui/layout/Page.tsx"
import { SaveBar, UnsavedChangesGuard } from "../../../shared/ui/form/SaveForm.tsx"
import { ErrorNotice, QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { useStore, useStoreId } from "../../../shared/data/store.ts"
import { isShownInForm, NO_PROBLEMS, type Problems, problemsIn, productInput } from "./productInput.ts"
import { copyOf, type Draft, newDraft } from "./productDraft.ts"
import { useUploads } from "../../files/uploads.ts"
import { addPictures, replacePicture } from "./pictures.ts"
import { focusFirstProblem, type FormState, withoutEdited } from "./productFields.ts"
import { BackToProducts, ProductForm } from "./ProductForm.tsx"
import { cacheProduct, reloadLists } from "../list/useProducts.ts"
import { productTexts } from "../productTexts.ts"

/** Initial stock, if the variants have none of their own. */
const NewStock = ({ draft, edit, problems }: FormState) => {
  const { trackInventory, variants } = draft
  if (!trackInventory) return <p>{productTexts.editor.untracked}</p>
  if (variants.length > 0) return <p>{productTexts.editor.stockOfVariants}</p>
  return (
    <NumberField
      label={productTexts.fields.stock}
      value={draft.stock}
      problem={problems.get("stock")}
      onChange={({ target }) => edit({ stock: target.value })}
    />
  )
}

const NO_VARIANTS = new Map<string, never>()

interface NewProductProps {
  /** Values when the form opens: those of an empty product, or of a copy. */
  readonly initial: Draft
}

const NewProduct = ({ initial }: NewProductProps) => {
  const storeId = useStoreId()
  const store = useStore()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(initial)
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
  const uploads = useUploads(storeId, ({ alt, url }, replaces) => {
    setDraft((now) => ({
      ...now,
      ...(replaces === undefined ? addPictures(now, [{ url, alt }]) : replacePicture(now, replaces, url))
    }))
  })
  const isUploading = uploads.pending.length > 0
  const editing = {
    draft,
    problems,
    uploads,
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
    Result.match(productInput(draft, initial, store.data?.currencyCode), {
      onFailure: showProblems,
      onSuccess: (product) => {
        setProblems(NO_PROBLEMS)
        creating.mutate(product, { onError: (error) => showProblems(problemsIn(error)) })
      }
    })
  const isChanged = differences(initial, draft).length > 0
  return (
    <Page title={productTexts.create.title} isWide above={<BackToProducts />}>
      {creating.error === null || isShownInForm(creating.error) ? undefined : <ErrorNotice error={creating.error} />}
      <ProductForm
        editing={editing}
        currency={store.data?.currencyCode ?? ""}
        stock={<NewStock {...editing} />}
        variantStock={NO_VARIANTS}
      />
      <SaveBar
        isShown
        action={productTexts.create.title}
        save={save}
        discard={() => {
          setDraft(initial)
          setProblems(NO_PROBLEMS)
          uploads.clear()
        }}
        isBusy={creating.isPending}
        isBlocked={isUploading}
      >
        {isUploading
          ? productTexts.media.uploading(uploads.pending.length)
          : problems.size > 0
            ? productTexts.create.correctFields
            : productTexts.create.unsavedProduct}
      </SaveBar>
      <UnsavedChangesGuard isUnsaved={(isChanged || isUploading) && !creating.isSuccess}>
        {productTexts.create.unsaved}
      </UnsavedChangesGuard>
    </Page>
  )
}

const ProductCopy = ({ of: id }: { readonly of: ProductId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "product", id], (client) => client.products.get({ storeId, id }))
  // Later changes of the original do not reach the form.
  const [initial, setInitial] = useState<Draft>()
  if (initial === undefined && query.data !== undefined) setInitial(copyOf(query.data))
  if (initial !== undefined) return <NewProduct initial={initial} />
  return (
    <Page title={productTexts.create.title} isWide above={<BackToProducts />}>
      <QueryBoundary query={query} lines={12}>
        {() => undefined}
      </QueryBoundary>
    </Page>
  )
}

const route = getRouteApi("/dashboard/member/$storeId/products/new")

/** Creates a product, as a copy of another one if the address names it. Only the name is required. */
export const NewProductPage = () => {
  const { copy } = route.useSearch()
  return copy === undefined ? <NewProduct initial={newDraft} /> : <ProductCopy key={copy} of={copy} />
}
