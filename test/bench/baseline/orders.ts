import type Pg from "pg"
import type { Installation } from "./admission.ts"

/** Fields of an order with their columns, in the order of the API. */
export const COLUMNS = {
  id: "id",
  number: "number",
  status: "status",
  financialStatus: "financial_status",
  fulfillmentStatus: "fulfillment_status",
  currencyCode: "currency_code",
  subtotal: "subtotal",
  discount: "discount",
  shipping: "shipping",
  tax: "tax",
  total: "total",
  customerId: "customer_id",
  email: "email",
  lineItems: "line_items",
  shippingAddress: "shipping_address",
  billingAddress: "billing_address",
  note: "note",
  placedAt: "placed_at",
  createdAt: "created_at",
  updatedAt: "updated_at"
}

interface OrderRow {
  readonly id: string
  readonly [field: string]: unknown
}

const SELECTED = Object.entries(COLUMNS)
  .map(([field, column]) => `${column} as "${field}"`)
  .join(", ")

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000"

const LIST = {
  name: "list-orders",
  text: `select ${SELECTED} from orders where store_id = $1 and id > $2 order by id limit $3`
}

const masked = (order: OrderRow): OrderRow => ({ ...order, email: null, shippingAddress: null, billingAddress: null })

export const listOrders = async (
  pool: Pg.Pool,
  { capabilities, storeId }: Installation,
  cursor: string | undefined,
  limit: number
) => {
  const { rows } = await pool.query<OrderRow>({ ...LIST, values: [storeId, cursor ?? BEFORE_ALL, limit + 1] })
  const page = rows.length > limit ? rows.slice(0, limit) : rows
  const orders = capabilities.includes("customer_pii") ? page : page.map(masked)
  return { orders, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}
