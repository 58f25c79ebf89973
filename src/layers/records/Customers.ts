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
import { makeAllocation } from "../catalog/Allocation.ts"
import { orDefect } from "../sql/Errors.ts"
import { deferToCommit } from "../sql/Transaction.ts"
import { traced } from "../Traced.ts"
import { makeUpsertPlanner } from "./Upserts.ts"
import { makeRecordReads, makeRecordWrites } from "./Records.ts"

export const CustomersLive = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { allocateMany } = makeAllocation(sql)
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
      list: (store, request) => traced("Customers.list")(page(store, request)),

      get: (store, id, visibility) =>
        traced("Customers.get")(
          Effect.flatMap(
            read(store, id, visibility),
            Option.match({ onNone: () => new CustomerNotFound({ id }), onSome: Effect.succeed })
          )
        ),

      put: Effect.fnUntraced(function* (store, puts) {
        const clock = yield* orDefect(allocateMany(store, puts.length))
        const { outcomes, written } = yield* plan(store, puts, clock)
        yield* deferToCommit(...upsert("customers", store, written))
        return outcomes
      })
    })
  })
)
