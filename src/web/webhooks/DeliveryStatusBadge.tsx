import type { DeliveryState } from "../../domain/webhooks/Webhook.ts"
import { StatusBadge } from "../ui/StatusBadge.tsx"
import { deliveryLabels } from "./deliveryLabels.ts"

export const DeliveryStatusBadge = ({ state }: { readonly state: DeliveryState }) => (
  <StatusBadge {...deliveryLabels[state]} />
)
