import { Link } from "@tanstack/react-router"
import { RelativeTime, Badge, Picture } from "../../shared/ui/display/Values.tsx"
import type { Rule } from "../../../domain/catalog/Rule.ts"
import { money, shownStock } from "../../shared/data/format.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Card, MutedText } from "../../shared/ui/layout/Page.tsx"
import { LOW_STOCK } from "../products/list/listView.ts"
import { CustomStatusBadge } from "../orders/records.tsx"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"

/** Rows of a card. */
const MAX_ROWS = 5

/** Lines as high as the rows. */
const LINES = 8

const OPEN_ORDERS = { status: "open", sort: "placedAt" } as const

/** Open orders with their payment and fulfillment, oldest first. */
export const OpenOrders = () => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "orders", "open"], (client) =>
    client.orders.query({ storeId, ...OPEN_ORDERS, limit: MAX_ROWS })
  )
  return (
    <Card
      title={homeTexts.openOrders.title}
      actions={
        <Link to="/dashboard/$storeId/orders" params={{ storeId }} search={OPEN_ORDERS}>
          {homeTexts.openOrders.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={query} lines={LINES}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p>{homeTexts.openOrders.empty}</p>
          ) : (
            <>
              <ol className={css["rows"]}>
                {items.map(({ currencyCode, financialStatus, fulfillmentStatus, id, number, placedAt, total }) => (
                  <li key={id}>
                    <span className={css["name"]}>
                      <Link to="/dashboard/$storeId/orders/$orderId" params={{ storeId, orderId: id }}>
                        {number}
                      </Link>
                      <small>
                        <RelativeTime at={placedAt} />
                      </small>
                    </span>
                    {financialStatus === null ? undefined : <CustomStatusBadge word={financialStatus} />}
                    {fulfillmentStatus === null ? undefined : <CustomStatusBadge word={fulfillmentStatus} />}
                    <span className={css["amount"]}>{money(total, currencyCode)}</span>
                  </li>
                ))}
              </ol>
              <MutedText>{homeTexts.openOrders.open(total, items.length)}</MutedText>
            </>
          )
        }
      </QueryBoundary>
    </Card>
  )
}

const LOW: ReadonlyArray<Rule> = [
  { field: "trackInventory", relation: "equals", value: true },
  { field: "isActive", relation: "equals", value: true },
  { field: "stock", relation: "less_or_equal", value: LOW_STOCK }
]

/** Rows that are read, because variants can have more stock than their product. */
const MAX_READ = 20

/** Active products with little stock, least first. */
export const LowStock = () => {
  const storeId = useStoreId()
  const view = { rules: LOW, sort: "stock" } as const
  const query = useRpcQuery([storeId, "products", "low"], (client) =>
    client.products.query({ storeId, ...view, limit: MAX_READ })
  )
  return (
    <Card
      title={homeTexts.lowStock.title}
      actions={
        <Link to="/dashboard/$storeId/products" params={{ storeId }} search={view}>
          {homeTexts.lowStock.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={query} lines={LINES}>
        {({ items }) => {
          const low = items
            .map((product) => ({ product, stock: shownStock(product) ?? Infinity }))
            .filter(({ stock }) => stock <= LOW_STOCK)
            .toSorted((a, b) => a.stock - b.stock)
            .slice(0, MAX_ROWS)
          return low.length === 0 ? (
            <p>{homeTexts.lowStock.empty(LOW_STOCK)}</p>
          ) : (
            <ol className={css["rows"]}>
              {low.map(({ product: { id, imageUrl, media, name }, stock }) => (
                <li key={id}>
                  <Picture url={imageUrl ?? media[0]?.url} alt="" />
                  <span className={css["name"]}>
                    <Link to="/dashboard/$storeId/products/$productId" params={{ storeId, productId: id }}>
                      {name}
                    </Link>
                  </span>
                  <Badge tone={stock <= 0 ? "alert" : "warn"}>{homeTexts.lowStock.left(stock)}</Badge>
                </li>
              ))}
            </ol>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}
