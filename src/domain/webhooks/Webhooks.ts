import { Context, type Effect, type Option, type Redacted } from "effect"
import type { AppId, AppNotFound } from "../access/Apps.ts"
import type { MerchantId } from "../Actor.ts"
import type { EventId, EventKind } from "../Events.ts"
import type {
  Attempt,
  DeliveriesAsked,
  Delivery,
  DeliveryNotFound,
  NoWebhook,
  TestDelivery,
  TooManyTests,
  Webhook,
  WebhookUrlRefused
} from "./Webhook.ts"

/** What a webhook missed while it was paused: how many deliveries, made from when until when. */
export interface Missed {
  readonly count: number
  readonly since: Date | null
  readonly until: Date | null
}

/** Deliveries of an app, the newest first; of one state a page may hold few, or none, and have a next one. */
export interface DeliveryPage {
  readonly items: ReadonlyArray<Delivery>
  readonly nextCursor: EventId | null
}

/** Webhooks whose secrets were sealed anew, and those of which one does not open with the keys there are. */
export interface Resealed {
  readonly resealed: number
  readonly unopened: number
}

/**
 * How events reach apps: one URL for each app, the kinds it wants, the secrets that sign, and the log of what was sent
 * (contract, section 6; decisions, section 10). For operators: the members of a store see `StoreWebhooks`.
 */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Sets where an app's events go and which it wants. Its first webhook makes a secret, which is answered here and
     * never again; later changes keep it.
     */
    readonly subscribe: (
      app: AppId,
      to: { readonly url: string; readonly kinds: ReadonlyArray<EventKind> }
    ) => Effect.Effect<Option.Option<Redacted.Redacted>, AppNotFound | WebhookUrlRefused>
    /**
     * Makes a new secret. `before` says what becomes of the one in its place: `overlap` lets it sign along for 24 hours,
     * until `previousUntil`; `end` ends it now, as one that leaked. What that one had replaced ends now either way.
     */
    readonly rotateSecret: (
      app: AppId,
      before: "overlap" | "end"
    ) => Effect.Effect<{ readonly secret: Redacted.Redacted; readonly previousUntil: Date | null }, NoWebhook>
    /**
     * Seals secrets with the operator's key of now: those that the one before sealed, and those that an earlier release kept
     * as they are. What does not open stays as it is.
     */
    readonly reseal: Effect.Effect<Resealed>
    /** Sends nothing more until it is resumed. What happens meanwhile is kept for then, each delivery for 30 days. */
    readonly pause: (app: AppId) => Effect.Effect<void, NoWebhook>
    /**
     * Sends again, as if nothing had failed. `missed` says what becomes of the deliveries that wait: `deliver` makes all
     * of them due now, with every attempt ahead of them; `skip` ends them.
     */
    readonly resume: (app: AppId, missed: "deliver" | "skip") => Effect.Effect<Missed, NoWebhook>
    readonly show: (app: AppId) => Effect.Effect<Webhook, NoWebhook>
    /** Sends a signed event of no store now, once, also while the webhook is paused: nothing is kept of it. */
    readonly test: (app: AppId, by: MerchantId) => Effect.Effect<TestDelivery, NoWebhook | TooManyTests>
    /** Deliveries of an app, of one state or of all. */
    readonly deliveries: (app: AppId, asked: DeliveriesAsked) => Effect.Effect<DeliveryPage, NoWebhook>
    /** Every request that was made to tell an app of an event, the first one first. */
    readonly attempts: (app: AppId, event: EventId) => Effect.Effect<ReadonlyArray<Attempt>, DeliveryNotFound>
    /**
     * Sends an event to an app once more, whatever became of it before; only a request that is under way is left to end.
     * Answers how many installations are told.
     */
    readonly redeliver: (app: AppId, event: EventId) => Effect.Effect<number, DeliveryNotFound>
    /**
     * Sends an app all its events since a time once more, or of those only the dead ones. Answers how many deliveries
     * that are. They are made due some thousand at a time, each on its own: after a crash, ask again.
     */
    readonly redeliverSince: (app: AppId, since: Date, which: "all" | "dead") => Effect.Effect<number, NoWebhook>
    /**
     * Deletes some of what is older than 30 days: deliveries that are finished, or that a paused webhook has missed for so
     * long, with their attempts, and events that none needs. Answers how many it dealt with; 0 when nothing is left.
     */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Webhooks") {}
