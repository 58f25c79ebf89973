import { getRouteApi, Link } from "@tanstack/react-router"
import { Effect } from "effect"
import type { Order } from "../../../domain/records/Order.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { money, number, time } from "../../data/format.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { NotFoundPage } from "../../ui/layout/ErrorPage.tsx"
import { Card, Facts, Page, Row } from "../../ui/layout/Page.tsx"
import { QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/display/Table.tsx"
import { AddressText } from "../records/AddressText.tsx"
import css from "../records/Records.module.css"
import { OrderStatusBadge, CustomStatusBadge } from "../records/OrderStatusBadges.tsx"
import { useStoreId } from "../store.ts"

const route = getRouteApi("/dashboard/member/$storeId/orders/$orderId")

/** Order details, read-only. */
export const OrderPage = () => {
  const { orderId: id, storeId } = route.useParams()
  const query = useRpcQuery([storeId, "order", id], (client) => client.orders.get({ storeId, id }))
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data === undefined ? "Order" : `Order ${query.data.number}`}
      above={
        <Link to="/dashboard/$storeId/orders" params={{ storeId }}>
          Orders
        </Link>
      }
    >
      <QueryBoundary query={query} lines={12}>
        {(order) => <OrderDetails order={order} />}
      </QueryBoundary>
    </Page>
  )
}

const OrderDetails = ({ order }: { readonly order: Order }) => (
  <div className={css["record"]}>
    <div className={css["column"]}>
      <Row>
        <OrderStatusBadge status={order.status} />
        <span>{time(order.placedAt)}</span>
      </Row>
      <Card title="Items">
        <OrderItems order={order} />
        <OrderTotals order={order} />
      </Card>
      {order.note === null ? undefined : (
        <Card title="Note">
          <p className={css["note"]}>{order.note}</p>
        </Card>
      )}
    </div>
    <div className={css["column"]}>
      <Card title="Customer">
        <OrderCustomer order={order} />
      </Card>
      <Card title="Payment and fulfillment">
        <Facts
          facts={[
            ["Payment", <CustomStatusBadge key="paid" word={order.financialStatus} />],
            ["Fulfillment", <CustomStatusBadge key="sent" word={order.fulfillmentStatus} />]
          ]}
        />
      </Card>
      <Card title="Shipping address">
        <AddressText address={order.shippingAddress} />
      </Card>
      <Card title="Billing address">
        <AddressText address={order.billingAddress} />
      </Card>
      <Card title="Dates">
        <Facts
          facts={[
            ["Created", time(order.createdAt)],
            ["Updated", time(order.updatedAt)]
          ]}
        />
      </Card>
    </div>
  </div>
)

const lineColumns = (storeId: StoreId, currencyCode: string): ReadonlyArray<Column<Order["lineItems"][number]>> => [
  {
    name: "Product",
    cell: ({ name, productId, sku }) => (
      <>
        {productId === null ? (
          name
        ) : (
          <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId }}>
            {name}
          </Link>
        )}
        {sku === null ? undefined : <span className={css["secondary"]}>{sku}</span>}
      </>
    )
  },
  { name: "Price", cell: ({ unitPrice }) => money(unitPrice, currencyCode), isNumber: true },
  { name: "Quantity", cell: ({ quantity }) => number(quantity), isNumber: true },
  {
    name: "Discount",
    cell: ({ discount }) => (Number(discount) === 0 ? "—" : money(discount, currencyCode)),
    isNumber: true
  },
  { name: "Total", cell: ({ total }) => money(total, currencyCode), isNumber: true }
]

const OrderItems = ({ order: { currencyCode, lineItems } }: { readonly order: Order }) => {
  const storeId = useStoreId()
  return (
    <Table caption="Order items" columns={lineColumns(storeId, currencyCode)} rows={lineItems} keyOf={({ id }) => id} />
  )
}

const OrderTotals = ({ order }: { readonly order: Order }) => {
  const amounts = [
    ["Subtotal", order.subtotal],
    ["Discount", order.discount],
    ["Shipping", order.shipping],
    ["Tax", order.tax]
  ] as const
  return (
    <dl className={css["totals"]}>
      {amounts.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{money(amount, order.currencyCode)}</dd>
        </div>
      ))}
      <div className={css["sum"]}>
        <dt>Total</dt>
        <dd>{money(order.total, order.currencyCode)}</dd>
      </div>
    </dl>
  )
}

/** Customer of the order, as a link if the store has a record. */
const OrderCustomer = ({ order: { customerId, email } }: { readonly order: Order }) => {
  const storeId = useStoreId()
  const query = useRpcQuery(
    [storeId, "customer", customerId],
    (client) => (customerId === null ? Effect.succeed(null) : client.customers.get({ storeId, id: customerId })),
    { enabled: customerId !== null }
  )
  return (
    <>
      {customerId === null ? (
        <p>No customer account</p>
      ) : (
        <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId }}>
          {query.data?.name ?? query.data?.email ?? "View customer"}
        </Link>
      )}
      {email === null ? undefined : <p>{email}</p>}
    </>
  )
}
