import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { performed } from "../../../../rpc/Client.ts"
import { number } from "../../../shared/data/format.ts"
import { shownStock } from "../../../shared/data/shownStock.ts"
import { useRpcMutation } from "../../../shared/data/queries.ts"
import { Badge } from "../../../shared/ui/display/Badge.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Confirm } from "../../../shared/ui/layout/Dialog.tsx"
import { Page, Row } from "../../../shared/ui/layout/Page.tsx"
import { SaveBar } from "../../../shared/ui/form/SaveBar.tsx"
import { EmptyState, ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { UnsavedChangesGuard } from "../../../shared/ui/form/UnsavedChangesGuard.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { ConflictDialog } from "./ConflictDialog.tsx"
import { BackToProducts, ProductForm } from "./ProductForm.tsx"
import { StockDialog, type StockTarget } from "./StockDialog.tsx"
import { useProductEditor } from "./useProductEditor.ts"
import { uncacheProduct } from "../list/useProducts.ts"
import { isShownInForm } from "./productInput.ts"
import { productTexts } from "../productTexts.ts"

interface ProductEditorProps {
  readonly product: Product
  /** True if another user deleted the product while the page was open. */
  readonly isGone: boolean
}

/** Form of an existing product. */
export const ProductEditor = ({ isGone, product }: ProductEditorProps) => {
  const storeId = useStoreId()
  const { id } = product
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const editor = useProductEditor(storeId, id, product)
  const { changed, conflicts, draft, edit, problems, changedByThem, theirs } = editor
  const [stockOf, setStockOf] = useState<StockTarget>()
  const [isDeleting, setDeleting] = useState(false)

  const deleting = useRpcMutation({
    write: (client, _: void, idempotencyKey) => performed(client.products.delete({ storeId, id, idempotencyKey })),
    invalidates: [
      [storeId, "products"],
      [storeId, "store"]
    ],
    onSuccess: () => {
      editor.discard()
      uncacheProduct(queryClient, storeId, id)
      toast(productTexts.editor.deleted(product.name))
      void navigate({ to: "/dashboard/$storeId/products", params: { storeId }, ignoreBlocker: true })
    }
  })

  const variantStock = useMemo(
    () =>
      new Map(
        product.variants.map(({ id: variantId, stock = 0 }, index) => [
          variantId,
          <Button
            key={variantId}
            kind="quiet"
            aria-label={productTexts.editor.updateVariantStock(index + 1, number(stock))}
            onClick={() => setStockOf({ variantId })}
          >
            {number(stock)}
          </Button>
        ])
      ),
    [product.variants]
  )

  return (
    <Page
      title={product.name}
      isWide
      above={<BackToProducts />}
      actions={
        <>
          <Badge tone={product.isActive ? "good" : "plain"}>
            {product.isActive ? productTexts.list.statuses.active : productTexts.list.statuses.inactive}
          </Badge>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            {productTexts.editor.delete}
          </Button>
        </>
      }
    >
      {isGone ? (
        <EmptyState title={productTexts.editor.wasDeleted}>
          <p>{productTexts.editor.wasDeletedAdvice}</p>
        </EmptyState>
      ) : undefined}
      {editor.error === null || isShownInForm(editor.error) ? undefined : <ErrorNotice error={editor.error} />}
      {changedByThem.length === 0 ? undefined : (
        <output>
          {productTexts.editor.changedByOthers(changedByThem.map((field) => productTexts.fields[field]).join(", "))}
        </output>
      )}
      <ProductForm
        editing={{ draft, problems, edit }}
        currency={product.currencyCode}
        stock={<CurrentStock product={product} isTracked={draft.trackInventory} update={() => setStockOf("product")} />}
        variantStock={variantStock}
      />
      <SaveBar
        isShown={changed.length > 0 || conflicts.length > 0}
        save={editor.save}
        discard={editor.discard}
        isBusy={editor.isSaving}
      >
        {saveBarText(problems.size, conflicts.length, changed.length)}
      </SaveBar>
      <ConflictDialog
        fields={conflicts}
        yours={draft}
        theirs={theirs}
        isOpen={editor.isComparing}
        close={editor.endCompare}
        save={editor.saveChosen}
      />
      <StockDialog storeId={storeId} product={product} target={stockOf} close={() => setStockOf(undefined)} />
      <Confirm
        title={productTexts.editor.confirmDelete(product.name)}
        action={productTexts.editor.delete}
        isOpen={isDeleting}
        close={() => setDeleting(false)}
        confirm={() => deleting.mutate()}
        isBusy={deleting.isPending}
        error={deleting.error}
      >
        {productTexts.editor.deleteAdvice}
      </Confirm>
      <UnsavedChangesGuard isUnsaved={changed.length > 0 && !isGone}>{productTexts.editor.unsaved}</UnsavedChangesGuard>
    </Page>
  )
}

interface CurrentStockProps {
  readonly product: Product
  /** Value of the form. */
  readonly isTracked: boolean
  readonly update: () => void
}

/** Stock of the product, or that of its variants together, which change it. */
const CurrentStock = ({ isTracked, product, update }: CurrentStockProps) => {
  const { variants } = product
  const shown = shownStock({ ...product, trackInventory: isTracked })
  if (shown === undefined) return <p>{productTexts.editor.untracked}</p>
  const stock = number(shown)
  if (variants.length > 0) return <p>{productTexts.editor.inStockOfVariants(stock, variants.length)}</p>
  return (
    <Row>
      <span>{productTexts.editor.inStock(stock)}</span>
      <Button onClick={update}>{productTexts.stock.update}</Button>
    </Row>
  )
}

const saveBarText = (problemCount: number, conflicts: number, changed: number) => {
  if (conflicts > 0) return productTexts.editor.conflict
  if (problemCount > 0) return productTexts.editor.correctFields(problemCount)
  return productTexts.editor.changedFields(changed)
}
