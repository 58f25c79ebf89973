import { Console } from "effect"

/** What receivers answered is shown too: nothing of it may move the cursor of the terminal or look like another line. */
const lineOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString()
  return (Array.isArray(value) ? value.join(" ") : String(value)).replace(/[\p{Cc}\p{Cf}]/gu, "\uFFFD")
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

type Fields = Readonly<Record<string, unknown>>

const text = (fields: Fields) =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined && !isEmptyList(value))
    .map(([name, value]) => `${name}: ${lineOf(value)}`)
    .join("\n")

/** Prints a result for a program or for a person: the same fields, a line each. */
export const print = (asJson: boolean, fields: Fields) => Console.log(asJson ? JSON.stringify(fields) : text(fields))

/** Prints a list under its name; for a person with an empty line between its items. */
export const printList = (asJson: boolean, name: string, items: ReadonlyArray<Fields>) =>
  Console.log(asJson ? JSON.stringify({ [name]: items }) : items.map(text).join("\n\n") || `no ${name}`)
