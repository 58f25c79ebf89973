import { Context, type Effect, type Option, Schema } from "effect"
import { type AppId, InstallationId } from "../access/Ids.ts"
import type { AppNotFound } from "../access/Apps.ts"
import type { Installation, InstallationNotFound } from "../access/Installations.ts"
import { Amount, StoredCurrencyCode, withDescription, Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import { Period, periodEnd } from "./Period.ts"

export const AppPlanId = Uuid.pipe(Schema.brand("AppPlanId"))
export type AppPlanId = typeof AppPlanId.Type

export const SubscriptionId = Uuid.pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

/** Maximum trial period in days. */
export const MAX_TRIAL_DAYS = 365

const priced = {
  price: Amount.annotate({ description: "Price per period" }),
  currencyCode: StoredCurrencyCode.annotate({ description: "ISO 4217" }),
  period: Period.annotate({ description: "Billing period" })
}

/** Price and period at which a developer offers an app. */
export const AppPlan = Schema.Struct({
  id: AppPlanId,
  name: Schema.String,
  ...priced,
  trialDays: Schema.Int.annotate({
    description: "Trial period in days before the first paid period, for first-time subscribers"
  })
}).annotate({ identifier: "AppPlan" })
export type AppPlan = typeof AppPlan.Type

/**
 * State of a subscription.
 *
 * - `trialing`: before the first paid period.
 * - `active`: renewed each period.
 * - `cancelled`: ends or ended at `periodEndsAt`.
 */
export const SubscriptionState = Schema.Literals(["trialing", "active", "cancelled"])

/** Subscription of an installation to a plan. Later changes to the plan do not affect it. */
export const Subscription = Schema.Struct({
  id: withDescription(SubscriptionId, "Subscription id"),
  installationId: withDescription(InstallationId, "Installation that the subscription pays for"),
  planId: withDescription(AppPlanId, "Plan of the subscription"),
  planName: Schema.String.annotate({ description: "Name of the plan at the time of subscription" }),
  ...priced,
  state: SubscriptionState.annotate({ description: "State of the subscription" }),
  startedAt: Timestamp,
  trialEndsAt: Schema.NullOr(Timestamp).annotate({
    description: "End of the trial, when the first period begins; null without a trial"
  }),
  periodEndsAt: Timestamp.annotate({ description: "End of the trial or of the paid period" }),
  cancelledAt: Schema.NullOr(Timestamp).annotate({ description: "Time of cancellation; null if not cancelled" })
}).annotate({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

/** Dates from which the state of a subscription follows. */
interface Times {
  readonly period: Period
  readonly startedAt: Date
  readonly trialEndsAt: Date | null
  readonly cancelledAt: Date | null
  /** End of a cancelled subscription. */
  readonly endsAt: Date | null
}

/** Returns the state of a subscription at a time, and the end of its period. */
export const subscriptionStateAt = (
  { cancelledAt, endsAt, period, startedAt, trialEndsAt }: Times,
  now: Date
): { readonly state: Subscription["state"]; readonly periodEndsAt: Date } => {
  if (endsAt !== null && cancelledAt !== null) return { state: "cancelled", periodEndsAt: endsAt }
  return trialEndsAt !== null && now < trialEndsAt
    ? { state: "trialing", periodEndsAt: trialEndsAt }
    : { state: "active", periodEndsAt: periodEnd(trialEndsAt ?? startedAt, period, now) }
}

export class AppPlanNotFound extends Schema.TaggedError<AppPlanNotFound>()("AppPlanNotFound", { id: AppPlanId }) {
  override get message() {
    return `The app does not offer plan ${this.id}; choose another plan of the app`
  }
}

export class AlreadySubscribed extends Schema.TaggedError<AlreadySubscribed>()("AlreadySubscribed", {
  planName: Schema.String
}) {
  override get message() {
    return `The installation is already subscribed to ${this.planName}; change or cancel that subscription first`
  }
}

export class NotSubscribed extends Schema.TaggedError<NotSubscribed>()("NotSubscribed", {}) {
  override get message() {
    return "The installation has no active subscription; subscribe it to a plan first"
  }
}

/** App plans and subscriptions. The service does not charge anybody (docs/spec/billing.md). */
export class Billing extends Context.Service<
  Billing,
  {
    /** Creates a plan of an app, or updates the plan with that name for later subscriptions. */
    readonly setPlan: (app: AppId, plan: Omit<AppPlan, "id">) => Effect.Effect<AppPlanId, AppNotFound>
    /**
     * Stops offering a plan until it is set again. Existing subscriptions continue. Returns false if there is no such
     * plan.
     */
    readonly retirePlan: (app: AppId, name: string) => Effect.Effect<boolean>
    /** Lists the plans that an app offers, the cheapest of each currency first. */
    readonly appPlans: (app: AppId) => Effect.Effect<ReadonlyArray<AppPlan>, AppNotFound>

    /** Lists the plans that the app of an installation offers. */
    readonly plans: (
      store: StoreId,
      installation: InstallationId
    ) => Effect.Effect<ReadonlyArray<AppPlan>, InstallationNotFound>
    /** Lists all subscriptions of a store, including ended ones, each a `Subscription`. */
    readonly subscriptions: (
      store: StoreId,
      page: PageRequest<SubscriptionId>
    ) => Effect.Effect<DocumentPage<SubscriptionId>>
    /** Returns the subscription of an installation that is active, or cancelled but not ended. */
    readonly current: (installation: Pick<Installation, "id" | "storeId">) => Effect.Effect<Option.Option<Subscription>>

    /**
     * Subscribes an installation to a plan at its current price. An installation has at most one active subscription.
     */
    readonly subscribe: (
      store: StoreId,
      installation: InstallationId,
      plan: AppPlanId
    ) => Write<Subscription, InstallationNotFound | AppPlanNotFound | AlreadySubscribed>
    /**
     * Replaces the subscription immediately by one to another plan, or to the same plan at its new price. A running
     * trial continues.
     */
    readonly change: (
      store: StoreId,
      installation: InstallationId,
      plan: AppPlanId
    ) => Write<Subscription, InstallationNotFound | AppPlanNotFound | NotSubscribed>
    /** Cancels the subscription at the end of the paid period or of the trial. */
    readonly cancel: (
      store: StoreId,
      installation: InstallationId
    ) => Write<Subscription, InstallationNotFound | NotSubscribed>
  }
>()("domain/Billing") {}
