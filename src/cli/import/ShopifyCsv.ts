import { parse } from "csv-parse"
import { Result } from "effect"
import { pipeline, Readable } from "node:stream"
import { isShopify, makeShopify } from "../../domain/imports/Shopify.ts"
import type { ShopifyRow } from "../../domain/imports/ShopifyColumns.ts"
import { slugOf } from "../../layers/catalog/MadeSlug.ts"
import type { Line } from "./Lines.ts"

/** Bytes of a record beyond which a quote was never closed. */
const MAX_RECORD = 4 * 1024 * 1024

/** Rows of a product: no product has as many variants and pictures. */
const MAX_ROWS = 4096

/** A product whose rows are being gathered. */
interface Gathered {
  readonly number: number
  readonly key: string
  readonly rows: Array<ShopifyRow>
}

const isOfStrings = (record: unknown): record is ReadonlyArray<string> => Array.isArray(record)

/** The products of Shopify's CSV: rows that follow each other with one handle are one, on the line of the first. */
export async function* shopifyLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<Line>> {
  const options = {
    bom: true,
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true
  }
  const records = parse(options)
  // What breaks the source breaks the records, too, of which that is told.
  pipeline(Readable.from(bytes, { objectMode: false }), records, () => {})
  let header: ReadonlyArray<string> = []
  let shopify = makeShopify(header, slugOf)
  let gathered: Gathered | undefined
  // The library counts a CR and an LF inside a cell as two lines.
  let doubled = 0
  let end = 0
  const lineOf = ({ number, rows }: Gathered): Line => ({
    number,
    json:
      rows.length > MAX_ROWS
        ? Result.fail(`has more than ${MAX_ROWS} rows`)
        : Result.succeed(JSON.stringify(shopify.productOf(rows)))
  })
  for await (const { info, record } of records) {
    if (!isOfStrings(record)) continue
    const number = end + 1
    doubled += record.reduce((sum, cell) => sum + cell.split("\r\n").length - 1, 0)
    end = info.lines - doubled
    if (header.length === 0) {
      header = record
      if (!isShopify(header))
        throw new Error("it has no column Handle, URL handle or Title, as Shopify's products have")
      shopify = makeShopify(header, slugOf)
      continue
    }
    const row = Object.fromEntries(header.map((column, place) => [column, record[place] ?? ""]))
    const key = shopify.keyOf(row)
    if (gathered !== undefined && (key === undefined || key === gathered.key)) {
      if (gathered.rows.length <= MAX_ROWS) gathered.rows.push(row)
      continue
    }
    if (gathered !== undefined) yield [lineOf(gathered)]
    gathered = { number, key: key ?? "", rows: [row] }
  }
  if (gathered !== undefined) yield [lineOf(gathered)]
}
