import { Option, Schema } from "effect"
import { Instant } from "../../../domain/Time.ts"

/* Which orders and customers a list is of: those that were made or changed at a time or later. */

const decodeInstant = Schema.decodeUnknownOption(Instant)

export interface DateSearch {
  /** RFC 3339. */
  readonly since?: string
}

/** What the address of a list says. What is no time is passed over. */
export const parseDateSearch = ({ since }: Record<string, unknown>): DateSearch =>
  Option.match(decodeInstant(since), { onNone: () => ({}), onSome: (since) => ({ since }) })

/** What is asked of the service. */
export const updatedSinceOf = ({ since }: DateSearch): { readonly updatedSince?: string } =>
  since === undefined ? {} : { updatedSince: since }

const twoDigits = (part: number) => String(part).padStart(2, "0")

/** The day of a moment as the browser's own field takes it, in its time zone. */
export const dateInputValue = ({ since }: DateSearch): string => {
  if (since === undefined) return ""
  const at = new Date(since)
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-")
}

/** From the beginning of a day in the time zone of the browser; from the beginning of all where none is said. */
export const searchSinceDate = (day: string): DateSearch => {
  const at = new Date(`${day}T00:00`)
  return Number.isNaN(at.getTime()) ? {} : parseDateSearch({ since: at.toISOString() })
}
