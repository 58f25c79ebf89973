import { Effect, Stream } from "effect"
import { type ColumnMapping, REASON_COLUMN } from "../../domain/imports/ColumnMapping.ts"
import { BOM, LINE_END, quote, quoteText } from "../../domain/imports/Csv.ts"
import type { FileFormat } from "../../domain/imports/ImportFiles.ts"
import { DELIMITERS } from "../../domain/imports/Layout.ts"
import { pace } from "./JsonLines.ts"
import { type CsvFile, readHeader, readShopifyHeader } from "./ShopifyCsv.ts"
import { groupProducts, makeRows } from "./ShopifyRows.ts"

/** Cells of a refused record, and why it is refused. */
interface Refused {
  readonly cells: ReadonlyArray<string>
  readonly reason: string
}

/** Reads refused rows by their positions. A refused product has all its records. */
const readShopifyRefused = Effect.fnUntraced(function* <E>(
  file: CsvFile<E>,
  mapping: ColumnMapping,
  reasons: ReadonlyMap<number, string>
) {
  const { cells: header, columns, records } = yield* readShopifyHeader(file, mapping)
  const { positionOf, rowsOf } = makeRows(columns)
  const products = groupProducts(
    Stream.map(pace(records), (record) => ({ ...record, problems: [] })),
    columns
  )
  const refused = Stream.mapAccum(
    products,
    () => null,
    (state, product): readonly [null, ReadonlyArray<Refused>] => {
      rowsOf(product)
      const reason = reasons.get(positionOf(product))
      return [state, reason === undefined ? [] : product.records.map(({ cells }) => ({ cells, reason }))]
    }
  )
  return { header, refused }
})

const readRefused = Effect.fnUntraced(function* <E>(file: CsvFile<E>, reasons: ReadonlyMap<number, string>) {
  const { cells: header, records } = yield* readHeader(file)
  const refused = Stream.mapAccum(
    pace(records),
    () => 0,
    (index, { cells }): readonly [number, ReadonlyArray<Refused>] => {
      const reason = reasons.get(index)
      return [index + 1, reason === undefined ? [] : [{ cells, reason }]]
    }
  )
  return { header, refused }
})

/** Writes the refused rows of a CSV with the reason as last column, in the layout of the file. */
export const refusedCsv = Effect.fnUntraced(function* <E>(
  file: CsvFile<E>,
  { format, mapping = {} }: { readonly format: FileFormat; readonly mapping?: ColumnMapping | undefined },
  reasons: ReadonlyMap<number, string>
) {
  const { header, refused } = yield* format === "shopify"
    ? readShopifyRefused(file, mapping, reasons)
    : readRefused(file, reasons)
  const delimiter = DELIMITERS[file.layout.delimiter]
  const cellOf = (text: string) => (/["\r\n]/.test(text) || text.includes(delimiter) ? quote(text) : text)
  // The file can be one of refused rows itself.
  const earlier = header.findIndex((name) => name.trim() === REASON_COLUMN)
  const lineOf = (cells: ReadonlyArray<string>, last: string) =>
    `${[...cells.filter((_, index) => index !== earlier).map(cellOf), last].join(delimiter)}${LINE_END}`
  return Stream.concat(
    Stream.succeed(`${BOM}${lineOf(header, REASON_COLUMN)}`),
    Stream.map(refused, ({ cells, reason }) => lineOf(cells, quoteText(reason)))
  )
})
