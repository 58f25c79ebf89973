import type { JsonText } from "../../domain/json/Document.ts"

/*
 * Encodes columns of a statement that writes many rows as arrays. One JSON array of records takes the database twice as
 * long to read.
 */

const quoted = (text: string) => (/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text)

/** Encodes texts as a PostgreSQL array. */
export const textArray = (texts: ReadonlyArray<string | null>): string => {
  let list = ""
  for (const text of texts) list += `${list === "" ? "" : ","}${text === null ? "NULL" : `"${quoted(text)}"`}`
  return `{${list}}`
}

/** Encodes values without special characters, such as numbers and ids, as a PostgreSQL array. */
export const plainArray = (values: ReadonlyArray<number | string>): string => `{${values.join(",")}}`

/** Null element of such an array. */
export const NULL_ELEMENT = "null"

/**
 * Encodes JSON texts, which contain no line break, for `string_to_array(…, E'\n', '')`. Nothing is escaped. An empty
 * line becomes null.
 */
export const joinLines = (texts: ReadonlyArray<JsonText>): string => texts.join("\n")
