import type { EventKind } from "../../domain/Events.ts"
import type { DeliveryState } from "../../domain/webhooks/Webhook.ts"
import type { StatusLabel } from "../ui/display/Badge.tsx"

/* Labels that the dashboard and the developer portal share. */

export const deliveryLabels: Readonly<Record<DeliveryState, StatusLabel>> = {
  pending: { word: "Pending", tone: "accent" },
  delivered: { word: "Delivered", tone: "good" },
  dead: { word: "Failed", tone: "alert" },
  skipped: { word: "Skipped", tone: "plain" },
  canceled: { word: "Canceled", tone: "plain" },
  held: { word: "Paused", tone: "warn" }
}

export const eventLabels: Readonly<Record<EventKind, string>> = {
  "catalog.product.updated.v1": "Product created or updated",
  "catalog.collection.updated.v1": "Collection created or updated"
}
