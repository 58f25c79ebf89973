import { Combobox } from "@base-ui/react/combobox"
import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { customerName } from "../features/orders/records.tsx"
import { errorMessageOf } from "../shared/data/errorMessages.ts"
import { money } from "../shared/data/format.ts"
import { useRpcQuery, useDebouncedValue } from "../shared/data/queries.ts"
import { useMember, useStoreId } from "../shared/data/store.ts"
import { dashboardTexts } from "./dashboardTexts.ts"
import css from "./Palette.module.css"
import type { PAGES } from "./StorePages.tsx"

const texts = dashboardTexts.palette

/** Maximum number of records of one kind. */
const LIMIT = 5

interface Result {
  readonly key: string
  readonly name: string
  readonly aside?: string
  readonly open: () => Promise<void>
}

interface Group {
  readonly name: string
  readonly items: ReadonlyArray<Result>
}

/** Pages and actions of the dashboard that a member may open. */
const useDestinations = (pages: typeof PAGES): ReadonlyArray<Group> => {
  const storeId = useStoreId()
  const { isOwner } = useMember()
  const navigate = useNavigate()
  const params = { storeId }
  const invite = {
    key: "invite",
    name: texts.inviteMember,
    open: () => navigate({ to: "/dashboard/$storeId/settings/members", params })
  }
  return [
    {
      name: texts.pages,
      items: pages.map(([to, name]) => ({ key: to, name, open: () => navigate({ to, params }) }))
    },
    {
      name: texts.actions,
      items: [
        {
          key: "product",
          name: texts.newProduct,
          open: () => navigate({ to: "/dashboard/$storeId/products/new", params })
        },
        {
          key: "collection",
          name: texts.newCollection,
          open: () => navigate({ to: "/dashboard/$storeId/collections/new", params })
        },
        ...(isOwner ? [invite] : []),
        { key: "import", name: texts.importFile, open: () => navigate({ to: "/dashboard/$storeId/import", params }) }
      ]
    }
  ]
}

/** Records that match. Results of an earlier text are left out, so that Enter never opens one of them. */
const useRecords = (typed: string) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const query = useDebouncedValue(typed)
  const enabled = query !== ""
  const products = useRpcQuery(
    [storeId, "products", "search", query, LIMIT],
    (client) => client.products.search({ storeId, query, limit: LIMIT }),
    { enabled }
  )
  const orders = useRpcQuery(
    [storeId, "orders", "palette", query],
    (client) => client.orders.query({ storeId, search: query, limit: LIMIT }),
    { enabled }
  )
  const customers = useRpcQuery(
    [storeId, "customers", "palette", query],
    (client) => client.customers.query({ storeId, search: query, limit: LIMIT }),
    { enabled }
  )
  const queries = [products, orders, customers]
  const isSearching = typed !== query || queries.some(({ isLoading }) => isLoading)
  const error = queries.find((one) => one.error !== null)?.error ?? null
  const found = <A,>(data: { readonly items: ReadonlyArray<A> } | undefined) =>
    enabled && typed === query ? (data?.items ?? []) : []
  const groups: ReadonlyArray<Group> = [
    {
      name: dashboardTexts.pages.products,
      items: found(products.data).map(({ currencyCode, id, name, price, sku }) => ({
        key: id,
        name,
        aside: sku ?? money(price, currencyCode),
        open: () => navigate({ to: "/dashboard/$storeId/products/$productId", params: { storeId, productId: id } })
      }))
    },
    {
      name: dashboardTexts.pages.orders,
      items: found(orders.data).map(({ currencyCode, id, number, total }) => ({
        key: id,
        name: number,
        aside: money(total, currencyCode),
        open: () => navigate({ to: "/dashboard/$storeId/orders/$orderId", params: { storeId, orderId: id } })
      }))
    },
    {
      name: dashboardTexts.pages.customers,
      items: found(customers.data).map((customer) => ({
        key: customer.id,
        name: customerName(customer),
        ...(customer.company === null ? {} : { aside: customer.company }),
        open: () =>
          navigate({ to: "/dashboard/$storeId/customers/$customerId", params: { storeId, customerId: customer.id } })
      }))
    }
  ]
  return { groups, isSearching, error }
}

interface PaletteProps {
  readonly pages: typeof PAGES
  readonly close: () => void
}

/** Dialog that finds pages, actions, products, orders and customers by text, and opens the chosen one. */
export const Palette = ({ close, pages }: PaletteProps) => {
  const [text, setText] = useState("")
  const typed = text.trim()
  const destinations = useDestinations(pages).map((group) => ({
    ...group,
    items: group.items.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
  }))
  const records = useRecords(typed)
  const groups = [...destinations, ...records.groups].filter(({ items }) => items.length > 0)
  const status =
    records.error !== null
      ? errorMessageOf(records.error).advice
      : records.isSearching
        ? texts.searching
        : groups.length === 0
          ? texts.noMatches
          : undefined
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css["backdrop"]} />
        <Dialog.Popup className={css["popup"]} aria-label={texts.search}>
          <Combobox.Root<Result>
            inline
            open
            items={groups}
            filter={null}
            autoHighlight
            value={null}
            inputValue={text}
            onInputValueChange={setText}
            itemToStringLabel={({ name }) => name}
            onOpenChange={(open) => (open ? undefined : close())}
            onValueChange={(result) => {
              if (result === null) return
              close()
              void result.open()
            }}
          >
            <Combobox.Input
              className={css["input"]}
              aria-label={texts.search}
              placeholder={texts.placeholder}
              maxLength={255}
            />
            <Combobox.Status className={css["status"]}>{status}</Combobox.Status>
            <Combobox.List className={css["list"]} aria-label={texts.results} tabIndex={-1}>
              {(group: Group) => (
                <Combobox.Group key={group.name} items={group.items}>
                  <Combobox.GroupLabel className={css["label"]}>{group.name}</Combobox.GroupLabel>
                  <Combobox.Collection>
                    {(result: Result) => (
                      <Combobox.Item key={result.key} value={result} className={css["item"]}>
                        <span className={css["name"]}>{result.name}</span>
                        <span className={css["aside"]}>{result.aside}</span>
                      </Combobox.Item>
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
