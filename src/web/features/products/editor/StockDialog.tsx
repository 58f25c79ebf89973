import { useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { isWhole } from "../../../../domain/catalog/Inventory.ts"
import type { Product } from "../../../../domain/catalog/Product.ts"
import { performed, type SetInventory, type StoreId } from "../../../../rpc/Client.ts"
import { number } from "../../../shared/data/format.ts"
import { useRpcMutation } from "../../../shared/data/queries.ts"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { NumberField, SelectField, TextField } from "../../../shared/ui/form/Field.tsx"
import { Row, Stack } from "../../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { parseStockChange, type StockChange, NO_PROBLEMS } from "./productInput.ts"
import { cacheProduct } from "../list/useProducts.ts"
import { productTexts } from "../productTexts.ts"

/** Product or variant whose stock changes. */
export type StockTarget = "product" | { readonly variantId: string }

interface StockDialogProps {
  readonly storeId: StoreId
  readonly product: Product
  readonly target: StockTarget | undefined
  readonly close: () => void
}

const Form = ({ close, target, product, storeId }: StockDialogProps & { readonly target: StockTarget }) => {
  const queryClient = useQueryClient()
  const [mode, setMode] = useState<StockChange["mode"]>("adjust")
  const [input, setInput] = useState("")
  const [reason, setReason] = useState("")
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const variantId = target === "product" ? undefined : target.variantId
  const variant = product.variants.find(({ id }) => id === variantId)
  const shown = variantId === undefined ? product.stock : (variant?.stock ?? 0)
  const updating = useRpcMutation({
    write: (client, change: SetInventory, idempotencyKey) =>
      performed(client.inventory.change({ storeId, id: product.id, idempotencyKey, change })),
    invalidates: [[storeId, "products"]],
    onSuccess: (saved) => {
      if (isWhole(saved)) cacheProduct(queryClient, storeId, saved)
      toast(productTexts.stock.updated)
      close()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    Result.match(parseStockChange({ mode, input, reason, shown, variantId }), {
      onFailure: setProblems,
      onSuccess: (change) => {
        setProblems(NO_PROBLEMS)
        updating.mutate(change, {
          onError: () => void queryClient.invalidateQueries({ queryKey: [storeId, "product", product.id] })
        })
      }
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <p>{productTexts.stock.current(number(shown), variant?.title)}</p>
        {updating.error === null ? undefined : <ErrorNotice error={updating.error} />}
        <SelectField
          label={productTexts.stock.action}
          value={mode}
          onChange={({ target }) => setMode(target.value === "count" ? "count" : "adjust")}
        >
          <option value="adjust">{productTexts.stock.adjust}</option>
          <option value="count">{productTexts.stock.set}</option>
        </SelectField>
        <NumberField
          label={mode === "adjust" ? productTexts.stock.quantityToAdd : productTexts.stock.newQuantity}
          hint={mode === "adjust" ? productTexts.stock.adjustHint : productTexts.stock.setHint(number(shown))}
          // The decimal keyboard of iPhones has no minus sign.
          inputMode={mode === "adjust" ? "text" : "decimal"}
          value={input}
          problem={problems.get("input")}
          onChange={({ target }) => setInput(target.value)}
        />
        <TextField
          label={productTexts.stock.reason}
          hint={productTexts.stock.reasonHint}
          value={reason}
          problem={problems.get("reason")}
          onChange={({ target }) => setReason(target.value)}
        />
        <Row>
          <Button type="submit" kind="strong" isBusy={updating.isPending}>
            {productTexts.stock.update}
          </Button>
        </Row>
      </Stack>
    </form>
  )
}

/** Changes the stock immediately, independent of the product form. */
export const StockDialog = (props: StockDialogProps) => (
  <Dialog title={productTexts.stock.update} isOpen={props.target !== undefined} close={props.close}>
    {props.target === undefined ? undefined : <Form {...props} target={props.target} />}
  </Dialog>
)
