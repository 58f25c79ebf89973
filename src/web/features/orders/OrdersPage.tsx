import { type Dates, useDates } from "../../shared/data/format.ts"
import { getRouteApi } from "@tanstack/react-router"
import { Status } from "../../../domain/records/Order.ts"
import type { QueryCursor } from "../../../domain/Query.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { useRpcQuery, usePagedQuery } from "../../shared/data/queries.ts"
import { withSearch } from "../../shared/data/urlSearch.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SelectField, TextField, SearchField } from "../../shared/ui/form/Field.tsx"
import { ListPage } from "../../shared/ui/display/ListPage.tsx"
import { type OrderSearch, parseOrderSearch } from "./recordSearch.ts"
import { recordTexts } from "./recordTexts.ts"
import { NEWEST_FIRST, orderColumnsOf } from "./orderColumns.tsx"
import { orderTexts } from "./orderTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/orders")

const PAGE_SIZE = 50

const whereOf = ({ from, sort: _, to, ...filter }: OrderSearch, { dayStart }: Dates) => ({
  ...filter,
  ...(from === undefined ? {} : { placedSince: dayStart(from) }),
  ...(to === undefined ? {} : { placedBefore: dayStart(to, 1) })
})

/** Loads a page of orders. */
const listOrders =
  (storeId: StoreId, search: OrderSearch, dates: Dates) =>
  (position: { readonly cursor?: QueryCursor }) =>
  (client: Client) =>
    client.orders.query({
      storeId,
      limit: PAGE_SIZE,
      ...whereOf(search, dates),
      ...(search.sort === undefined ? {} : { sort: search.sort }),
      ...position
    })

/** Orders of the store, newest first. */
export const OrdersPage = () => {
  const { storeId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const dates = useDates()
  const { sort = NEWEST_FIRST, ...filter } = search
  const isFiltered = Object.keys(filter).length > 0
  const change = (part: Partial<Record<keyof OrderSearch, string | undefined>>, replace = false) =>
    void navigate({ search: parseOrderSearch(withSearch(search, part)), replace })
  const list = usePagedQuery([storeId, "orders", search], listOrders(storeId, search, dates), { keepPrevious: true })
  const all = useRpcQuery([storeId, "orders", "count"], (client) => client.orders.query({ storeId, limit: 1 }), {
    enabled: isFiltered
  })
  return (
    <ListPage
      texts={orderTexts.list}
      list={list}
      columns={orderColumnsOf(storeId)}
      content={{ kind: "orders", where: whereOf(search, dates) }}
      sorting={{ sort, change: (next) => change({ sort: next === NEWEST_FIRST ? undefined : next }) }}
      all={all.data?.total}
      clear={
        isFiltered
          ? () => void navigate({ search: parseOrderSearch(withSearch({}, { sort: search.sort })) })
          : undefined
      }
      filters={
        <>
          <SearchField
            label={orderTexts.list.search}
            placeholder={orderTexts.list.searchPlaceholder}
            value={search.search ?? ""}
            change={(text) => change({ search: text }, search.search !== undefined)}
          />
          <SelectField
            label={orderTexts.list.status}
            value={search.status ?? ""}
            onChange={({ target }) => change({ status: target.value })}
          >
            <option value="">{orderTexts.list.anyStatus}</option>
            {Status.literals.map((status) => (
              <option key={status} value={status}>
                {recordTexts.orderStatus[status]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={orderTexts.list.from}
            type="date"
            value={search.from ?? ""}
            onChange={({ target }) => change({ from: target.value })}
          />
          <TextField
            label={orderTexts.list.to}
            type="date"
            value={search.to ?? ""}
            onChange={({ target }) => change({ to: target.value })}
          />
          <Button kind="quiet" onClick={() => change({ from: dates.dateDaysAgo(7), to: undefined })}>
            {orderTexts.list.lastWeek}
          </Button>
          <Button kind="quiet" onClick={() => change({ from: dates.dateDaysAgo(30), to: undefined })}>
            {orderTexts.list.lastMonth}
          </Button>
          {search.customerId === undefined ? undefined : (
            <Button kind="quiet" onClick={() => change({ customerId: undefined })}>
              {orderTexts.list.allCustomers}
            </Button>
          )}
        </>
      }
    />
  )
}
