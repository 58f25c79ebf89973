import { Combobox } from "@base-ui/react/combobox"
import { useState } from "react"
import type { ProductSummary } from "../../domain/catalog/ProductSummary.ts"
import type { StoreId } from "../../rpc/Client.ts"
import { useSettled } from "../data/Debounce.ts"
import { money } from "../data/Format.ts"
import { problemOf } from "../data/Problem.ts"
import { useAsked } from "../data/Queries.ts"
import { Field, type Said } from "./Field.tsx"
import field from "./Field.module.css"
import css from "./ProductSearch.module.css"

interface ProductSearchProps extends Said {
  readonly storeId: StoreId
  readonly choose: (product: ProductSummary) => void
  /** What is said of a product that cannot be chosen, as it was already. */
  readonly why?: (product: ProductSummary) => string | undefined
}

const MAX = 255

/** Finds a product by its name, SKU or barcode while it is typed. What is chosen is told, and the field is empty again. */
export const ProductSearch = ({ choose, storeId, why, ...said }: ProductSearchProps) => {
  const [typed, setTyped] = useState("")
  const query = useSettled(typed.trim().slice(0, MAX))
  const { data, error, isFetching } = useAsked(
    [storeId, "products", "search", query],
    (client) => client.products.search({ storeId, query, limit: 20 }),
    { enabled: query !== "", keepsLast: true }
  )
  const found = query === "" ? [] : (data?.items ?? [])
  const status =
    query === ""
      ? undefined
      : error !== null
        ? problemOf(error).advice
        : found.length > 0
          ? undefined
          : isFetching
            ? "Searching…"
            : "No products found. Try a shorter search or a SKU."
  return (
    <Field {...said}>
      {(described) => (
        <Combobox.Root<ProductSummary>
          items={found}
          filter={null}
          autoHighlight
          value={null}
          inputValue={typed}
          onInputValueChange={setTyped}
          itemToStringLabel={({ name }) => name}
          onValueChange={(product) => {
            if (product === null) return
            choose(product)
            setTyped("")
          }}
        >
          <Combobox.Input {...described} className={field["control"]} placeholder="Name, SKU or barcode" />
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className={css["positioner"]}>
              <Combobox.Popup className={css["popup"]} aria-label="Search results">
                <Combobox.Status className={css["status"]}>{status}</Combobox.Status>
                <Combobox.List className={css["list"]}>
                  {(product: ProductSummary) => (
                    <Combobox.Item
                      key={product.id}
                      value={product}
                      disabled={why?.(product) !== undefined}
                      className={css["item"]}
                    >
                      <span className={css["name"]}>{product.name}</span>
                      <span className={css["aside"]}>
                        {why?.(product) ?? product.sku ?? money(product.price, product.currencyCode)}
                      </span>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  )
}
