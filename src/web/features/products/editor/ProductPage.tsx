import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { Result, Schema } from "effect"
import { useMemo, useState } from "react"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { performed, ProductId } from "../../../../rpc/Client.ts"
import { isMissing } from "../../../shared/data/errorMessages.ts"
import { number, shownStock } from "../../../shared/data/format.ts"
import { useRpcMutation, useRpcQuery } from "../../../shared/data/queries.ts"
import { useStoreId } from "../../../shared/data/store.ts"
import { Badge } from "../../../shared/ui/display/Values.tsx"
import { EmptyState, ErrorNotice, QueryBoundary, NotFoundPage } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { Button, buttonClass } from "../../../shared/ui/form/Button.tsx"
import { PresenceNote, useVersionChoices, VersionChoice } from "../../../shared/ui/form/ConcurrentEdits.tsx"
import { SaveBar, UnsavedChangesGuard } from "../../../shared/ui/form/SaveForm.tsx"
import { Confirm, Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Page, Row, Stack } from "../../../shared/ui/layout/Page.tsx"
import { uncacheProduct } from "../list/useProducts.ts"
import { type Draft, type Field, fieldText } from "./productDraft.ts"
import { BackToProducts, ProductForm } from "./ProductForm.tsx"
import { isShownInForm } from "./productInput.ts"
import { StockDialog, type StockTarget } from "./StockDialog.tsx"
import { useProductEditor } from "./useProductEditor.ts"
import { ProductHistory } from "../../activity/ProductHistory.tsx"
import { productTexts } from "../productTexts.ts"

interface ConflictDialogProps {
  readonly fields: ReadonlyArray<Field>
  readonly yours: Draft
  readonly theirs: Draft
  readonly isOpen: boolean
  readonly close: () => void
  /** Saves with the other user's values for these fields. */
  readonly save: (theirs: ReadonlyArray<Field>) => void
}

/** Resolves fields that two users changed. Nothing is lost until a version is selected. */
const ConflictDialog = ({ close, fields, isOpen, save, theirs, yours }: ConflictDialogProps) => {
  const { choose, chosen } = useVersionChoices<Field>()
  return (
    <Dialog title={productTexts.conflict.title} isOpen={isOpen} close={close} isWide>
      <MutedText>{productTexts.conflict.advice}</MutedText>
      <Stack>
        {fields.map((field) => (
          <VersionChoice
            key={field}
            name={productTexts.fields[field]}
            yours={fieldText(yours, field)}
            theirs={fieldText(theirs, field)}
            isTheirs={chosen.has(field)}
            choose={(isTheirs) => choose(field, isTheirs)}
          />
        ))}
      </Stack>
      <Row>
        <Button kind="strong" onClick={() => save(fields.filter((field) => chosen.has(field)))}>
          {productTexts.conflict.save}
        </Button>
        <Button onClick={close}>{productTexts.conflict.continueEditing}</Button>
      </Row>
    </Dialog>
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

interface ProductEditorProps {
  readonly product: Product
  /** True if another user deleted the product while the page was open. */
  readonly isGone: boolean
}

/** Form of an existing product. */
const ProductEditor = ({ isGone, product }: ProductEditorProps) => {
  const storeId = useStoreId()
  const { id } = product
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const editor = useProductEditor(storeId, id, product)
  const { changed, conflicts, draft, edit, problems, changedByThem, theirs, uploads } = editor
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
            {product.isActive ? productTexts.states.active : productTexts.states.inactive}
          </Badge>
          <Link
            className={buttonClass()}
            to="/dashboard/$storeId/products/new"
            params={{ storeId }}
            search={{ copy: id }}
          >
            {productTexts.editor.duplicate}
          </Link>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            {productTexts.editor.delete}
          </Button>
        </>
      }
    >
      <PresenceNote kind="product" id={id} />
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
        editing={{ draft, problems, edit, uploads }}
        currency={product.currencyCode}
        stock={<CurrentStock product={product} isTracked={draft.trackInventory} update={() => setStockOf("product")} />}
        variantStock={variantStock}
      />
      <SaveBar
        isShown={changed.length > 0 || conflicts.length > 0 || uploads.pending.length > 0}
        save={editor.save}
        discard={editor.discard}
        isBusy={editor.isSaving}
        isBlocked={uploads.pending.length > 0}
      >
        {uploads.pending.length > 0
          ? productTexts.media.uploading(uploads.pending.length)
          : saveBarText(problems.size, conflicts.length, changed.length)}
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
      <UnsavedChangesGuard isUnsaved={(changed.length > 0 || uploads.pending.length > 0) && !isGone}>
        {productTexts.editor.unsaved}
      </UnsavedChangesGuard>
    </Page>
  )
}

const route = getRouteApi("/dashboard/member/$storeId/products/$productId")

const decodeId = Schema.decodeUnknownResult(ProductId)

const ProductDetails = ({ id }: { readonly id: ProductId }) => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "product", id], (client) => client.products.get({ storeId, id }))
  if (isMissing(query.error) && query.data === undefined) return <NotFoundPage />
  if (query.data !== undefined) return <ProductEditor product={query.data} isGone={isMissing(query.error)} />
  return (
    <Page title={productTexts.editor.fallbackTitle} isWide above={<BackToProducts />}>
      <QueryBoundary query={query} lines={12}>
        {() => undefined}
      </QueryBoundary>
    </Page>
  )
}

/** Page of one product. */
export const ProductPage = () => {
  const { productId } = route.useParams()
  return Result.match(decodeId(productId), {
    onFailure: () => <NotFoundPage />,
    onSuccess: (id) => (
      <>
        <ProductDetails key={id} id={id} />
        <ProductHistory id={id} />
      </>
    )
  })
}
