import { Layer } from "effect"
import { AccessLive } from "../layers/access/Access.ts"
import { BillingLive } from "../layers/billing/Billing.ts"
import { BulkheadLive } from "../layers/Bulkhead.ts"
import { CatalogLive } from "../layers/catalog/Catalog.ts"
import { ChangeSetsLive } from "../layers/changeSets/ChangeSets.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { RepositoriesLive } from "../layers/Domain.ts"
import { ExportsLive } from "../layers/exports/Exports.ts"
import { LimitsLive } from "../layers/LimitSettings.ts"
import { ImportFilesLive } from "../layers/imports/ImportFiles.ts"
import { ImportsLive } from "../layers/imports/Imports.ts"
import { CustomersLive } from "../layers/records/Customers.ts"
import { OrdersLive } from "../layers/records/Orders.ts"
import { WebhooksLive } from "../layers/webhooks/Webhooks.ts"
import { WritesLive } from "../layers/Writes.ts"

/** Services of all commands, on `DATABASE_URL` or on the embedded database. */
export const ServicesLive = Layer.mergeAll(
  AccessLive,
  BillingLive,
  ChangeSetsLive,
  ExportsLive,
  Layer.provide(ImportsLive, Layer.mergeAll(CatalogLive, CustomersLive, OrdersLive)),
  Layer.provide(ImportFilesLive, Layer.mergeAll(AccessLive, BulkheadLive, ChangeSetsLive, WritesLive)),
  WebhooksLive,
  WritesLive
).pipe(Layer.provide(RepositoriesLive), Layer.provide(LimitsLive), Layer.provideMerge(DatabaseLive))
