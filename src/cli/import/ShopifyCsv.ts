import { parse } from "csv-parse"
import { Result } from "effect"
import { isUtf8 } from "node:buffer"
import { pipeline, Readable } from "node:stream"
import type { ImportedProduct } from "../../domain/imports/Product.ts"
import { ExternalId } from "../../domain/imports/Put.ts"
import { shopifyProduct, type ShopifyOptions } from "../../domain/imports/Shopify.ts"
import {
  makeShopifyColumns,
  type RowProblem,
  type ShopifyColumns,
  type ShopifyRow
} from "../../domain/imports/ShopifyColumns.ts"
import { truncateIssues } from "../../domain/Limits.ts"
import { slugify } from "../../layers/catalog/Slugify.ts"
import type { ReadRow, ReadRows } from "./Batches.ts"

/** Maximum bytes of a record. A longer one has an unclosed quote. */
const MAX_RECORD = 4 * 1024 * 1024

/** Maximum rows of a product, one per variant or picture. */
const MAX_ROWS = 4096

const LINE_FEED = 0x0a

const countLines = (bytes: Buffer) => bytes.toString("latin1").split("\n").length - 1

/** Finds the first line of a block that is not valid UTF-8. */
const invalidLine = (block: Buffer): number => {
  let [start, line] = [0, 0]
  while (start < block.length) {
    const end = block.indexOf(LINE_FEED, start) + 1 || block.length
    if (!isUtf8(block.subarray(start, end))) return line
    start = end
    line += 1
  }
  return line
}

/** Passes whole lines of valid UTF-8 on. A character that another program saved otherwise would be lost. */
async function* checkUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  const check = (block: Buffer) => {
    if (!isUtf8(block)) {
      throw new Error(
        `line ${line + invalidLine(block)} is not valid UTF-8; save the file as UTF-8, or give its encoding, for example --encoding windows-1252`
      )
    }
    line += countLines(block)
    return block
  }
  for await (const chunk of bytes) {
    const data = Buffer.concat([rest, chunk])
    const end = data.lastIndexOf(LINE_FEED) + 1
    rest = data.subarray(end)
    if (rest.length > MAX_RECORD) throw new Error(`line ${line} is longer than ${MAX_RECORD} bytes`)
    yield check(data.subarray(0, end))
  }
  yield check(rest)
}

const isOfStrings = (record: unknown): record is ReadonlyArray<string> => Array.isArray(record)

/** A record of the file and the line on which it starts. Rows without any value are skipped. */
interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

async function* readRecords(bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  const options = {
    bom: true,
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true
  }
  const records = parse(options)
  // An error of the source also fails the iteration over the records, so the callback ignores it.
  pipeline(Readable.from(checkUtf8(bytes), { objectMode: false }), records, () => {})
  // The library counts a CR and an LF inside a cell as two lines.
  let doubleCounted = 0
  let end = 0
  for await (const { info, record } of records) {
    if (!isOfStrings(record)) continue
    const line = end + 1
    doubleCounted += record.reduce((sum, cell) => sum + cell.split("\r\n").length - 1, 0)
    end = info.lines - doubleCounted
    if (record.some((cell) => cell.trim() !== "")) yield { line, cells: record }
  }
}

/** Identity of a product in a file: its handle, or the slug of its title in a file without handles. */
interface Identity {
  readonly id: string
  /** Undefined if the row has a handle. */
  readonly title: string | undefined
}

/** Rows of one product. */
interface ProductRows extends Identity {
  readonly line: number
  readonly rows: Array<ShopifyRow>
  readonly problems: Array<RowProblem>
  count: number
  bytes: number
}

/** Formats problems with their lines, unless a problem is on the first line. */
const reasonOf = (line: number, problems: ReadonlyArray<RowProblem>) =>
  truncateIssues(
    problems.map((problem) => (problem.line === line ? problem.reason : `line ${problem.line}, ${problem.reason}`))
  ).join("; ")

const identityOf = (columns: ShopifyColumns, { cells }: CsvRecord): Identity | undefined => {
  const [handle, title] = [columns.textOf(cells, "handle").trim(), columns.textOf(cells, "title").trim()]
  if (handle !== "") return { id: handle, title: undefined }
  return title === "" ? undefined : { id: slugify(title), title }
}

/** Makes a reader of Shopify's CSV. Consecutive rows with one handle are one product. */
export const readShopifyRows = (options: ShopifyOptions): ReadRows<ImportedProduct> =>
  async function* (bytes) {
    let columns: ShopifyColumns | undefined
    let product: ProductRows | undefined
    /** First lines and titles of the products before, by id. */
    const earlier = new Map<string, { readonly line: number; readonly title: string | undefined }>()

    const refused = (
      { bytes, id, line }: ProductRows,
      problems: ReadonlyArray<RowProblem>
    ): ReadRow<ImportedProduct> => {
      const at = problems[0]?.line ?? line
      return { bytes, row: Result.fail({ line: at, externalId: id || null, reason: reasonOf(at, problems) }) }
    }

    const finish = (product: ProductRows, columns: ShopifyColumns): ReadRow<ImportedProduct> => {
      const { bytes, count, id, line, problems, rows, title } = product
      const refuse = (reason: string) => refused(product, [{ line, reason }])
      const before = earlier.get(id)
      if (id === "") {
        return refuse(
          title === undefined
            ? `${columns.nameOf("handle")}: is empty, and so is the title; give the product one of them`
            : `${columns.nameOf("title")}: no handle can be made from it; add a column Handle`
        )
      }
      if (before === undefined) earlier.set(id, { line, title })
      else {
        return before.title === title
          ? refuse(
              `${columns.nameOf(title === undefined ? "handle" : "title")}: has rows on line ${before.line} too; put the rows of a product next to each other`
            )
          : refuse(
              `${columns.nameOf("title")}: has the same handle, ${id}, as the product on line ${before.line}; add a column Handle`
            )
      }
      if (count > MAX_ROWS) return refuse(`has more than ${MAX_ROWS} rows`)
      if (problems.length > 0) return refused(product, problems)
      const read = shopifyProduct(columns, rows, options)
      return Result.isFailure(read)
        ? refused(product, read.failure)
        : { bytes, row: Result.succeed({ line, item: { externalId: ExternalId.make(id), input: read.success } }) }
    }

    for await (const record of readRecords(bytes)) {
      if (columns === undefined) {
        const header = makeShopifyColumns(record.cells)
        if (Result.isFailure(header)) throw new Error(header.failure)
        columns = header.success
        continue
      }
      const identity = identityOf(columns, record)
      const isNext = identity !== undefined && (identity.id !== product?.id || identity.title !== product.title)
      if (product === undefined || isNext) {
        if (product !== undefined) yield [finish(product, columns)]
        product = {
          id: "",
          title: undefined,
          ...identity,
          line: record.line,
          rows: [],
          problems: [],
          count: 0,
          bytes: 0
        }
      }
      product.count += 1
      product.bytes += record.cells.reduce((sum, cell) => sum + cell.length, 0)
      if (product.count > MAX_ROWS) continue
      const row = columns.read(record.line, record.cells)
      if (Result.isSuccess(row)) product.rows.push(row.success)
      else product.problems.push(...row.failure)
    }
    if (columns === undefined) throw new Error("it is empty; the first line must name the columns")
    if (product !== undefined) yield [finish(product, columns)]
  }
