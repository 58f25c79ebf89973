import { Option, Schema } from "effect"
import { Instant } from "../../../domain/Time.ts"

/* Date filter of orders and customers. */

const decodeInstant = Schema.decodeUnknownOption(Instant)

export interface DateSearch {
  /** RFC 3339. */
  readonly since?: string
}

/** Parses the URL. An invalid time is dropped. */
export const parseDateSearch = ({ since }: Record<string, unknown>): DateSearch =>
  Option.match(decodeInstant(since), { onNone: () => ({}), onSome: (since) => ({ since }) })

/** Filter of the request. */
export const updatedSinceOf = ({ since }: DateSearch): { readonly updatedSince?: string } =>
  since === undefined ? {} : { updatedSince: since }

const twoDigits = (part: number) => String(part).padStart(2, "0")

/** Value of a date input, in the time zone of the browser. */
export const dateInputValue = ({ since }: DateSearch): string => {
  if (since === undefined) return ""
  const at = new Date(since)
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-")
}

/** Filter from the start of a day in the time zone of the browser. An empty day removes the filter. */
export const searchSinceDate = (day: string): DateSearch => {
  const at = new Date(`${day}T00:00`)
  return Number.isNaN(at.getTime()) ? {} : parseDateSearch({ since: at.toISOString() })
}
