import type { JsonText } from "../domain/Document.ts"

/*
 * Lists as the values of a statement that writes many rows: one for each column. As one JSON of records they took the
 * database twice as long (docs/performance.md, Import).
 */

const quoted = (text: string) => (/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text)

/** Texts as PostgreSQL writes an array of them. */
export const arrayOf = (texts: ReadonlyArray<string | null>): string => {
  let list = ""
  for (const text of texts) list += `${list === "" ? "" : ","}${text === null ? "NULL" : `"${quoted(text)}"`}`
  return `{${list}}`
}

/** Numbers, ids and the like, in which nothing needs a quote. */
export const listOf = (values: ReadonlyArray<number | string>): string => `{${values.join(",")}}`

/** What stands in a list of those where there is none. */
export const NONE = "null"

/**
 * Texts that are JSON and so hold no line break, for `string_to_array(…, E'\n', '')`, to which an empty line is null.
 * Nothing in them is escaped.
 */
export const linesOf = (texts: ReadonlyArray<JsonText>): string => texts.join("\n")
