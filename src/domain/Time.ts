import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

/* Times as clients write them: RFC 3339 with any offset and any number of fractional digits. */

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Tests whether the date exists. `Date` converts 30 February to 2 March. */
const isDay = (date: string) => {
  const day = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

/** Tests whether the minute is the last of a month, which may contain a leap second. */
const isLastOfMonth = (minute: Date) => new Date(minute.getTime() + 60_000).toISOString().includes("-01T00:00:")

/** Removes trailing zeros in linear time. A regular expression is quadratic, and there may be a million zeros. */
const withoutLastZeros = (digits: string) => {
  let end = digits.length
  while (digits[end - 1] === "0") end -= 1
  return digits.slice(0, end)
}

/**
 * Converts an RFC 3339 time to UTC with milliseconds, followed by any further digits. The lexical order of the results
 * is their time order.
 */
export const instantOf = (value: unknown): string | undefined => {
  const parts = typeof value === "string" ? RFC_3339.exec(value) : null
  const [, day = "", time = "", seconds = "", fraction = "", offset = ""] = parts ?? []
  if (!isDay(day)) return undefined
  // Offsets are whole minutes, so the seconds are the same in UTC.
  const minute = new Date(`${day}T${time}${offset.toUpperCase()}`)
  const year = minute.getUTCFullYear()
  if (year < 0 || year > 9999 || (seconds === "60" && !isLastOfMonth(minute))) return undefined
  const millis = fraction.slice(0, 3).padEnd(3, "0")
  return `${minute.toISOString().slice(0, 16)}:${seconds}.${millis}Z${withoutLastZeros(fraction.slice(3))}`
}

/** Replaces a leap second, which `Date` does not support, by the second before it. */
const withoutLeap = (instant: string) => instant.slice(0, 24).replace(":60.", ":59.")

const INVALID_MESSAGE = "must be a time of RFC 3339, as in 2026-01-31T09:30:00Z"

/** RFC 3339 time as clients write it, converted to UTC with milliseconds. Further digits are truncated. */
export const Instant = Schema.String.annotate({ message: INVALID_MESSAGE, format: "date-time" }).pipe(
  Schema.decodeTo(Schema.String.annotate({ format: "date-time" }), {
    decode: SchemaGetter.transformEffect((text: string, options) => {
      const instant = instantOf(text)
      return instant === undefined
        ? Effect.fail(new SchemaIssue.InvalidValue({ message: INVALID_MESSAGE }, text, options))
        : Effect.succeed(withoutLeap(instant))
    }),
    encode: SchemaGetter.passthrough()
  })
)
