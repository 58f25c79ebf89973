import { number } from "../data/format.ts"

/** Texts of webhooks and deliveries that the dashboard and the developer portal share. */
export const webhookTexts = {
  states: {
    healthy: "Healthy",
    failing: "Failing",
    notCalled: "Not called yet",
    paused: "Paused",
    missing: "No webhook"
  },
  deliveryStates: {
    pending: "Pending",
    delivered: "Delivered",
    dead: "Failed",
    skipped: "Skipped",
    canceled: "Canceled",
    held: "Paused"
  },
  deliveries: {
    title: "Deliveries",
    event: "Event",
    occurred: "Occurred",
    status: "Status",
    attempts: "Attempts",
    nextAttempt: "Next attempt",
    details: "Details",
    viewDetails: "View details",
    allStates: "All deliveries",
    noDeliveries: "No deliveries yet",
    noMatches: "No deliveries with this status",
    chooseOtherStatus: "Choose another status to see more deliveries.",
    noAttempts: "No attempts yet",
    sent: "Sent",
    duration: "Duration",
    milliseconds: (duration: number) => `${number(duration)} ms`,
    httpStatus: (status: number) => `HTTP ${status}`,
    resend: "Resend event",
    queued: "Event queued for delivery",
    refresh: "Refresh deliveries",
    noWebhook: "This app has no webhook",
    noWebhookAdvice: "Set up a webhook to receive events. Deliveries of the last 30 days appear here.",
    attempt: (attempt: number) => `Attempt ${number(attempt)}`,
    inProgress: "In progress",
    noResponse: "No response",
    error: "Error",
    responseBody: "Response body"
  }
} as const
