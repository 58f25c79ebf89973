import { Schema } from "effect"
import { WeightUnit } from "../access/Settings.ts"
import { DataKind } from "./DataKind.ts"

/** Settings with which the rows of a file are read and written. */
export const ImportSettings = Schema.Struct({
  kind: DataKind,
  /** Columns of a Shopify export; null for JSON Lines. */
  columns: Schema.NullOr(Schema.Array(Schema.String)),
  /** True if an import removes the variants of a product that the file leaves out. */
  replaceVariants: Schema.Boolean,
  /** Unit of the store's weights. */
  weightUnit: WeightUnit,
  /** True if the import emits no events. */
  isSilent: Schema.Boolean,
  /** URL of the service, for the URLs of copied pictures; absent if an import copies none. */
  imageOrigin: Schema.optionalKey(Schema.String)
})
export type ImportSettings = typeof ImportSettings.Type

/** A record of a CSV file and the line on which it starts. */
export const CsvRecord = Schema.Struct({ line: Schema.Int, cells: Schema.Array(Schema.String) })
export type CsvRecord = typeof CsvRecord.Type

const JsonRow = Schema.Struct({ line: Schema.Int, json: Schema.String })
const ShopifyRows = Schema.Struct({
  line: Schema.Int,
  externalId: Schema.String,
  records: Schema.Array(CsvRecord)
})
export type ShopifyRows = typeof ShopifyRows.Type
const UnreadableRow = Schema.Struct({
  line: Schema.Int,
  externalId: Schema.NullOr(Schema.String),
  reason: Schema.String
})
export type UnreadableRow = typeof UnreadableRow.Type

/** Row of a file, as it is stored until it is imported: a line of JSON, the records of a product, or why it is neither. */
export const ImportRow = Schema.Union([JsonRow, ShopifyRows, UnreadableRow])
export type ImportRow = typeof ImportRow.Type
