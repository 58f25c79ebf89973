import { useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { type FormEvent, useState } from "react"
import type { Product } from "../../../domain/catalog/Product.ts"
import { performed, type SetInventory, type StoreId } from "../../../rpc/Client.ts"
import { number } from "../../data/Format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { SelectField, TextField } from "../../ui/Field.tsx"
import { Row, Stack } from "../../ui/Page.tsx"
import { ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { NOTHING_WRONG } from "./Refused.ts"
import { inventoryOf, type StockChange } from "./Stock.ts"
import { keepProduct } from "./useProducts.ts"

/** Whose stock is changed: the product's own, or that of a variant. */
export type StockOf = "product" | { readonly variantId: string }

interface StockDialogProps {
  readonly storeId: StoreId
  readonly product: Product
  readonly of: StockOf | undefined
  readonly close: () => void
}

const Form = ({ close, of, product, storeId }: StockDialogProps & { readonly of: StockOf }) => {
  const queryClient = useQueryClient()
  const [way, setWay] = useState<StockChange["way"]>("adjust")
  const [typed, setTyped] = useState("")
  const [reason, setReason] = useState("")
  const [problems, setProblems] = useState(NOTHING_WRONG)
  const variantId = of === "product" ? undefined : of.variantId
  const variant = product.variants.find(({ id }) => id === variantId)
  const shown = variantId === undefined ? product.stock : (variant?.stock ?? 0)
  const changing = useRpcMutation({
    write: (client, change: SetInventory, idempotencyKey) =>
      performed(client.inventory.change({ storeId, id: product.id, idempotencyKey, change })),
    invalidates: [[storeId, "products"]],
    onSuccess: (saved) => {
      keepProduct(queryClient, storeId, saved)
      toast("Stock updated")
      close()
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    Result.match(inventoryOf({ way, typed, reason, shown, variantId }), {
      onFailure: setProblems,
      onSuccess: (change) => {
        setProblems(NOTHING_WRONG)
        changing.mutate(change, {
          onError: () => void queryClient.invalidateQueries({ queryKey: [storeId, "product", product.id] })
        })
      }
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <p>
          {number(shown)} in stock{variant?.title === undefined ? "" : ` for ${variant.title}`}.
        </p>
        {changing.error === null ? undefined : <ErrorNotice error={changing.error} />}
        <SelectField
          label="Action"
          value={way}
          onChange={({ target }) => setWay(target.value === "count" ? "count" : "adjust")}
        >
          <option value="adjust">Adjust by</option>
          <option value="count">Set to</option>
        </SelectField>
        <TextField
          label={way === "adjust" ? "Quantity to add" : "New quantity"}
          hint={
            way === "adjust"
              ? "Use a negative number to reduce the stock, such as -2."
              : `Saved only if the stock is still ${number(shown)}.`
          }
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          problem={problems.get("typed")}
          onChange={({ target }) => setTyped(target.value)}
        />
        <TextField
          label="Reason"
          hint="Shown under Activity. Optional."
          value={reason}
          problem={problems.get("reason")}
          onChange={({ target }) => setReason(target.value)}
        />
        <Row>
          <Button type="submit" kind="strong" isBusy={changing.isPending}>
            {" "}
            Update stock{" "}
          </Button>
        </Row>
      </Stack>
    </form>
  )
}

/** Changes how many there are, at once, whatever stands in the form of the product. */
export const StockDialog = (props: StockDialogProps) => (
  <Dialog title="Update stock" isOpen={props.of !== undefined} close={props.close}>
    {props.of === undefined ? undefined : <Form {...props} of={props.of} />}
  </Dialog>
)
