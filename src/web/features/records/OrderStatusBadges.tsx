import type { Order } from "../../../domain/records/Order.ts"
import { Badge, type Tone } from "../../shared/ui/display/Values.tsx"
import { recordTexts } from "./recordTexts.ts"

const orderStatusLabels: Readonly<Record<Order["status"], { readonly name: string; readonly tone: Tone }>> = {
  open: { name: recordTexts.orderStatus.open, tone: "accent" },
  completed: { name: recordTexts.orderStatus.completed, tone: "good" },
  cancelled: { name: recordTexts.orderStatus.cancelled, tone: "alert" }
}

export const OrderStatusBadge = ({ status }: { readonly status: Order["status"] }) => (
  <Badge tone={orderStatusLabels[status].tone}>{orderStatusLabels[status].name}</Badge>
)

/** Capitalizes a status that the merchant defined. */
const capitalize = (text: string) => `${text.slice(0, 1).toLocaleUpperCase()}${text.slice(1).replaceAll("_", " ")}`

/** Payment or fulfillment status, as the merchant defined it. */
export const CustomStatusBadge = ({ word }: { readonly word: string | null }) =>
  word === null ? <span>—</span> : <Badge>{capitalize(word)}</Badge>
