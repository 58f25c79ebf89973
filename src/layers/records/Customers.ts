import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import {
  Customer,
  CustomerId,
  CustomerNotFound,
  customerOf,
  Customers,
  PERSONAL_OF_CUSTOMER,
  type PutCustomer
} from "../../domain/records/Customer.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { makeUpsertPlanner } from "./Upserts.ts"
import { makeRecordReads, makeRecordWrites } from "./Records.ts"

export const CustomersLive = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { allocateInstants } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork
    const { page, read } = makeRecordReads(sql, "customers", CustomerId, PERSONAL_OF_CUSTOMER)
    const { upsert } = makeRecordWrites(sql)
    const plan = makeUpsertPlanner(sql, {
      table: "customers",
      id: CustomerId,
      record: Customer,
      personal: PERSONAL_OF_CUSTOMER,
      make: (input: PutCustomer, context) => Result.succeed(customerOf(input, context))
    })

    return Customers.of({
      list: Effect.fn("Customers.list")(page),

      get: Effect.fn("Customers.get")(function* (store, id, visibility) {
        const json = yield* read(store, id, visibility)
        return Option.isSome(json) ? json.value : yield* new CustomerNotFound({ id })
      }),

      put: Effect.fn("Customers.put")(function* (store, puts) {
        const clock = yield* allocateInstants(store, puts.length)
        const { outcomes, written } = yield* plan(store, puts, clock)
        yield* unitOfWork.add(...upsert("customers", store, written))
        return outcomes
      })
    })
  })
)
