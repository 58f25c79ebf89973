import { parse } from "csv-parse"
import { Result } from "effect"
import { pipeline, Readable } from "node:stream"
import { isShopify, makeShopify } from "../../domain/imports/Shopify.ts"
import type { ShopifyRow } from "../../domain/imports/ShopifyColumns.ts"
import { slugify } from "../../layers/catalog/Slugify.ts"
import type { Line } from "./Lines.ts"

/** Maximum bytes of a record. A longer one has an unclosed quote. */
const MAX_RECORD = 4 * 1024 * 1024

/** Maximum rows of a product, one per variant or picture. */
const MAX_ROWS = 4096

/** Consecutive rows of one product. */
interface ProductRows {
  readonly number: number
  readonly key: string
  readonly rows: Array<ShopifyRow>
}

const isOfStrings = (record: unknown): record is ReadonlyArray<string> => Array.isArray(record)

/** Reads Shopify's CSV. Consecutive rows with one handle are one product, with the line number of the first row. */
export async function* readShopifyLines(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<Line>> {
  const options = {
    bom: true,
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true
  }
  const records = parse(options)
  // An error of the source also fails the iteration over the records, so the callback ignores it.
  pipeline(Readable.from(bytes, { objectMode: false }), records, () => {})
  let header: ReadonlyArray<string> = []
  let shopify = makeShopify(header, slugify)
  let product: ProductRows | undefined
  // The library counts a CR and an LF inside a cell as two lines.
  let doubleCounted = 0
  let end = 0
  const lineOf = ({ number, rows }: ProductRows): Line => ({
    number,
    json:
      rows.length > MAX_ROWS
        ? Result.fail(`has more than ${MAX_ROWS} rows`)
        : Result.succeed(JSON.stringify(shopify.productOf(rows)))
  })
  for await (const { info, record } of records) {
    if (!isOfStrings(record)) continue
    const number = end + 1
    doubleCounted += record.reduce((sum, cell) => sum + cell.split("\r\n").length - 1, 0)
    end = info.lines - doubleCounted
    if (header.length === 0) {
      header = record
      if (!isShopify(header))
        throw new Error("it has no column Handle, URL handle or Title, which Shopify's product exports have")
      shopify = makeShopify(header, slugify)
      continue
    }
    const row = Object.fromEntries(header.map((column, index) => [column, record[index] ?? ""]))
    const key = shopify.keyOf(row)
    if (product !== undefined && (key === undefined || key === product.key)) {
      if (product.rows.length <= MAX_ROWS) product.rows.push(row)
      continue
    }
    if (product !== undefined) yield [lineOf(product)]
    product = { number, key: key ?? "", rows: [row] }
  }
  if (product !== undefined) yield [lineOf(product)]
}
