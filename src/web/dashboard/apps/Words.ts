import type { InstallationState } from "../../../domain/access/InstallationState.ts"
import type { RecentRequest } from "../../../domain/access/Requests.ts"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { EventKind } from "../../../domain/Events.ts"
import { type DeliveryState, FAILING_HOURS, type PauseReason } from "../../../domain/webhooks/Webhook.ts"
import type { StoreAttempt, StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import { ago, count, day, money } from "../../data/Format.ts"
import type { Tone } from "../../ui/Badge.tsx"

/* How an app stands, is told and is paid for, in the words of who owns the store. */

/** A word on how something stands. */
export interface Standing {
  readonly word: string
  readonly tone: Tone
}

export const INSTALLATION_WORDS: Readonly<Record<InstallationState, Standing>> = {
  active: { word: "Active", tone: "good" },
  suspended: { word: "Suspended", tone: "warn" },
  uninstalled: { word: "Uninstalled", tone: "plain" }
}

export const EVENT_WORDS: Readonly<Record<EventKind, string>> = {
  "catalog.product.updated.v1": "A product changed",
  "catalog.collection.updated.v1": "A collection changed"
}

export const DELIVERY_WORDS: Readonly<Record<DeliveryState, Standing>> = {
  pending: { word: "On its way", tone: "accent" },
  delivered: { word: "Delivered", tone: "good" },
  dead: { word: "Given up", tone: "alert" },
  skipped: { word: "Skipped", tone: "plain" },
  canceled: { word: "Canceled", tone: "plain" },
  held: { word: "Waits", tone: "warn" }
}

const PAUSE_WORDS: Readonly<Record<typeof PauseReason.Type, string>> = {
  operator: "who runs the service stopped it",
  gone: "the app's endpoint said that it is gone",
  failing: `the app's endpoint failed for ${FAILING_HOURS / 24} days`
}

/** How events of the store reach an app, and why they do not. */
export const webhookStanding = (
  { failingSince, heldSince, host, pauseReason, pausedAt }: typeof StoreWebhook.Type,
  now?: number
): Standing & { readonly text: string } => {
  if (host === null) return { word: "None", tone: "plain", text: "The app wants to be told of nothing." }
  if (heldSince !== null) {
    return { word: "Paused", tone: "warn", text: `A member of the store paused it ${ago(heldSince, now)}.` }
  }
  if (pausedAt !== null) {
    const why = pauseReason === null ? "" : `: ${PAUSE_WORDS[pauseReason]}`
    return { word: "Stopped", tone: "alert", text: `It was stopped for all stores ${ago(pausedAt, now)}${why}.` }
  }
  return failingSince === null
    ? { word: "Well", tone: "good", text: "Events are sent as they happen." }
    : { word: "Failing", tone: "alert", text: `It has failed since ${ago(failingSince, now)}. It is tried again.` }
}

/** What came of a request to an app. */
export const attemptStanding = ({ error, status }: typeof StoreAttempt.Type): Standing => {
  if (status === null) return { word: error ?? "Under way", tone: error === null ? "accent" : "alert" }
  return { word: `Answered ${status}`, tone: status >= 200 && status < 300 ? "good" : "alert" }
}

/** What a request of an app was answered with. */
export const answerStanding = (status: RecentRequest["status"]): Standing => {
  if (status === "aborted") return { word: "Nobody waited for it", tone: "warn" }
  return { word: String(status), tone: status >= 400 ? "alert" : "good" }
}

type Priced = Pick<AppPlan, "price" | "currencyCode" | "period">

/** What is paid, as in €9.90 each month. */
export const priceWords = ({ currencyCode, period, price }: Priced): string =>
  `${money(price, currencyCode)} each ${period}`

/** What comes before the first payment of a plan. */
export const trialWords = ({ trialDays }: AppPlan): string =>
  trialDays === 0 ? "No trial" : `${count(trialDays, "day")} to try it, the first time you subscribe to this app`

/** How long a subscription goes on. */
export const subscriptionStanding = ({ periodEndsAt, state }: Subscription): Standing => {
  switch (state) {
    case "trialing":
      return { word: `On trial until ${day(periodEndsAt)}`, tone: "accent" }
    case "active":
      return { word: `Renews on ${day(periodEndsAt)}`, tone: "good" }
    case "cancelled":
      return { word: `Ends on ${day(periodEndsAt)}`, tone: "warn" }
  }
}

/** What choosing a plan does, given the subscription that there is. */
export const planChoice = (
  plan: AppPlan,
  current: Subscription | null
): { readonly name: "Subscribe" | "Change to this"; readonly isCurrent: boolean } => {
  if (current === null || current.state === "cancelled") return { name: "Subscribe", isCurrent: false }
  const isAgreed =
    current.planId === plan.id && priceWords(current) === priceWords(plan) && current.planName === plan.name
  return { name: "Change to this", isCurrent: isAgreed }
}
