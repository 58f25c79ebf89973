import { Layer } from "effect"
import { AccessLive } from "../layers/access/Access.ts"
import { BillingLive } from "../layers/billing/Billing.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { ExportsLive } from "../layers/exports/Exports.ts"
import { ImportsLive } from "../layers/imports/Imports.ts"
import { WebhooksLive } from "../layers/webhooks/Webhooks.ts"
import { WritesLive } from "../layers/Writes.ts"

/** Services of all commands, on `DATABASE_URL` or on the embedded database. */
export const ServicesLive = Layer.mergeAll(
  AccessLive,
  BillingLive,
  ExportsLive,
  ImportsLive,
  WebhooksLive,
  WritesLive
).pipe(Layer.provideMerge(DatabaseLive))
