import { Effect, Result, Schema } from "effect"
import { type CustomerId, Customers, PutCustomer } from "../../../src/domain/records/Customer.ts"
import { type OrderId, Orders, PutOrder } from "../../../src/domain/records/Order.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { performIn } from "./Writes.ts"

const decodeOrder = Schema.decodeUnknownSync(PutOrder)
const decodeCustomer = Schema.decodeUnknownSync(PutCustomer)

/** Creates or changes orders by id, and returns the results. */
export const putOrders = Effect.fn(function* (
  storeId: StoreId,
  inputs: ReadonlyArray<{ readonly id?: OrderId; readonly [field: string]: unknown }>
) {
  const orders = yield* Orders
  const perform = yield* performIn(storeId)
  const outcomes = yield* perform(
    orders.upsert(
      storeId,
      inputs.map(({ id = null, ...input }) => ({
        id,
        input: decodeOrder({ number: "1", placedAt: "2026-01-31T09:30:00Z", lineItems: [], ...input })
      }))
    )
  )
  return outcomes.map((outcome) => Result.getOrThrowWith(outcome, (error) => error))
})

/** Creates or changes customers by id, and returns the results. */
export const putCustomers = Effect.fn(function* (
  storeId: StoreId,
  inputs: ReadonlyArray<{ readonly id?: CustomerId; readonly [field: string]: unknown }>
) {
  const customers = yield* Customers
  const perform = yield* performIn(storeId)
  const outcomes = yield* perform(
    customers.upsert(
      storeId,
      inputs.map(({ id = null, ...input }) => ({ id, input: decodeCustomer(input) }))
    )
  )
  return outcomes.map((outcome) => Result.getOrThrowWith(outcome, (error) => error))
})
