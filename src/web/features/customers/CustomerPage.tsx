import { getRouteApi, Link } from "@tanstack/react-router"
import { Time, Badge } from "../../shared/ui/display/Values.tsx"
import { addressLines } from "../../../domain/records/AddressLines.ts"
import type { Customer } from "../../../domain/records/Customer.ts"
import type { Order } from "../../../domain/records/Order.ts"
import { money, number } from "../../shared/data/format.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { NotFoundPage, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { BackLink, Card, Facts, MutedText, Page, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { Table } from "../../shared/ui/display/Table.tsx"
import { orderColumnsOf } from "../orders/orderColumns.tsx"
import { orderTexts } from "../orders/orderTexts.ts"
import { AddressText, customerName } from "../orders/records.tsx"
import css from "../orders/Orders.module.css"
import { customerTexts } from "./customerTexts.ts"
import { recordTexts } from "../orders/recordTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/customers/$customerId")

/** Customer details, read-only. */
export const CustomerPage = () => {
  const { customerId: id, storeId } = route.useParams()
  const query = useRpcQuery([storeId, "customer", id], (client) => client.customers.get({ storeId, id }))
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data === undefined ? customerTexts.details.fallbackTitle : customerName(query.data)}
      above={
        <BackLink to="/dashboard/$storeId/customers" params={{ storeId }}>
          {customerTexts.details.back}
        </BackLink>
      }
    >
      <QueryBoundary query={query} lines={8}>
        {(customer) => <CustomerDetails customer={customer} />}
      </QueryBoundary>
    </Page>
  )
}

const SHOWN_COLUMNS: ReadonlySet<string> = new Set([
  orderTexts.list.order,
  orderTexts.list.placed,
  orderTexts.list.status,
  orderTexts.list.total
])

/** Orders that the page lists. */
const SHOWN_ORDERS = 20

const currenciesOf = (orders: ReadonlyArray<Order>) => [...new Set(orders.map(({ currencyCode }) => currencyCode))]

/** Sum of all orders, with the currency if the latest orders have one. */
const spentText = (total: number, orders: ReadonlyArray<Order>) => {
  const [currency, ...others] = currenciesOf(orders)
  return currency === undefined || others.length > 0 ? number(total) : money(total, currency)
}

const LatestOrders = ({ orders }: { readonly orders: ReadonlyArray<Order> }) => {
  const { storeId } = route.useParams()
  if (orders.length === 0) return <MutedText>{customerTexts.details.noOrders}</MutedText>
  const columns = orderColumnsOf(storeId).filter(({ name }) => SHOWN_COLUMNS.has(name))
  return <Table caption={customerTexts.details.latestOrders} columns={columns} rows={orders} keyOf={({ id }) => id} />
}

const CustomerDetails = ({ customer }: { readonly customer: Customer }) => {
  const { storeId } = route.useParams()
  const addresses = customer.addresses ?? []
  const latest = useRpcQuery([storeId, "orders", "latest", customer.id], (client) =>
    client.orders.query({ storeId, customerId: customer.id, limit: SHOWN_ORDERS })
  )
  const orders = latest.data?.items ?? []
  return (
    <div className={css["record"]}>
      <Stack>
        <Card title={customerTexts.details.contact}>
          <Facts
            facts={[
              [customerTexts.details.email, customer.email ?? "—"],
              [customerTexts.details.phone, customer.phone ?? "—"],
              [customerTexts.details.company, customer.company ?? "—"],
              [
                customerTexts.details.marketing,
                customer.acceptsMarketing ? customerTexts.details.subscribed : customerTexts.details.notSubscribed
              ]
            ]}
          />
        </Card>
        <Card title={customerTexts.details.latestOrders}>
          <QueryBoundary query={latest} lines={3}>
            {({ items }) => <LatestOrders orders={items} />}
          </QueryBoundary>
          {customer.ordersCount > SHOWN_ORDERS ? (
            <Link to="/dashboard/$storeId/orders" params={{ storeId }} search={{ customerId: customer.id }}>
              {customerTexts.details.viewOrders}
            </Link>
          ) : undefined}
        </Card>
        <Card title={customerTexts.details.addresses}>
          {addresses.length === 0 ? <MutedText>{recordTexts.none}</MutedText> : undefined}
          {addresses.map((address, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- Addresses have no id.
            <AddressText key={`${index} ${addressLines(address).join()}`} address={address} />
          ))}
        </Card>
      </Stack>
      <Stack isSecondary>
        <Card title={customerTexts.details.orders}>
          <Facts
            facts={[
              [customerTexts.details.orders, number(customer.ordersCount)],
              [customerTexts.details.totalSpent, spentText(customer.totalSpent, orders)]
            ]}
          />
          {currenciesOf(orders).length > 1 ? <MutedText>{customerTexts.details.mixed}</MutedText> : undefined}
        </Card>
        <Card title={customerTexts.details.tags}>
          {customer.tags.length === 0 ? (
            <MutedText>{recordTexts.none}</MutedText>
          ) : (
            <Row>
              {customer.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </Row>
          )}
        </Card>
        <Card title={customerTexts.details.dates}>
          <Facts
            facts={[
              [customerTexts.details.created, <Time key="created" at={customer.createdAt} />],
              [customerTexts.details.updated, <Time key="updated" at={customer.updatedAt} />]
            ]}
          />
        </Card>
      </Stack>
    </div>
  )
}
