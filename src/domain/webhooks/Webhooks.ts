import { Context, type Effect, type Option, type Redacted } from "effect"
import type { AppId, MerchantId } from "../access/Ids.ts"
import type { AppNotFound } from "../access/Apps.ts"
import type { EventId, EventKind } from "../Events.ts"
import type {
  Attempt,
  DeliveriesFilter,
  Delivery,
  DeliveryNotFound,
  NoWebhook,
  TestDelivery,
  TooManyTests,
  Webhook,
  WebhookUrlRefused
} from "./Webhook.ts"

/** Deliveries that a webhook missed during a pause: their number and time range. */
export interface MissedDeliveries {
  readonly count: number
  readonly since: Date | null
  readonly until: Date | null
}

/** Page of deliveries, newest first. A page filtered by state can be short or empty and still have a next page. */
export interface DeliveryPage {
  readonly items: ReadonlyArray<Delivery>
  readonly nextCursor: EventId | null
}

/** Number of webhooks whose secrets were re-encrypted, and of those with a secret that no configured key decrypts. */
export interface Resealed {
  readonly resealed: number
  readonly unopened: number
}

/**
 * Webhooks of apps: one URL for each app, its event kinds, signing secrets and delivery log (contract, section 6;
 * docs/webhooks.md). For operators; store members use `StoreWebhooks`.
 */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Sets the URL and event kinds of an app. The first call creates a secret and returns it once; later calls keep it.
     */
    readonly subscribe: (
      app: AppId,
      to: { readonly url: string; readonly kinds: ReadonlyArray<EventKind> }
    ) => Effect.Effect<Option.Option<Redacted.Redacted>, AppNotFound | WebhookUrlRefused>
    /**
     * Creates a new secret. With `before: "overlap"`, the current one also signs for `OVERLAP_HOURS` hours, until
     * `previousUntil`; with `"end"`, for a leaked secret, it expires immediately. Older secrets expire in both cases.
     */
    readonly rotateSecret: (
      app: AppId,
      before: "overlap" | "end"
    ) => Effect.Effect<{ readonly secret: Redacted.Redacted; readonly previousUntil: Date | null }, NoWebhook>
    /**
     * Re-encrypts secrets with the current key: those encrypted with the previous key, and those that an earlier
     * release stored in plain text. Secrets that cannot be decrypted are left unchanged.
     */
    readonly reseal: Effect.Effect<Resealed>
    /** Pauses deliveries until `resume`. Events are kept meanwhile, each delivery for `DELIVERY_DAYS`. */
    readonly pause: (app: AppId) => Effect.Effect<void, NoWebhook>
    /**
     * Resumes deliveries and clears the failure state. `missed` selects the waiting deliveries: `deliver` makes them
     * due now, with all attempts available again; `skip` drops them.
     */
    readonly resume: (app: AppId, missed: "deliver" | "skip") => Effect.Effect<MissedDeliveries, NoWebhook>
    readonly show: (app: AppId) => Effect.Effect<Webhook, NoWebhook>
    /** Sends one signed test event immediately, even if the webhook is paused. Only its outcome is stored. */
    readonly test: (app: AppId, by: MerchantId) => Effect.Effect<TestDelivery, NoWebhook | TooManyTests>
    /** Lists the deliveries of an app, optionally of one state or store. */
    readonly deliveries: (app: AppId, request: DeliveriesFilter) => Effect.Effect<DeliveryPage, NoWebhook>
    /** Lists all requests of the deliveries of an event to an app, oldest first. */
    readonly attempts: (app: AppId, event: EventId) => Effect.Effect<ReadonlyArray<Attempt>, DeliveryNotFound>
    /**
     * Sends an event to an app again, whatever its state. A running request is not interrupted. Returns the number of
     * installations.
     */
    readonly redeliver: (app: AppId, event: EventId) => Effect.Effect<number, DeliveryNotFound>
    /**
     * Sends all events of an app since a time again, or only the dead ones. Returns the number of deliveries. They
     * become due in batches of some thousand, each in its own transaction: repeat the call after a crash.
     */
    readonly redeliverSince: (app: AppId, since: Date, which: "all" | "dead") => Effect.Effect<number, NoWebhook>
    /**
     * Deletes a batch of data older than `DELIVERY_DAYS`: finished deliveries, deliveries missed by a paused webhook,
     * their attempts, and events without deliveries. Returns the number of processed rows; 0 if nothing is left.
     */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Webhooks") {}
