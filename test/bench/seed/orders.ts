import { Result } from "effect"
import type Pg from "pg"
import { type Order, OrderId, orderOf, PERSONAL_OF_ORDER } from "../../../src/domain/records/Order.ts"
import { splitRecord } from "../../../src/layers/records/Records.ts"
import { EPOCH, makeFullOrder, idOf } from "./population.ts"
import { COLUMNS } from "../baseline/orders.ts"

/** Makes the n-th order of a store. */
export const makeOrder = (store: number, n: number): Order =>
  Result.getOrThrow(
    orderOf(makeFullOrder(store, n), {
      id: OrderId.make(idOf("order", store, n)),
      at: new Date(EPOCH + n),
      currencyCode: "EUR",
      before: undefined
    })
  )

export const insertServiceOrders = async (
  db: Pg.Client,
  storeId: string,
  orders: ReadonlyArray<Order>
): Promise<void> => {
  const rows = orders.map((order) => {
    const { document, personal } = splitRecord(order, PERSONAL_OF_ORDER)
    return { id: order.id, opening: document.slice(0, -1), personal: `,${personal.slice(1)}` }
  })
  await db.query(
    `
    insert into orders (store_id, id, changed_at, opening, personal, bytes, personal_bytes)
    select $1, id, row_number() over (), opening, personal, octet_length(opening), octet_length(personal)
    from json_to_recordset($2) as given (id uuid, opening text, personal text)
  `,
    [storeId, JSON.stringify(rows)]
  )
}

export const insertBaselineOrders = async (
  db: Pg.Client,
  storeId: string,
  orders: ReadonlyArray<Order>
): Promise<void> => {
  const rows = orders.map((order) => {
    const fields = new Map<string, unknown>(Object.entries(order))
    return {
      store_id: storeId,
      ...Object.fromEntries(Object.entries(COLUMNS).map(([name, column]) => [column, fields.get(name)]))
    }
  })
  await db.query(`insert into orders select * from json_populate_recordset(null::orders, $1)`, [JSON.stringify(rows)])
}
