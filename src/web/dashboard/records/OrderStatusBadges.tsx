import type { Order } from "../../../domain/records/Order.ts"
import { Badge, type Tone } from "../../ui/Badge.tsx"

const orderStatusLabels: Readonly<Record<Order["status"], { readonly name: string; readonly tone: Tone }>> = {
  open: { name: "Open", tone: "accent" },
  completed: { name: "Completed", tone: "good" },
  cancelled: { name: "Canceled", tone: "alert" }
}

/** How far an order has come. */
export const OrderStatusBadge = ({ status }: { readonly status: Order["status"] }) => (
  <Badge tone={orderStatusLabels[status].tone}>{orderStatusLabels[status].name}</Badge>
)

/** The merchant's own words begin with a capital here. */
const capitalize = (words: string) => `${words.slice(0, 1).toLocaleUpperCase()}${words.slice(1).replaceAll("_", " ")}`

/** How far it is paid or sent, in the merchant's words. */
export const CustomStatusBadge = ({ word }: { readonly word: string | null }) =>
  word === null ? <span>—</span> : <Badge>{capitalize(word)}</Badge>
