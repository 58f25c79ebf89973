import { Result, Schema } from "effect"
import { findPlatform } from "./Platforms.ts"
import { findField, nameOfField } from "./ShopifyColumns.ts"
import { ShopifyField } from "./ShopifyTable.ts"

/* Fields of the columns of a Shopify CSV, by a mapping or by their names. */

/** Target of a column that is kept under its name as a custom field. */
export const CUSTOM_FIELD = "customField"

const MappedField = Schema.Union([ShopifyField, Schema.Literal(CUSTOM_FIELD)])
type MappedField = typeof MappedField.Type

/** Fields by the names of columns, as a file spells them. A column that is mapped to null is ignored. */
export const ColumnMapping = Schema.Record(Schema.String, Schema.NullOr(MappedField))
export type ColumnMapping = typeof ColumnMapping.Type

/** Column with the reasons in a file of refused rows, which is mended and imported again. */
export const REASON_COLUMN = "Refused because"

/** Columns that every export of Shopify has, mostly empty, and that no field or page shows, and the reasons of refusals. */
const isIgnoredByName = (column: string) => /^\s*google shopping \//i.test(column) || column.trim() === REASON_COLUMN

/** Column of a file with its field. `ignored`: it is not read. */
export interface RecognizedColumn {
  readonly name: string
  readonly field: ShopifyField | null
  readonly ignored: boolean
}

/** Recognizes columns by their names. Those of another platform's file have other meanings. */
export const recognizeColumns = (header: ReadonlyArray<string>): ReadonlyArray<RecognizedColumn> => {
  const isForeign = findPlatform(header) !== undefined
  return header.map((name) => ({
    name,
    field: isForeign ? null : (findField(name) ?? null),
    ignored: !isForeign && isIgnoredByName(name)
  }))
}

interface MappedColumn {
  readonly name: string
  readonly field: MappedField | null
  readonly isExplicit: boolean
}

const isEmpty = (name: string) => name.trim() === ""

/** Prices of a file: what customers pay and the price above it, or the regular price and the sale price. */
const PAID_PAIR = ["price", "compareAtPrice"] as const
const SALE_PAIR = ["regularPrice", "salePrice"] as const
const PRICES: ReadonlySet<MappedField | null> = new Set([...PAID_PAIR, ...SALE_PAIR])

/** Keeps one pair of prices: the mapped one, or else a complete one. Other price columns are kept as custom fields. */
const withOnePair = (columns: ReadonlyArray<MappedColumn>): ReadonlyArray<MappedColumn> => {
  const prices = columns.filter(({ field }) => PRICES.has(field))
  if (prices.length <= 2) return columns
  const isWhole = (pair: ReadonlyArray<MappedField>, isExplicit: boolean) =>
    pair.every((one) => prices.some((column) => column.field === one && (column.isExplicit || !isExplicit)))
  const pair = [true, false].flatMap((isExplicit) =>
    [PAID_PAIR, SALE_PAIR].filter((one) => isWhole(one, isExplicit))
  )[0]
  return columns.map((column) =>
    pair === undefined || column.isExplicit || !PRICES.has(column.field) || pair.some((one) => one === column.field)
      ? column
      : { ...column, field: CUSTOM_FIELD }
  )
}

/** Returns a name that no field has, for a column that is kept. */
const keptName = (name: string) => (findField(name) === undefined ? name : `${name.trim()} (column)`)

const quoted = (columns: ReadonlyArray<MappedColumn>) => columns.map(({ name }) => name.trim()).join(" and ")

/** Renames columns to the names of their fields. Ignored columns have no name. Fails with the reason. */
export const renameColumns = (
  header: ReadonlyArray<string>,
  mapping: ColumnMapping
): Result.Result<ReadonlyArray<string>, string> => {
  const recognized = recognizeColumns(header)
  const mapped = recognized.map(({ field, ignored, name }): MappedColumn => {
    const explicit = Object.hasOwn(mapping, name.trim()) ? mapping[name.trim()] : undefined
    if (explicit !== undefined) return { name, field: explicit, isExplicit: true }
    return { name, field: ignored || isEmpty(name) ? null : (field ?? CUSTOM_FIELD), isExplicit: false }
  })
  const explicit = mapped.filter(({ field, isExplicit }) => isExplicit && field !== null && field !== CUSTOM_FIELD)
  const platform = findPlatform(header)
  if (platform !== undefined && !explicit.some(({ field }) => field === "title" || field === "handle")) {
    return Result.fail(
      `it is a product file of ${platform}, not of Shopify; map each of its columns to a field, one of them to title or handle, or convert the file to Shopify's format`
    )
  }
  const shared = explicit.find(({ field }, index) => explicit.findIndex((one) => one.field === field) !== index)
  if (shared !== undefined) {
    const both = explicit.filter(({ field }) => field === shared.field)
    return Result.fail(`its columns ${quoted(both)} are mapped to ${shared.field}; map one of them`)
  }
  // A mapped column replaces the one that has the field by its name.
  const columns = withOnePair(
    mapped.map((column) =>
      !column.isExplicit && explicit.some(({ field }) => field === column.field) ? { ...column, field: null } : column
    )
  )
  const prices = columns.filter(({ field }) => PRICES.has(field))
  const regular = prices.filter(({ field }) => field === "compareAtPrice" || field === "regularPrice")
  if (new Set(prices.map(({ field }) => field)).size > 2 || new Set(regular.map(({ field }) => field)).size > 1) {
    return Result.fail(
      `its columns ${quoted(prices)} do not make one pair of prices; map two of them to regularPrice and salePrice, and the others to null`
    )
  }
  return Result.succeed(
    columns.map(({ field, isExplicit, name }) => {
      if (field === null) return ""
      if (field === CUSTOM_FIELD) return keptName(name)
      return isExplicit ? nameOfField(field) : name
    })
  )
}
