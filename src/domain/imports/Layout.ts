import { Schema } from "effect"
import type { ColumnMapping } from "./ColumnMapping.ts"
import { isNumberColumn } from "./Csv.ts"
import { Decimal, findDecimal } from "./Numerals.ts"
import { findField, isNumeric } from "./ShopifyColumns.ts"

/** Delimiter of the cells of a CSV file. */
export const Delimiter = Schema.Literals(["comma", "semicolon", "tab"])
export type Delimiter = typeof Delimiter.Type

/** Characters of delimiters. */
export const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ",", semicolon: ";", tab: "\t" }

/** Delimiter and decimal sign of a CSV file, as set or detected. */
export const Layout = Schema.Struct({
  delimiter: Delimiter,
  /** Null if no number of the first records tells it. Numbers with two readings are then refused. */
  decimal: Schema.NullOr(Decimal)
})
export type Layout = typeof Layout.Type

const fieldOf = (name: string, mapping: ColumnMapping) =>
  Object.hasOwn(mapping, name.trim()) ? mapping[name.trim()] : findField(name)

const isKnown = (name: string, mapping: ColumnMapping) =>
  Boolean(fieldOf(name, mapping)) || isNumberColumn(name.trim()) !== undefined

/** Finds the delimiter that splits a header into most known columns, or else into most columns. */
export const findDelimiter = (split: (delimiter: Delimiter) => ReadonlyArray<string>, mapping: ColumnMapping) => {
  const counted = Delimiter.literals.map((delimiter) => {
    const names = split(delimiter)
    return { delimiter, known: names.filter((name) => isKnown(name, mapping)).length, all: names.length }
  })
  return counted.reduce((best, next) =>
    next.known > best.known || (next.known === best.known && next.all > best.all) ? next : best
  ).delimiter
}

/**
 * Finds the decimal sign of the first records: in columns of numbers, or, if there are none, in columns with unknown names.
 * Commas between cells mean decimal points, as programs write them.
 */
export const findDecimalOf = (
  delimiter: Delimiter,
  header: ReadonlyArray<string>,
  records: ReadonlyArray<ReadonlyArray<string>>,
  mapping: ColumnMapping
): Decimal | null => {
  if (delimiter === "comma") return "point"
  const numeric = header.map((name) => {
    const field = fieldOf(name, mapping)
    return field ? isNumeric(field) : isNumberColumn(name.trim())
  })
  const isRead = numeric.includes(true)
    ? (index: number) => numeric[index] === true
    : (index: number) => numeric[index] === undefined
  return findDecimal(records.flatMap((cells) => cells.filter((_, index) => isRead(index))))
}
