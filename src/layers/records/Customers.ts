import { Effect, Layer, Option, Schema, Struct } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import {
  Customer,
  CustomerId,
  CustomerNotFound,
  customerOf,
  Customers,
  PERSONAL_OF_CUSTOMER
} from "../../domain/records/Customer.ts"
import { allocateMany } from "../catalog/Allocation.ts"
import { deferToCommit } from "../sql/Plan.ts"
import { Database } from "../sql/Postgres.ts"
import { traced } from "../Traced.ts"
import { decidingOf } from "./Puts.ts"
import { makeReads, writesOf } from "./Records.ts"

const decodeBefore = compileTrustedDecoder(
  Schema.toType(Customer.mapFields(Struct.pick(["createdAt", "updatedAt", "ordersCount", "totalSpent"])))
)

const decide = decidingOf({
  table: "customers",
  id: CustomerId,
  decode: decodeBefore,
  personal: PERSONAL_OF_CUSTOMER,
  make: customerOf
})

export const CustomersLive = Layer.effect(
  Customers,
  Effect.map(Database, (database) => {
    const { page, read } = makeReads(database, "customers", CustomerId, PERSONAL_OF_CUSTOMER)
    return Customers.of({
      list: (store, request) => traced("Customers.list")(page(store, request)),

      get: (store, id, shown) =>
        traced("Customers.get")(
          Effect.flatMap(
            read(store, id, shown),
            Option.match({ onNone: () => new CustomerNotFound({ id }), onSome: Effect.succeed })
          )
        ),

      put: (store, puts) =>
        Effect.gen(function* () {
          const clock = yield* allocateMany(store, puts.length)
          const { outcomes, written } = yield* decide(store, puts, clock)
          yield* deferToCommit(...writesOf("customers", store, written))
          return outcomes
        })
    })
  })
)
