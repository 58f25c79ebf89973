import type { Schema } from "effect"
import type { Order } from "../../../domain/records/Order.ts"
import type { Address as AddressSchema } from "../../../domain/records/Address.ts"
import { addressLines } from "../../../domain/records/AddressLines.ts"
import type { Customer } from "../../../domain/records/Customer.ts"
import { Badge, type Tone } from "../../shared/ui/display/Values.tsx"
import { MutedText } from "../../shared/ui/layout/Page.tsx"
import { recordTexts } from "./recordTexts.ts"
import css from "./Orders.module.css"

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

type Address = Schema.Schema.Type<typeof AddressSchema>

export const AddressText = ({ address }: { readonly address: Address | null }) =>
  address === null ? (
    <MutedText>{recordTexts.none}</MutedText>
  ) : (
    <address className={css["address"]}>{addressLines(address).join("\n")}</address>
  )

/** First contact detail of a customer that is not empty. */
export const customerName = ({ company, email, name, phone }: Customer): string =>
  [name, company, email, phone].find((one) => one !== null && one.trim() !== "") ?? recordTexts.unnamedCustomer
