import { Layer } from "effect"
import { AccessLive } from "./access/Access.ts"
import { RequestsLive } from "./access/Requests.ts"
import { BillingLive } from "./billing/Billing.ts"
import { BulkheadLive } from "./Bulkhead.ts"
import { CatalogLive } from "./catalog/Catalog.ts"
import { ChangesLive } from "./journal/Changes.ts"
import { SearchLive } from "./catalog/Search.ts"
import { ExportsLive } from "./exports/Exports.ts"
import { HealthLive } from "./Health.ts"
import { IdempotencyLive } from "./Idempotency.ts"
import { ImportsLive } from "./imports/Imports.ts"
import { ActivityLive } from "./journal/Activity.ts"
import { UndoLive } from "./journal/Undo.ts"
import { JournalLive } from "./journal/Journal.ts"
import { OauthLive } from "./oauth/Oauth.ts"
import { AppDataLive } from "./records/AppData.ts"
import { RateLimitLive } from "./rateLimit/RateLimit.ts"
import { CustomersLive } from "./records/Customers.ts"
import { OrdersLive } from "./records/Orders.ts"
import { StoreWebhooksLive } from "./webhooks/StoreWebhooks.ts"
import { WebhooksLive } from "./webhooks/Webhooks.ts"
import { WritesLive } from "./Writes.ts"

/** All domain services, on one database. */
export const DomainLive = Layer.mergeAll(
  AccessLive,
  ActivityLive,
  AppDataLive,
  BillingLive,
  BulkheadLive,
  CatalogLive,
  ChangesLive,
  CustomersLive,
  ExportsLive,
  IdempotencyLive,
  ImportsLive,
  JournalLive,
  OauthLive,
  OrdersLive,
  RateLimitLive,
  SearchLive,
  RequestsLive,
  HealthLive,
  StoreWebhooksLive,
  UndoLive,
  WebhooksLive,
  WritesLive
)
