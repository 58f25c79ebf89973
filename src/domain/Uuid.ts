import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

const PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Tests whether a text is an id in stored form: a UUID in lower case. */
export const isUuid = (text: string): boolean => PATTERN.test(text)

const INVALID_MESSAGE = "must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057"

/**
 * Id as clients write it: any UUID in any case (RFC 9562, section 4), converted to lower case. Ids created by the
 * service have version 7 and sort by creation time.
 */
export const Uuid = Schema.String.annotate({ message: INVALID_MESSAGE, format: "uuid" }).pipe(
  Schema.decodeTo(Schema.String.annotate({ format: "uuid" }), {
    decode: SchemaGetter.transformEffect((text: string, options) => {
      const id = text.toLowerCase()
      return isUuid(id)
        ? Effect.succeed(id)
        : Effect.fail(new SchemaIssue.InvalidValue({ message: INVALID_MESSAGE }, text, options))
    }),
    encode: SchemaGetter.passthrough()
  })
)

/** Returns the first 48 bits of a version 7 UUID: the milliseconds (RFC 9562, section 5.7). */
const beginning = (millis: number): string => {
  const time = millis.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

const MAX_MILLIS = 2 ** 48 - 1

/** Creates a version 7 UUID for the instant `millis`: 48 bits of time, 74 random bits. */
export const uuidV7 = (millis: number): string => `${beginning(millis)}-7${crypto.randomUUID().slice(15)}`

/** Returns the beginning of a version 7 UUID with microseconds in the 12 bits after the milliseconds. */
const beginningOfMicros = (micros: number): string => {
  const part = Math.floor(((micros % 1000) * 4096) / 1000)
  return `${beginning(Math.floor(micros / 1000))}-7${part.toString(16).padStart(3, "0")}`
}

/**
 * Creates a version 7 UUID for an instant in microseconds: a later instant has a greater id (RFC 9562, section 6.2,
 * method 3).
 */
export const uuidOfMicros = (micros: number): string => `${beginningOfMicros(micros)}${crypto.randomUUID().slice(18)}`

/** Returns the least id of this instant in microseconds. */
export const leastUuidOfMicros = (micros: number): string => `${beginningOfMicros(micros)}-0000-000000000000`

/** Returns the creation time of a version 7 UUID in milliseconds. */
export const millisOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Returns the least id created at `time` or later. Times outside the range of ids are clamped to it. */
export const leastUuidOf = (time: Date): string =>
  `${beginning(Math.min(Math.max(time.getTime(), 0), MAX_MILLIS))}-0000-0000-000000000000`
