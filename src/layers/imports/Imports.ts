import { Effect, Layer } from "effect"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import { Customers } from "../../domain/records/Customer.ts"
import { Orders } from "../../domain/records/Order.ts"
import { CatalogLive } from "../catalog/Catalog.ts"
import { CustomersLive } from "../records/Customers.ts"
import { Database } from "../sql/Postgres.ts"
import { OrdersLive } from "../records/Orders.ts"
import { makePutCollection } from "./Collections.ts"
import { makePutProducts } from "./Products.ts"
import { makePutCustomers, makePutOrders } from "./Records.ts"

export const ImportsLive = Layer.effect(
  Imports,
  Effect.map(Effect.all([Catalog, Orders, Customers, Database]), ([catalog, orders, customers, database]) =>
    Imports.of({
      putProducts: makePutProducts(database),
      putCollection: makePutCollection(catalog),
      putOrders: makePutOrders(orders),
      putCustomers: makePutCustomers(customers)
    })
  )
).pipe(Layer.provide([CatalogLive, CustomersLive, OrdersLive]))
