import { Effect, Layer, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { parse, stringify } from "../../domain/Json.ts"
import { Customer, type CustomerId, UnknownCustomer } from "../../domain/records/Customer.ts"
import {
  Order,
  OrderId,
  OrderNotFound,
  orderOf,
  Orders,
  PERSONAL_OF_ORDER,
  type PutOrder
} from "../../domain/records/Order.ts"
import { applySpending, type Spending, spendingOf } from "../../domain/records/Spending.ts"
import type { StoreId } from "../../domain/Store.ts"
import { allocateMany } from "../catalog/Allocation.ts"
import { deferToCommit, type Step } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { traced } from "../Traced.ts"
import { atOf, type Clock, decidingOf } from "./Puts.ts"
import { findRecords, makeReads, type Written, writesOf } from "./Records.ts"

const decodeBefore = compileTrustedDecoder(
  Schema.toType(Order.mapFields(Struct.pick(["createdAt", "updatedAt", "lineItems", "customerId", "status", "total"])))
)

const decide = decidingOf({
  table: "orders",
  id: OrderId,
  decode: decodeBefore,
  personal: PERSONAL_OF_ORDER,
  make: orderOf
})

/** An order is written, and its customer before or after: each has an instant of its own. */
const TICKS = 3

const decodeCustomer = compileTrustedDecoder(
  Schema.toType(Customer.mapFields(Struct.omit(["email", "phone", "addresses"])))
)

/** The customers after what changed in their orders. */
const customersAfter = Effect.fnUntraced(function* (
  store: StoreId,
  spending: ReadonlyMap<CustomerId, Spending>,
  { tick }: Clock
): Step<ReadonlyMap<string, Written>> {
  const known = yield* findRecords("customers", store, spending.keys())
  const written = new Map<string, Written>()
  for (const [id, change] of spending) {
    const stored = known.get(id)
    if (stored === undefined) continue
    const changedAt = tick()
    const customer = applySpending(decodeCustomer(parse(stored.document)), change, atOf(changedAt))
    written.set(id, { changedAt, document: stringify(customer), personal: stored.personal })
  }
  return written
})

const customerOf = ({ customerId = null }: PutOrder) => customerId

export const OrdersLive = Layer.effect(
  Orders,
  Effect.map(Database, (database) => {
    const { page, read } = makeReads(database, "orders", OrderId, PERSONAL_OF_ORDER)
    return Orders.of({
      list: (store, request) => traced("Orders.list")(page(store, request)),

      get: (store, id, shown) =>
        traced("Orders.get")(
          Effect.flatMap(
            read(store, id, shown),
            Option.match({ onNone: () => new OrderNotFound({ id }), onSome: Effect.succeed })
          )
        ),

      put: (store, puts) =>
        Effect.gen(function* () {
          const clock = yield* allocateMany(store, TICKS * puts.length)
          const named = new Set(puts.flatMap(({ input }) => customerOf(input) ?? []))
          const known = yield* findRecords("customers", store, named)
          const refusalOf = (input: PutOrder) => {
            const id = customerOf(input)
            return id === null || known.has(id) ? undefined : new UnknownCustomer({ id })
          }
          const { changes, outcomes, written } = yield* decide(store, puts, clock, refusalOf)
          const customers = yield* customersAfter(store, spendingOf(changes), clock)
          yield* deferToCommit(...writesOf("orders", store, written), ...writesOf("customers", store, customers))
          return outcomes
        })
    })
  })
)
