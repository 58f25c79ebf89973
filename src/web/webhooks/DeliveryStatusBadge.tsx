import type { DeliveryState } from "../../domain/webhooks/Webhook.ts"
import { deliveryLabels } from "./deliveryLabels.ts"
import { StatusBadge } from "../ui/display/Badge.tsx"

export const DeliveryStatusBadge = ({ state }: { readonly state: DeliveryState }) => (
  <StatusBadge {...deliveryLabels[state]} />
)
