import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text is an id as it is held: a UUID in lower case. */
export const isUuid = (text: string): boolean => PATTERN.test(text)

const WANTED = "must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057"

/**
 * An id as clients write it: any UUID in any case (RFC 9562, section 4), held in lower case.
 * Ids that the service makes are version 7 and sort by the time of their creation.
 */
export const Uuid = Schema.String.annotate({ message: WANTED, format: "uuid" }).pipe(
  Schema.decodeTo(Schema.String.annotate({ format: "uuid" }), {
    decode: SchemaGetter.transformEffect((text: string, options) => {
      const id = text.toLowerCase()
      return isUuid(id)
        ? Effect.succeed(id)
        : Effect.fail(new SchemaIssue.InvalidValue({ message: WANTED }, text, options))
    }),
    encode: SchemaGetter.passthrough()
  })
)

/** How a version 7 UUID begins: 48 bits of milliseconds (RFC 9562, section 5.7). */
const beginning = (millis: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

const MAX_MILLIS = 2 ** 48 - 1

/** A version 7 UUID for the instant `millis`: 48 bits of time, 74 of randomness. */
export const uuidV7 = (millis: number): string => `${beginning(millis)}-7${crypto.randomUUID().slice(15)}`

/** How the UUIDs of an instant in microseconds begin, which fill the 12 bits behind the milliseconds. */
const beginningOfMicros = (micros: number): string => {
  const part = Math.floor(((micros % 1000) * 4096) / 1000)
  return `${beginning(Math.floor(micros / 1000))}-7${part.toString(16).padStart(3, "0")}`
}

/**
 * A version 7 UUID for an instant in microseconds: of two different instants the later one has the greater id (RFC 9562,
 * section 6.2, method 3).
 */
export const uuidOfMicros = (micros: number): string => `${beginningOfMicros(micros)}${crypto.randomUUID().slice(18)}`

/** No id of this instant in microseconds, or of a later one, is less. */
export const leastUuidOfMicros = (micros: number): string => `${beginningOfMicros(micros)}-0000-000000000000`

/** The instant that a version 7 UUID was made for. */
export const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** No id that is made at `time` or later is less. Times that no id can have count as the nearest that one can. */
export const leastUuidOf = (time: Date): string =>
  `${beginning(Math.min(Math.max(time.getTime(), 0), MAX_MILLIS))}-0000-0000-000000000000`
