import { Result, Schema } from "effect"

/* Numbers of spreadsheets, which have decimal points or decimal commas (docs/import.md, Spreadsheets). */

/** Decimal sign of the numbers of a file. */
export const Decimal = Schema.Literals(["point", "comma"])
export type Decimal = typeof Decimal.Type

/** Number with a decimal comma; thousands may have points, spaces or apostrophes. `12,-` is a price without cents. */
const COMMA = /^[+-]?(?:\d+|[1-9]\d{0,2}([.\s'’])\d{3}(?:\1\d{3})*)(?:,(?:\d+|-{1,2}))?$/

/** Number with a decimal point; thousands may have commas, spaces or apostrophes. */
const POINT = /^[+-]?(?:\d+|[1-9]\d{0,2}([,\s'’])\d{3}(?:\1\d{3})*)(?:\.\d+)?$/

/** Maximum characters of a number. A longer one is no number of a spreadsheet. */
const MAX_LENGTH = 40

const readAs = (decimal: Decimal, text: string): string | undefined => {
  if (text.length > MAX_LENGTH || !(decimal === "comma" ? COMMA : POINT).test(text)) return undefined
  const plain = text.replace(decimal === "comma" ? /[.\s'’]/g : /[,\s'’]/g, "")
  return decimal === "comma" ? plain.replace(/,-*/, ".").replace(/\.$/, "") : plain
}

/** Returns both readings of a number whose only separator separates thousands or decimals, or undefined. */
export const readingsOf = (text: string): readonly [string, string] | undefined => {
  const [comma, point] = [readAs("comma", text), readAs("point", text)]
  if (comma === undefined || point === undefined || comma === point) return undefined
  return text.includes(",") ? [point, comma] : [comma, point]
}

/** Advice for a number with two readings. */
export const bothReadings = (text: string, [first, second]: readonly [string, string]) =>
  `is "${text}", which can be ${first} or ${second}; write it without separators, or set the decimal sign of the file`

/**
 * Finds the decimal sign of numbers. A number with two readings says nothing. Returns null if no number decides, or some
 * contradict the others.
 */
export const findDecimal = (cells: Iterable<string>): Decimal | null => {
  const found = new Set<Decimal>()
  for (const cell of cells) {
    const text = cell.replace(/^\s*\p{Sc}\s*|\s*\p{Sc}\s*$/gu, "").trim()
    const [comma, point] = [readAs("comma", text), readAs("point", text)]
    if (comma !== undefined && point === undefined) found.add("comma")
    if (comma === undefined && point !== undefined) found.add("point")
  }
  const [decimal = null] = found
  return found.size === 1 ? decimal : null
}

/** Makes a function that removes the sign or the code of a currency before or after a number. */
export const currencyRemover = (currency: string) => {
  const parts = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" })
  const sign = parts.formatToParts(0).find(({ type }) => type === "currency")?.value
  const names = [currency, sign].filter((name) => name !== undefined)
  return (cell: string): string => {
    const text = cell.trim()
    const name = names.find((one) => text.startsWith(one) || text.endsWith(one))
    if (name === undefined) return cell
    return (text.startsWith(name) ? text.slice(name.length) : text.slice(0, -name.length)).trim()
  }
}

/**
 * Rewrites a number to one with a decimal point, which the schemas of fields read. Numbers with a point, and text that is no
 * number, stay for them. Fails with the reason if the cell has two readings, or another decimal sign than the file.
 */
export const toPoint = (cell: string, decimal: Decimal | null): Result.Result<string, string> => {
  const text = cell.trim()
  if (text === "" || decimal === "point") return Result.succeed(cell)
  const comma = readAs("comma", text)
  if (decimal === "comma") {
    return comma === undefined
      ? Result.fail(`must be a number with a decimal comma, such as 1234,5, not "${text.slice(0, MAX_LENGTH)}"`)
      : Result.succeed(comma)
  }
  const readings = readingsOf(text)
  return readings === undefined
    ? Result.succeed(comma ?? readAs("point", text) ?? cell)
    : Result.fail(bothReadings(text, readings))
}
