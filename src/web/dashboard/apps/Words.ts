import type { InstallationState } from "../../../domain/access/InstallationState.ts"
import type { RecentRequest } from "../../../domain/access/Requests.ts"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import { FAILING_HOURS, type PauseReason } from "../../../domain/webhooks/Webhook.ts"
import type { StoreAttempt, StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import { ago, count, day, money } from "../../data/Format.ts"
import type { StatusLabel } from "../../webhooks/deliveryLabels.ts"

/* How an app stands, is told and is paid for, in the words of who owns the store. */

export const INSTALLATION_WORDS: Readonly<Record<InstallationState, StatusLabel>> = {
  active: { word: "Active", tone: "good" },
  suspended: { word: "Suspended", tone: "warn" },
  uninstalled: { word: "Uninstalled", tone: "plain" }
}

const PAUSE_WORDS: Readonly<Record<typeof PauseReason.Type, string>> = {
  operator: "the app's developer or the service operator paused it",
  gone: "the app's endpoint returned 410 Gone",
  failing: `the app's endpoint failed for ${FAILING_HOURS / 24} days`
}

/** How events of the store reach an app, and why they do not. */
export const webhookStanding = (
  { failingSince, heldSince, host, pauseReason, pausedAt }: typeof StoreWebhook.Type,
  now?: number
): StatusLabel & { readonly text: string } => {
  if (host === null) return { word: "No webhook", tone: "plain", text: "This app receives no events." }
  if (heldSince !== null) {
    return { word: "Paused", tone: "warn", text: `A member of your store paused deliveries ${ago(heldSince, now)}.` }
  }
  if (pausedAt !== null) {
    const why = pauseReason === null ? "" : `: ${PAUSE_WORDS[pauseReason]}`
    return { word: "Paused", tone: "alert", text: `Paused for all stores ${ago(pausedAt, now)}${why}.` }
  }
  return failingSince === null
    ? { word: "Healthy", tone: "good", text: "Events are delivered as they occur." }
    : {
        word: "Failing",
        tone: "alert",
        text: `The first failure was ${ago(failingSince, now)}. Failed deliveries are retried.`
      }
}

/** What came of a request to an app. */
export const attemptStanding = ({ error, status }: typeof StoreAttempt.Type): StatusLabel => {
  if (status === null) return { word: error ?? "In progress", tone: error === null ? "accent" : "alert" }
  return { word: `HTTP ${status}`, tone: status >= 200 && status < 300 ? "good" : "alert" }
}

/** What a request of an app was answered with. */
export const answerStanding = (status: RecentRequest["status"]): StatusLabel => {
  if (status === "aborted") return { word: "Client disconnected", tone: "warn" }
  return { word: String(status), tone: status >= 400 ? "alert" : "good" }
}

type Priced = Pick<AppPlan, "price" | "currencyCode" | "period">

/** What is paid, as in €9.90 per month. */
export const priceWords = ({ currencyCode, period, price }: Priced): string =>
  `${money(price, currencyCode)} per ${period}`

/** What comes before the first payment of a plan. */
export const trialWords = ({ trialDays }: AppPlan): string =>
  trialDays === 0 ? "No trial" : `Free trial of ${count(trialDays, "day")} with your first subscription to this app`

/** How long a subscription goes on. */
export const subscriptionStanding = ({ periodEndsAt, state }: Subscription): StatusLabel => {
  switch (state) {
    case "trialing":
      return { word: `Trial until ${day(periodEndsAt)}`, tone: "accent" }
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
): { readonly name: "Subscribe" | "Switch plan"; readonly isCurrent: boolean } => {
  if (current === null || current.state === "cancelled") return { name: "Subscribe", isCurrent: false }
  const isAgreed =
    current.planId === plan.id && priceWords(current) === priceWords(plan) && current.planName === plan.name
  return { name: "Switch plan", isCurrent: isAgreed }
}
