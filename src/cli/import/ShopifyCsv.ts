import { NodeStream } from "@effect/platform-node"
import { type Info, parse } from "csv-parse"
import { Array, Effect, Option, Result, Sink, Stream } from "effect"
import { isUtf8 } from "node:buffer"
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
import { formatReason } from "../../layers/postgres/EmbeddedPostgresFailed.ts"
import { pace, type ReadRow, type ReadRows } from "./Batches.ts"
import { type Line, splitLines } from "../../domain/json/Lines.ts"
import { type Bytes, ReadFailed } from "./Source.ts"

/** Maximum bytes of a record. A longer one has an unclosed quote. */
const MAX_RECORD = 4 * 1024 * 1024

/** Maximum rows of a product, one per variant or picture. */
const MAX_ROWS = 4096

const LINE_FEED = Buffer.from("\n")

const checkLine = ({ bytes, number }: Line) =>
  bytes.pipe(
    Result.filterOrFail(
      isUtf8,
      () => "is not valid UTF-8; save the file as UTF-8, or give its encoding, for example --encoding windows-1252"
    ),
    Result.mapBoth({
      onFailure: (reason) => new ReadFailed({ reason: `line ${number} ${reason}` }),
      onSuccess: (bytes) => [bytes, LINE_FEED]
    })
  )

/** Passes lines of valid UTF-8 on. A character that another program saved otherwise would be lost. */
const checkUtf8 = (bytes: Bytes): Bytes =>
  splitLines(bytes, MAX_RECORD).pipe(
    Stream.mapArrayEffect((lines) =>
      Effect.map(Effect.fromResult(Result.all(lines.map(checkLine))), (lines) => Array.of(Buffer.concat(lines.flat())))
    )
  )

/** A record of the file and the line on which it starts. */
interface CsvRecord {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** Reads the records of a CSV file. Skips those without any value. */
const readRecords = (bytes: Bytes): Stream.Stream<CsvRecord, ReadFailed> =>
  checkUtf8(bytes).pipe(
    NodeStream.pipeThroughDuplex<{ readonly info: Info; readonly record: ReadonlyArray<string> }, ReadFailed>({
      evaluate: () =>
        parse({ bom: true, info: true, max_record_size: MAX_RECORD, relax_column_count: true, skip_empty_lines: true }),
      onError: (error) => new ReadFailed({ reason: formatReason(error) })
    }),
    Stream.mapAccum(
      () => ({ end: 0, doubleCounted: 0 }),
      (before, { info, record }) => {
        // The library counts a CR and an LF inside a cell as two lines.
        const doubleCounted = record.reduce((sum, cell) => sum + cell.split("\r\n").length - 1, before.doubleCounted)
        return [
          { end: info.lines - doubleCounted, doubleCounted },
          record.some((cell) => cell.trim() !== "") ? [{ line: before.end + 1, cells: record }] : []
        ]
      }
    )
  )

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

/** Adds a record to its product. Rows above the maximum are counted only. */
const addRecord = (product: ProductRows, columns: ShopifyColumns, { cells, line }: CsvRecord) => {
  product.count += 1
  product.bytes += cells.reduce((sum, cell) => sum + cell.length, 0)
  if (product.count > MAX_ROWS) return
  const row = columns.read(line, cells)
  if (Result.isSuccess(row)) product.rows.push(row.success)
  else product.problems.push(...row.failure)
}

/** Groups consecutive records with one identity. A record without one belongs to the product before. */
const groupProducts = (records: Stream.Stream<CsvRecord, ReadFailed>, columns: ShopifyColumns) =>
  Stream.mapAccum(
    records,
    (): ProductRows | undefined => undefined,
    (before, record) => {
      const identity = identityOf(columns, record)
      const isSame = identity === undefined || (identity.id === before?.id && identity.title === before.title)
      const product =
        before !== undefined && isSame
          ? before
          : { id: "", title: undefined, ...identity, line: record.line, rows: [], problems: [], count: 0, bytes: 0 }
      addRecord(product, columns, record)
      return [product, before === undefined || before === product ? [] : [before]]
    },
    { onHalt: Array.fromNullishOr }
  )

const refused = ({ bytes, id, line }: ProductRows, problems: ReadonlyArray<RowProblem>): ReadRow<never> => {
  const at = problems[0]?.line ?? line
  return { bytes, row: Result.fail({ line: at, externalId: id || null, reason: reasonOf(at, problems) }) }
}

/** Makes a function that converts the rows of each product of a file, and refuses products that are not one group. */
const makeConverter = (columns: ShopifyColumns, options: ShopifyOptions) => {
  /** First lines and titles of the products before, by id. */
  const earlier = new Map<string, Pick<ProductRows, "line" | "title">>()
  return (product: ProductRows): ReadRow<ImportedProduct> => {
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
    if (before !== undefined) {
      return before.title === title
        ? refuse(
            `${columns.nameOf(title === undefined ? "handle" : "title")}: has rows on line ${before.line} too; put the rows of a product next to each other`
          )
        : refuse(
            `${columns.nameOf("title")}: has the same handle, ${id}, as the product on line ${before.line}; add a column Handle`
          )
    }
    earlier.set(id, { line, title })
    if (count > MAX_ROWS) return refuse(`has more than ${MAX_ROWS} rows`)
    if (problems.length > 0) return refused(product, problems)
    const read = shopifyProduct(columns, rows, options)
    return Result.isFailure(read)
      ? refused(product, read.failure)
      : { bytes, row: Result.succeed({ line, item: { externalId: ExternalId.make(id), input: read.success } }) }
  }
}

/** Makes a reader of Shopify's CSV. Consecutive rows with one handle are one product. */
export const readShopifyRows =
  (options: ShopifyOptions): ReadRows<ImportedProduct> =>
  (bytes) =>
    Effect.gen(function* () {
      const [header, records] = yield* Stream.peel(readRecords(bytes), Sink.head())
      const columns = yield* Option.match(header, {
        onNone: () => Result.fail("it is empty; the first line must name the columns"),
        onSome: ({ cells }) => makeShopifyColumns(cells)
      }).pipe(
        Result.mapError((reason) => new ReadFailed({ reason })),
        Effect.fromResult
      )
      return Stream.map(groupProducts(pace(records), columns), makeConverter(columns, options))
    }).pipe(Stream.unwrap)
