import type { DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import { StatusBadge, type Tone } from "../ui/display/Badge.tsx"
import { webhookTexts } from "./webhookTexts.ts"

const tones: Readonly<Record<DeliveryState, Tone>> = {
  pending: "accent",
  delivered: "good",
  dead: "alert",
  skipped: "plain",
  canceled: "plain",
  held: "warn"
}

export const DeliveryStatusBadge = ({ state }: { readonly state: DeliveryState }) => (
  <StatusBadge tone={tones[state]} word={webhookTexts.deliveryStates[state]} />
)
