import { ago, type Dates, money } from "../../shared/data/format.ts"
import type { InstallationState } from "../../../domain/access/InstallationState.ts"
import type { RecentRequest } from "../../../domain/access/Requests.ts"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import { FAILING_HOURS, type PauseReason } from "../../../domain/webhooks/Webhook.ts"
import type { StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import type { StatusLabel } from "../../shared/ui/display/Values.tsx"
import { appTexts } from "./appTexts.ts"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"

export const installationLabels: Readonly<Record<InstallationState, StatusLabel>> = {
  active: { word: appTexts.installationStates.active, tone: "good" },
  suspended: { word: appTexts.installationStates.suspended, tone: "warn" },
  uninstalled: { word: appTexts.installationStates.uninstalled, tone: "plain" }
}

const pauseReasonText = (reason: typeof PauseReason.Type) =>
  reason === "failing"
    ? appTexts.webhook.pauseReasons.failing(FAILING_HOURS / 24)
    : appTexts.webhook.pauseReasons[reason]

/** Status of a webhook, with an explanation. */
export const webhookStatus = (
  { calledAt, failingSince, heldSince, host, pauseReason, pausedAt, testFailedAt }: typeof StoreWebhook.Type,
  now?: number
): StatusLabel & { readonly text: string } => {
  if (host === null) return { word: webhookTexts.states.missing, tone: "plain", text: appTexts.webhook.missing }
  if (heldSince !== null) {
    return {
      word: webhookTexts.states.paused,
      tone: "warn",
      text: appTexts.webhook.pausedByMember(ago(heldSince, now))
    }
  }
  if (pausedAt !== null) {
    const reason = pauseReason === null ? undefined : pauseReasonText(pauseReason)
    return {
      word: webhookTexts.states.paused,
      tone: "alert",
      text: appTexts.webhook.pausedForAllStores(ago(pausedAt, now), reason)
    }
  }
  const { failing, healthy, notCalled } = webhookTexts.states
  if (failingSince !== null) {
    return { word: failing, tone: "alert", text: appTexts.webhook.failing(ago(failingSince, now)) }
  }
  if (testFailedAt !== null) {
    return { word: failing, tone: "alert", text: appTexts.webhook.testFailed(ago(testFailedAt, now)) }
  }
  return calledAt === null
    ? { word: notCalled, tone: "plain", text: appTexts.webhook.notCalled }
    : { word: healthy, tone: "good", text: appTexts.webhook.healthy }
}

/** Response to an API request of the app. */
export const responseStatus = (status: RecentRequest["status"]): StatusLabel => {
  if (status === "aborted") return { word: appTexts.requests.clientDisconnected, tone: "warn" }
  return { word: String(status), tone: status >= 400 ? "alert" : "good" }
}

type PlanPrice = Pick<AppPlan, "price" | "currencyCode" | "period">

/** Price of a plan, such as €9.90 per month. */
export const priceText = ({ currencyCode, period, price }: PlanPrice): string =>
  appTexts.billing.pricePerPeriod(money(price, currencyCode), period)

/** Trial period of a plan. */
export const trialText = ({ trialDays }: AppPlan): string =>
  trialDays === 0 ? appTexts.billing.noTrial : appTexts.billing.trial(trialDays)

/** Renewal or end of a subscription. */
export const subscriptionStatus = ({ periodEndsAt, state }: Subscription, { day }: Dates): StatusLabel => {
  switch (state) {
    case "trialing":
      return { word: appTexts.billing.trialUntil(day(periodEndsAt)), tone: "accent" }
    case "active":
      return { word: appTexts.billing.renewsOn(day(periodEndsAt)), tone: "good" }
    case "cancelled":
      return { word: appTexts.billing.endsOn(day(periodEndsAt)), tone: "warn" }
  }
}

/** Label of the plan button, given the current subscription. */
export const planChoice = (
  plan: AppPlan,
  current: Subscription | null
): { readonly name: string; readonly isSwitch: boolean; readonly isCurrent: boolean } => {
  if (current === null || current.state === "cancelled") {
    return { name: appTexts.billing.subscribe, isSwitch: false, isCurrent: false }
  }
  const isCurrent =
    current.planId === plan.id && priceText(current) === priceText(plan) && current.planName === plan.name
  return { name: appTexts.billing.switchPlan, isSwitch: true, isCurrent }
}
