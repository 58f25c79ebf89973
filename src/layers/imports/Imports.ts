import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { CatalogLive } from "../catalog/Catalog.ts"
import { CustomersLive } from "../records/Customers.ts"
import { OrdersLive } from "../records/Orders.ts"
import { ConnectionPool } from "../sql/Postgres.ts"
import { makePutCollection } from "./Collections.ts"
import { makePutProducts } from "./Products.ts"
import { makePutCustomers, makePutOrders } from "./Records.ts"

export const ImportsLive = Layer.effect(
  Imports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Imports.of({
      putProducts: makePutProducts(sql, yield* ConnectionPool),
      putCollection: makePutCollection(sql, yield* Catalog),
      putOrders: makePutOrders(sql, yield* Orders),
      putCustomers: makePutCustomers(sql, yield* Customers)
    })
  })
).pipe(Layer.provide([CatalogLive, CustomersLive, OrdersLive]))
