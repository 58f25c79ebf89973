import { locale } from "../../shared/data/language.ts"
import type { OrderSummary } from "../../../domain/records/OrderSummary.ts"

/* Figures of the sales card. Days are those of the store, so no time zone of the browser applies to them. */

const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" })
const shortFormat = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" })

/** Date of a day such as `2026-01-31`, in the language of the browser. */
export const calendarDay = (date: string): string => dayFormat.format(new Date(date))

/** Day and month, for an axis. */
export const shortDay = (date: string): string => shortFormat.format(new Date(date))

/** Average total of an order; 0 without orders. */
export const averageOf = ({ orders, sales }: OrderSummary["current"]): number => (orders === 0 ? 0 : sales / orders)
