import { Combobox } from "@base-ui/react/combobox"
import { useState } from "react"
import type { ProductSummary } from "../../../../domain/catalog/ProductSummary.ts"
import type { StoreId } from "../../../../rpc/Client.ts"
import { useDebouncedValue, useRpcQuery } from "../../data/queries.ts"
import { money } from "../../data/format.ts"
import { errorMessageOf } from "../../data/errorMessages.ts"
import { Field, type FieldTexts } from "./Field.tsx"
import fieldCss from "./Form.module.css"
import css from "../layout/Popups.module.css"
import { uiTexts } from "../../sharedTexts.ts"

interface ProductSearchProps extends FieldTexts {
  readonly storeId: StoreId
  readonly choose: (product: ProductSummary) => void
  /** Reason why a product cannot be selected, such as "Already added". */
  readonly disabledReason?: (product: ProductSummary) => string | undefined
}

const MAX_QUERY_LENGTH = 255

/** Combobox that finds products by name, SKU or barcode. Clears its input after a selection. */
export const ProductSearch = ({ choose, storeId, disabledReason, ...texts }: ProductSearchProps) => {
  const [typed, setTyped] = useState("")
  const query = useDebouncedValue(typed.trim().slice(0, MAX_QUERY_LENGTH))
  const { data, error, isFetching } = useRpcQuery(
    [storeId, "products", "search", query],
    (client) => client.products.search({ storeId, query, limit: 20 }),
    { enabled: query !== "", keepPrevious: true }
  )
  const results = query === "" ? [] : (data?.items ?? [])
  const status =
    query === ""
      ? undefined
      : error !== null
        ? errorMessageOf(error).advice
        : results.length > 0
          ? undefined
          : isFetching
            ? uiTexts.productSearch.searching
            : uiTexts.productSearch.noMatches
  return (
    <Field {...texts}>
      {(described) => (
        <Combobox.Root<ProductSummary>
          items={results}
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
          <Combobox.Input
            {...described}
            className={fieldCss["control"]}
            placeholder={uiTexts.productSearch.placeholder}
          />
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className={css["resultsPositioner"]}>
              <Combobox.Popup className={css["resultsPopup"]} aria-label={uiTexts.productSearch.results}>
                <Combobox.Status className={css["resultsStatus"]}>{status}</Combobox.Status>
                <Combobox.List className={css["results"]}>
                  {(product: ProductSummary) => (
                    <Combobox.Item
                      key={product.id}
                      value={product}
                      disabled={disabledReason?.(product) !== undefined}
                      className={css["result"]}
                    >
                      <span className={css["resultName"]}>{product.name}</span>
                      <span className={css["resultAside"]}>
                        {disabledReason?.(product) ?? product.sku ?? money(product.price, product.currencyCode)}
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
