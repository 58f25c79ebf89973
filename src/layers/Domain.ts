import { Layer } from "effect"
import { BulkheadLive } from "./Bulkhead.ts"
import { CatalogLive } from "./catalog/Catalog.ts"
import { HealthLive } from "./Health.ts"
import { IdempotencyLive } from "./Idempotency.ts"
import { InstallationsLive } from "./Installations.ts"
import { JournalLive } from "./Journal.ts"
import { RateLimitLive } from "./RateLimit.ts"
import { WebhooksLive } from "./webhooks/Webhooks.ts"
import { WritesLive } from "./Writes.ts"

/** Every domain service, on the one database. */
export const DomainLive = Layer.mergeAll(
  BulkheadLive,
  CatalogLive,
  IdempotencyLive,
  InstallationsLive,
  JournalLive,
  RateLimitLive,
  HealthLive,
  WebhooksLive,
  WritesLive
)
