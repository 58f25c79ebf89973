import type { InstallationState } from "../../../domain/access/InstallationState.ts"
import type { RecentRequest } from "../../../domain/access/Requests.ts"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import { FAILING_HOURS, type PauseReason } from "../../../domain/webhooks/Webhook.ts"
import type { StoreAttempt, StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import { ago, count, day, money } from "../../data/format.ts"
import type { StatusLabel } from "../../ui/display/Badge.tsx"

/* Labels of app states, webhooks and plans, for merchants. */

export const installationLabels: Readonly<Record<InstallationState, StatusLabel>> = {
  active: { word: "Active", tone: "good" },
  suspended: { word: "Suspended", tone: "warn" },
  uninstalled: { word: "Uninstalled", tone: "plain" }
}

const pauseReasonLabels: Readonly<Record<typeof PauseReason.Type, string>> = {
  operator: "the app's developer or the service operator paused it",
  gone: "the app's endpoint returned 410 Gone",
  failing: `the app's endpoint failed for ${FAILING_HOURS / 24} days`
}

/** Status of a webhook, with an explanation. */
export const webhookStatus = (
  { failingSince, heldSince, host, pauseReason, pausedAt }: typeof StoreWebhook.Type,
  now?: number
): StatusLabel & { readonly text: string } => {
  if (host === null) return { word: "No webhook", tone: "plain", text: "This app receives no events." }
  if (heldSince !== null) {
    return { word: "Paused", tone: "warn", text: `A member of your store paused deliveries ${ago(heldSince, now)}.` }
  }
  if (pausedAt !== null) {
    const why = pauseReason === null ? "" : `: ${pauseReasonLabels[pauseReason]}`
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

/** Result of a delivery attempt. */
export const attemptStatus = ({ error, status }: typeof StoreAttempt.Type): StatusLabel => {
  if (status === null) return { word: error ?? "In progress", tone: error === null ? "accent" : "alert" }
  return { word: `HTTP ${status}`, tone: status >= 200 && status < 300 ? "good" : "alert" }
}

/** Response to an API request of the app. */
export const responseStatus = (status: RecentRequest["status"]): StatusLabel => {
  if (status === "aborted") return { word: "Client disconnected", tone: "warn" }
  return { word: String(status), tone: status >= 400 ? "alert" : "good" }
}

type PlanPrice = Pick<AppPlan, "price" | "currencyCode" | "period">

/** Price of a plan, such as €9.90 per month. */
export const priceText = ({ currencyCode, period, price }: PlanPrice): string =>
  `${money(price, currencyCode)} per ${period}`

/** Trial period of a plan. */
export const trialText = ({ trialDays }: AppPlan): string =>
  trialDays === 0 ? "No trial" : `Free trial of ${count(trialDays, "day")} with your first subscription to this app`

/** Renewal or end of a subscription. */
export const subscriptionStatus = ({ periodEndsAt, state }: Subscription): StatusLabel => {
  switch (state) {
    case "trialing":
      return { word: `Trial until ${day(periodEndsAt)}`, tone: "accent" }
    case "active":
      return { word: `Renews on ${day(periodEndsAt)}`, tone: "good" }
    case "cancelled":
      return { word: `Ends on ${day(periodEndsAt)}`, tone: "warn" }
  }
}

/** Label of the plan button, given the current subscription. */
export const planChoice = (
  plan: AppPlan,
  current: Subscription | null
): { readonly name: "Subscribe" | "Switch plan"; readonly isCurrent: boolean } => {
  if (current === null || current.state === "cancelled") return { name: "Subscribe", isCurrent: false }
  const isCurrent =
    current.planId === plan.id && priceText(current) === priceText(plan) && current.planName === plan.name
  return { name: "Switch plan", isCurrent }
}
