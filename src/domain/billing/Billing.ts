import { Context, type Effect, type Option, Schema } from "effect"
import type { AppId, AppNotFound } from "../access/Apps.ts"
import { type Installation, InstallationId, type InstallationNotFound } from "../access/Installations.ts"
import { Amount, CurrencyCode, described, Timestamp } from "../catalog/Fields.ts"
import type { DocumentPage } from "../Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"
import { Period, periodEnd } from "./Period.ts"

export const AppPlanId = Uuid.pipe(Schema.brand("AppPlanId"))
export type AppPlanId = typeof AppPlanId.Type

export const SubscriptionId = Uuid.pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

/** Days that an app may be tried for at most. */
export const MAX_TRIAL_DAYS = 365

const priced = {
  price: Amount.annotate({ description: "For each period, with all of its digits" }),
  currencyCode: Schema.toType(CurrencyCode).annotate({ description: "ISO 4217" }),
  period: Period.annotate({ description: "What the price is paid for, again and again" })
}

/** What an app's developer asks for it. */
export const AppPlan = Schema.Struct({
  id: AppPlanId,
  name: Schema.String,
  ...priced,
  trialDays: Schema.Int.annotate({
    description: "Days before the first period, for who subscribes for the first time"
  })
}).annotate({ identifier: "AppPlan" })
export type AppPlan = typeof AppPlan.Type

/**
 * `trialing`: the first period has not begun. `active`: one period follows the other. `cancelled`: it ends with
 * `periodEndsAt`, or ended then.
 */
export const SubscriptionState = Schema.Literals(["trialing", "active", "cancelled"])

/** What a merchant agreed to pay for an installation. It stays as it was agreed, whatever becomes of the plan. */
export const Subscription = Schema.Struct({
  id: described(SubscriptionId, "Which subscription it is"),
  installationId: described(InstallationId, "What it pays for"),
  planId: described(AppPlanId, "The plan that was agreed to"),
  planName: Schema.String.annotate({ description: "What the plan was called" }),
  ...priced,
  state: SubscriptionState.annotate({ description: "Whether it goes on, and is paid for yet" }),
  startedAt: Timestamp,
  trialEndsAt: Schema.NullOr(Timestamp).annotate({
    description: "When the first period begins; null without a trial"
  }),
  periodEndsAt: Timestamp.annotate({ description: "When the trial ends, or the period that is paid for" }),
  cancelledAt: Schema.NullOr(Timestamp).annotate({ description: "Since when it no longer goes on" })
}).annotate({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

/** What decides how a subscription stands. */
interface Times {
  readonly period: Period
  readonly startedAt: Date
  readonly trialEndsAt: Date | null
  readonly cancelledAt: Date | null
  /** Of one that was cancelled, when it ends. */
  readonly endsAt: Date | null
}

/** How a subscription stands at a time. */
export const standingOf = (
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
    return `The app has no plan ${this.id}, or no longer; choose another one of its plans`
  }
}

export class AlreadySubscribed extends Schema.TaggedError<AlreadySubscribed>()("AlreadySubscribed", {
  planName: Schema.String
}) {
  override get message() {
    return `The installation is subscribed to ${this.planName} already; change that subscription, or cancel it first`
  }
}

export class NotSubscribed extends Schema.TaggedError<NotSubscribed>()("NotSubscribed", {}) {
  override get message() {
    return "The installation has no subscription that goes on; subscribe it to a plan first"
  }
}

/** What apps ask for, and what merchants agreed to pay. Nobody is charged by it (decisions, section 15). */
export class Billing extends Context.Service<
  Billing,
  {
    /** Makes a plan of an app, or changes the one of that name for those who subscribe from then on. */
    readonly setPlan: (app: AppId, plan: Omit<AppPlan, "id">) => Effect.Effect<AppPlanId, AppNotFound>
    /** Offers a plan no longer, until it is set again. Who is subscribed to it stays so. */
    readonly retirePlan: (app: AppId, name: string) => Effect.Effect<boolean>
    /** The plans that an app offers, the cheapest of a currency first. */
    readonly appPlans: (app: AppId) => Effect.Effect<ReadonlyArray<AppPlan>, AppNotFound>

    /** The plans that the app of an installation offers. */
    readonly plans: (
      store: StoreId,
      installation: InstallationId
    ) => Effect.Effect<ReadonlyArray<AppPlan>, InstallationNotFound>
    /** All subscriptions of a store, also those that ended: each a `Subscription`. */
    readonly subscriptions: (
      store: StoreId,
      page: PageRequest<SubscriptionId>
    ) => Effect.Effect<DocumentPage<SubscriptionId>>
    /** The subscription of an installation that goes on, or that is paid for still. */
    readonly current: (installation: Pick<Installation, "id" | "storeId">) => Effect.Effect<Option.Option<Subscription>>

    /** Agrees to the price that the plan has now. An installation has one subscription that goes on. */
    readonly subscribe: (
      store: StoreId,
      installation: InstallationId,
      plan: AppPlanId
    ) => Write<Subscription, InstallationNotFound | AppPlanNotFound | AlreadySubscribed>
    /** Ends the subscription now for one to another plan, or to the same at its new price. A trial goes on in it. */
    readonly change: (
      store: StoreId,
      installation: InstallationId,
      plan: AppPlanId
    ) => Write<Subscription, InstallationNotFound | AppPlanNotFound | NotSubscribed>
    /** Ends the subscription with the period that is paid for, or with its trial. */
    readonly cancel: (
      store: StoreId,
      installation: InstallationId
    ) => Write<Subscription, InstallationNotFound | NotSubscribed>
  }
>()("domain/Billing") {}
