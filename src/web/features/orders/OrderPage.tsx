import { getRouteApi, Link } from "@tanstack/react-router"
import { Effect } from "effect"
import { Time } from "../../shared/ui/display/Values.tsx"
import type { Order } from "../../../domain/records/Order.ts"
import type { StoreId } from "../../../rpc/Client.ts"
import { money, number } from "../../shared/data/format.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { NotFoundPage, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { BackLink, Card, Facts, Page, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { type Column, Table } from "../../shared/ui/display/Table.tsx"
import { AddressText, OrderStatusBadge, CustomStatusBadge } from "./records.tsx"
import css from "./Orders.module.css"
import { useStoreId } from "../../shared/data/store.ts"
import { orderTexts } from "./orderTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/orders/$orderId")

/** Order details, read-only. */
export const OrderPage = () => {
  const { orderId: id, storeId } = route.useParams()
  const query = useRpcQuery([storeId, "order", id], (client) => client.orders.get({ storeId, id }))
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data === undefined ? orderTexts.details.fallbackTitle : orderTexts.details.title(query.data.number)}
      above={
        <BackLink to="/dashboard/$storeId/orders" params={{ storeId }}>
          {orderTexts.details.back}
        </BackLink>
      }
      actions={<Button onClick={() => print()}>{orderTexts.details.print}</Button>}
    >
      <QueryBoundary query={query} lines={12}>
        {(order) => <OrderDetails order={order} />}
      </QueryBoundary>
    </Page>
  )
}

const OrderDetails = ({ order }: { readonly order: Order }) => (
  <div className={css["record"]}>
    <Stack>
      <Row>
        <OrderStatusBadge status={order.status} />
        <Time at={order.placedAt} />
      </Row>
      <Card title={orderTexts.details.items}>
        <OrderItems order={order} />
        <OrderTotals order={order} />
      </Card>
      {order.note === null ? undefined : (
        <Card title={orderTexts.details.note}>
          <p className={css["note"]}>{order.note}</p>
        </Card>
      )}
    </Stack>
    <Stack isSecondary>
      <Card title={orderTexts.details.customer}>
        <OrderCustomer order={order} />
      </Card>
      <Card title={orderTexts.details.paymentAndFulfillment}>
        <Facts
          facts={[
            [orderTexts.details.payment, <CustomStatusBadge key="paid" word={order.financialStatus} />],
            [orderTexts.details.fulfillment, <CustomStatusBadge key="sent" word={order.fulfillmentStatus} />]
          ]}
        />
      </Card>
      <Card title={orderTexts.details.shippingAddress}>
        <AddressText address={order.shippingAddress} />
      </Card>
      <Card title={orderTexts.details.billingAddress}>
        <AddressText address={order.billingAddress} />
      </Card>
      <Card title={orderTexts.details.timeline}>
        <OrderTimeline order={order} />
      </Card>
    </Stack>
  </div>
)

/** Known moments of the order, oldest first. */
const OrderTimeline = ({ order: { createdAt, placedAt, updatedAt } }: { readonly order: Order }) => {
  const moments = [
    [orderTexts.details.placed, placedAt],
    [orderTexts.details.imported, createdAt],
    ...(updatedAt === createdAt ? [] : [[orderTexts.details.updated, updatedAt] as const])
  ] as const
  return (
    <ol className={css["timeline"]}>
      {moments
        .toSorted(([, one], [, other]) => Date.parse(one) - Date.parse(other))
        .map(([name, at]) => (
          <li key={name}>
            {name}
            <Time className={css["secondary"]} at={at} />
          </li>
        ))}
    </ol>
  )
}

const lineColumns = (storeId: StoreId, currencyCode: string): ReadonlyArray<Column<Order["lineItems"][number]>> => [
  {
    name: orderTexts.details.product,
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
  { name: orderTexts.details.price, cell: ({ unitPrice }) => money(unitPrice, currencyCode), isNumber: true },
  { name: orderTexts.details.quantity, cell: ({ quantity }) => number(quantity), isNumber: true },
  {
    name: orderTexts.details.discount,
    cell: ({ discount }) => (Number(discount) === 0 ? "—" : money(discount, currencyCode)),
    isNumber: true
  },
  { name: orderTexts.details.total, cell: ({ total }) => money(total, currencyCode), isNumber: true }
]

const OrderItems = ({ order: { currencyCode, lineItems } }: { readonly order: Order }) => {
  const storeId = useStoreId()
  return (
    <Table
      caption={orderTexts.details.itemsCaption}
      columns={lineColumns(storeId, currencyCode)}
      rows={lineItems}
      keyOf={({ id }) => id}
    />
  )
}

const OrderTotals = ({ order }: { readonly order: Order }) => {
  const amounts = [
    [orderTexts.details.subtotal, order.subtotal],
    [orderTexts.details.discount, order.discount],
    [orderTexts.details.shipping, order.shipping],
    [orderTexts.details.tax, order.tax]
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
        <dt>{orderTexts.details.total}</dt>
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
        <p>{orderTexts.details.noCustomer}</p>
      ) : (
        <Link to="/dashboard/$storeId/customers/$customerId" params={{ storeId, customerId }}>
          {query.data?.name ?? query.data?.email ?? orderTexts.details.viewCustomer}
        </Link>
      )}
      {email === null ? undefined : <p>{email}</p>}
    </>
  )
}
