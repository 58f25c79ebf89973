import { t } from "@lingui/core/macro"
import { type EventKind, isEventKind } from "../../../domain/Events.ts"
import { number } from "../data/format.ts"

/** Titles of the kinds of events. */
const events: Readonly<Record<EventKind, string>> = {
  "catalog.product.updated.v1": t`Product created or updated`,
  "catalog.collection.updated.v1": t`Collection created or updated`
}

/** Title of the kind of a delivery. Kinds of a newer release have none. */
export const eventTitle = (kind: string) => (isEventKind(kind) ? events[kind] : kind)

/** Texts of webhooks and deliveries that the dashboard and the developer portal share. */
export const webhookTexts = {
  events,
  states: {
    healthy: t`Healthy`,
    failing: t`Failing`,
    notCalled: t`Not called yet`,
    paused: t`Paused`,
    missing: t`No webhook`
  },
  deliveryStates: {
    pending: t`Pending`,
    delivered: t`Delivered`,
    dead: t`Failed`,
    skipped: t`Skipped`,
    canceled: t`Canceled`,
    held: t`Paused`
  },
  deliveries: {
    title: t`Deliveries`,
    event: t`Event`,
    occurred: t`Occurred`,
    status: t`Status`,
    attempts: t`Attempts`,
    nextAttempt: t`Next attempt`,
    details: t`Details`,
    viewDetails: t`View details`,
    allStates: t`All deliveries`,
    noDeliveries: t`No deliveries yet`,
    noMatches: t`No deliveries with this status`,
    chooseOtherStatus: t`Choose another status to see more deliveries.`,
    noAttempts: t`No attempts yet`,
    sent: t`Sent`,
    duration: t`Duration`,
    milliseconds: (duration: number) => t`${number(duration)} ms`,
    httpStatus: (status: number) => t`HTTP ${status}`,
    resend: t`Resend event`,
    queued: t`Event queued for delivery`,
    refresh: t`Refresh deliveries`,
    noWebhook: t`This app has no webhook`,
    noWebhookAdvice: t`Set up a webhook to receive events. Recent deliveries appear here.`,
    attempt: (attempt: number) => t`Attempt ${number(attempt)}`,
    inProgress: t`In progress`,
    noResponse: t`No response`,
    error: t`Error`,
    responseBody: t`Response body`
  }
} as const
