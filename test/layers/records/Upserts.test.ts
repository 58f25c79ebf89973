import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { Customer, CustomerId, Customers } from "../../../src/domain/records/Customer.ts"
import { Order, type OrderId, Orders, PutOrder } from "../../../src/domain/records/Order.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { putCustomers, putOrders } from "../../support/data/Records.ts"
import { performIn } from "../../support/data/Writes.ts"

const all = { cursor: undefined, limit: 200, isPersonal: true }

const ordersOf = (storeId: StoreId) =>
  Effect.flatMap(Orders, ({ list }) =>
    Effect.map(list(storeId, all), ({ items }) =>
      Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Order)))(items)
    )
  )
const customersOf = (storeId: StoreId) =>
  Effect.flatMap(Customers, ({ list }) =>
    Effect.map(list(storeId, all), ({ items }) =>
      Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Customer)))(items)
    )
  )

const line = { name: "Cup", quantity: 1, unitPrice: 10 }

layer(Layer.provideMerge(DomainLive, PostgresTest), { excludeTestServices: true, timeout: "60 seconds" })(
  "Upserts of records",
  (it) => {
    it.effect("records are created in order, and a second put writes only changed ones", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const storeId = yield* makeStore()
        const inputs = [
          { number: "A", lineItems: [line] },
          { number: "B", email: "a@example.com" }
        ]
        const created = yield* putOrders(storeId, inputs)
        assert.deepStrictEqual(
          created.map(({ outcome }) => outcome),
          ["created", "created"]
        )
        const before = yield* ordersOf(storeId)
        assert.deepStrictEqual(
          before.map(({ id, number }) => [id, number]),
          [
            [created[0]?.id, "A"],
            [created[1]?.id, "B"]
          ]
        )
        const rows = sql`select id, changed_at, xmin::text from orders where store_id = ${storeId} order by id`
        const stored = yield* rows

        const again = yield* putOrders(
          storeId,
          inputs.map((input, place) => ({ ...input, ...created[place] }))
        )
        assert.deepStrictEqual(
          again.map(({ outcome }) => outcome),
          ["unchanged", "unchanged"]
        )
        assert.deepStrictEqual(yield* ordersOf(storeId), before)
        assert.deepStrictEqual(yield* rows, stored)

        const changed = yield* putOrders(storeId, [{ ...created[1], number: "B", email: "b@example.com" }])
        assert.deepStrictEqual(changed, [{ id: created[1]?.id, outcome: "updated" }])
        const [, after] = yield* ordersOf(storeId)
        assert.strictEqual(after?.email, "b@example.com")
        assert.strictEqual(after?.createdAt, before[1]?.createdAt)
        assert.isAbove(Date.parse(String(after?.updatedAt)), 0)
      })
    )

    it.effect("puts of one record in a batch apply in order, and the last one wins", () =>
      Effect.gen(function* () {
        const storeId = yield* makeStore()
        const [created] = yield* putCustomers(storeId, [{ name: "A" }])
        const outcomes = yield* putCustomers(storeId, [
          { ...created, name: "B" },
          { ...created, name: "B" },
          { ...created, name: "C" }
        ])
        assert.deepStrictEqual(
          outcomes.map(({ outcome }) => outcome),
          ["updated", "unchanged", "updated"]
        )
        assert.deepStrictEqual(
          (yield* customersOf(storeId)).map(({ name }) => name),
          ["C"]
        )
      })
    )

    it.effect("an order with a customer of another store fails alone, and the rest of the batch is stored", () =>
      Effect.gen(function* () {
        const storeId = yield* makeStore()
        const otherStore = yield* makeStore()
        const [otherCustomer] = yield* putCustomers(otherStore, [{ name: "A" }])
        const perform = yield* performIn(storeId)
        const decode = Schema.decodeUnknownSync(PutOrder)
        const input = { number: "1", placedAt: "2026-01-31T09:30:00Z", lineItems: [] }
        const outcomes = yield* Effect.flatMap(Orders, ({ upsert }) =>
          perform(
            upsert(storeId, [
              { id: null, input: decode(input) },
              { id: null, input: decode({ ...input, customerId: otherCustomer?.id }) }
            ])
          )
        )
        assert.deepStrictEqual(outcomes.map(Result.isSuccess), [true, false])
        const [, failure] = outcomes
        assert.match(String(Result.getFailure(failure ?? Result.succeed(null))), new RegExp(String(otherCustomer?.id)))
        assert.lengthOf(yield* ordersOf(storeId), 1)
      })
    )

    it.effect("a put to an unknown store fails", () =>
      Effect.gen(function* () {
        const storeId = StoreId.make("019c1363-49c0-7a11-9c3d-0b8e5f6a7d42")
        const failure = yield* Effect.flip(putOrders(storeId, [{}]))
        assert.strictEqual(failure._tag, "StoreNotFound")
      })
    )

    it.effect(
      "customers have the count and total of their orders after any sequence of puts, also concurrent ones",
      () =>
        Effect.gen(function* () {
          const runtime = yield* Effect.context<
            Effect.Services<ReturnType<typeof putOrders | typeof makeStore>> | Customers
          >()
          const order = FastCheck.record({
            place: FastCheck.nat({ max: 6 }),
            customer: FastCheck.option(FastCheck.nat({ max: 2 })),
            status: FastCheck.constantFrom("open", "completed", "cancelled"),
            cents: FastCheck.nat({ max: 100_000 })
          })
          const batches = FastCheck.array(FastCheck.array(order, { maxLength: 6 }), { maxLength: 5 })
          const property = FastCheck.asyncProperty(batches, FastCheck.boolean(), (batches, isParallel) =>
            Effect.runPromiseWith(runtime)(
              Effect.gen(function* () {
                const storeId = yield* makeStore()
                const customers = yield* putCustomers(storeId, [
                  { name: "A" },
                  { name: "B", email: "b@example.com" },
                  { name: "C" }
                ])
                const known = yield* putOrders(
                  storeId,
                  Array.from({ length: 4 }, (_, place) => ({
                    number: `${place}`,
                    customerId: customers[place]?.id ?? null
                  }))
                )
                const put = (batch: (typeof batches)[number]) =>
                  putOrders(
                    storeId,
                    batch.map(({ cents, customer, place, status }) => ({
                      ...(known[place] === undefined ? {} : { id: known[place].id }),
                      status,
                      customerId: customer === null ? null : (customers[customer]?.id ?? null),
                      lineItems: [{ ...line, unitPrice: cents / 100 }]
                    }))
                  )
                yield* Effect.forEach(batches, put, { concurrency: isParallel ? "unbounded" : 1, discard: true })
                const orders = yield* ordersOf(storeId)
                for (const { id, email, name, ordersCount, totalSpent, updatedAt, createdAt } of yield* customersOf(
                  storeId
                )) {
                  const customerOrders = orders.filter(
                    ({ customerId, status }) => customerId === id && status !== "cancelled"
                  )
                  assert.strictEqual(ordersCount, customerOrders.length)
                  const cents = customerOrders.reduce((sum, { total }) => sum + Math.round(Number(total) * 100), 0)
                  assert.strictEqual(totalSpent, cents / 100)
                  assert.strictEqual(email, name === "B" ? "b@example.com" : null)
                  assert.isAtLeast(Date.parse(updatedAt), Date.parse(createdAt))
                }
              })
            )
          )
          yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 25 }))
        })
    )

    it.effect("change times and ids of orders increase in the order of commits", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const storeId = yield* makeStore()
        const [customer] = yield* putCustomers(storeId, [{ name: "A" }])
        const puts = Array.from({ length: 40 }, (_, place) =>
          putOrders(storeId, [{ number: `${place}`, customerId: customer?.id }, { number: `${place}b` }])
        )
        const ids: Array<OrderId> = (yield* Effect.all(puts, { concurrency: 8 })).flat().map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 80)
        const rows = yield* sql<{ readonly isRising: boolean; readonly times: string }>`
        select bool_and(changed_at > before) as "isRising", count(distinct changed_at) as times
        from (select changed_at, lag(changed_at, 1, 0) over (order by id) as before from orders where store_id = ${storeId}) o
      `
        assert.deepStrictEqual(rows, [{ isRising: true, times: "80" }])
        const [{ ordersCount } = { ordersCount: 0 }] = yield* customersOf(storeId)
        assert.strictEqual(ordersCount, 40)
        assert.strictEqual(CustomerId.make(customer?.id ?? ""), customer?.id)
      })
    )
  }
)
