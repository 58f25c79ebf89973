import { NodeStream } from "@effect/platform-node"
import { type Info, parse } from "csv-parse"
import { Array, Effect, Option, Result, Sink, Stream } from "effect"
import { isUtf8 } from "node:buffer"
import { columnsProblem, jsonOfRow, numberColumns } from "../../domain/imports/Csv.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import type { CsvRecord, ImportRow } from "../../domain/imports/ImportFile.ts"
import { ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { type ColumnMapping, renameColumns } from "../../domain/imports/ColumnMapping.ts"
import type { Layout } from "../../domain/imports/Layout.ts"
import { currencyRemover, toPoint } from "../../domain/imports/Numerals.ts"
import { findField, isNumeric, makeShopifyColumns, tooManyCells } from "../../domain/imports/ShopifyColumns.ts"
import type { StagedChange } from "../../domain/changeSets/ChangeSets.ts"
import { formatReason } from "../postgres/EmbeddedPostgresFailed.ts"
import type { FileOptions } from "./FileText.ts"
import { pace } from "./JsonLines.ts"
import { groupProducts, makeRows, type ReadRecord, withLater } from "./ShopifyRows.ts"

/** CSV file as UTF-8, with its layout. */
export interface CsvFile<E> {
  readonly bytes: Stream.Stream<Uint8Array, E>
  readonly options: FileOptions
  readonly layout: Layout
}

/** Maximum bytes of a record. A longer one has an unclosed quote. */
const MAX_RECORD = 4 * 1024 * 1024

/** Maximum rows without any value: as many rows as a sheet of Excel has. */
const MAX_BLANK = 1_048_576

/** Bytes that are parsed without a pause: up to 30 ms of work. */
const SLICE = 16 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

const failed = (reason: string) => new ReadFailed({ reason })

const tooManyBlank = () =>
  failed(`it has more than ${MAX_BLANK} rows without any value; delete them and save the file again`)

/** Finds the first line that is not valid UTF-8. Its bytes have whole lines. */
const findInvalid = (bytes: Buffer) => {
  let line = 0
  let start = 0
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) return line
    line += 1
    start = end + 1
  }
  return line
}

/** Counts line ends, and those of empty lines. */
const countLines = (bytes: Buffer) => {
  let lines = 0
  let blank = 0
  let isBlank = true
  for (const byte of bytes) {
    if (byte === LINE_FEED) {
      lines += 1
      if (isBlank) blank += 1
      isBlank = true
    } else if (byte !== CARRIAGE_RETURN) isBlank = false
  }
  return { lines, blank }
}

const sliced = (bytes: Buffer) =>
  Array.makeBy(Math.ceil(bytes.length / SLICE), (n) => bytes.subarray(n * SLICE, (n + 1) * SLICE))

/**
 * Passes whole lines of valid UTF-8 on. A character that another program saved otherwise would be lost. Checks the lines
 * of a chunk together, because a small gzip has millions of them.
 */
const checkUtf8 = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | ReadFailed> =>
  Stream.suspend(() => {
    let rest: Array<Uint8Array> = []
    let size = 0
    let read = 0
    let blank = 0
    const check = (whole: Buffer): Effect.Effect<ReadonlyArray<Buffer>, ReadFailed> => {
      const counted = countLines(whole)
      blank += counted.blank
      if (blank > MAX_BLANK) return tooManyBlank()
      if (!isUtf8(whole)) {
        return failed(
          `line ${read + findInvalid(whole) + 1} is not valid UTF-8; save the file as UTF-8, or give its encoding, for example windows-1252`
        )
      }
      read += counted.lines
      return Effect.succeed(sliced(whole))
    }
    const add = (chunk: Uint8Array): Effect.Effect<ReadonlyArray<Buffer>, ReadFailed> => {
      const end = chunk.lastIndexOf(LINE_FEED) + 1
      if (end === 0) {
        rest.push(chunk)
        size += chunk.length
        return size > MAX_RECORD ? failed(`line ${read + 1} is longer than ${MAX_RECORD} bytes`) : Effect.succeed([])
      }
      const whole = Buffer.concat([...rest, chunk.subarray(0, end)])
      rest = [chunk.subarray(end)]
      size = chunk.length - end
      return check(whole)
    }
    const end = Effect.suspend(() => check(Buffer.concat([...rest, Buffer.of(LINE_FEED)])))
    return Stream.concat(Stream.flattenIterable(Stream.mapEffect(bytes, add)), Stream.fromIterableEffect(end))
  })

/** Reads the records of a CSV file. Skips those without any value. */
export const readRecords = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  options: FileOptions
): Stream.Stream<CsvRecord, E | ReadFailed> =>
  checkUtf8(bytes).pipe(
    NodeStream.pipeThroughDuplex<{ readonly info: Info; readonly record: ReadonlyArray<string> }, ReadFailed>({
      evaluate: () =>
        parse({
          ...options,
          bom: true,
          info: true,
          max_record_size: MAX_RECORD,
          relax_column_count: true,
          skip_empty_lines: true
        }),
      onError: (error) => failed(formatReason(error))
    }),
    Stream.mapAccumArrayEffect(
      () => ({ end: 0, doubleCounted: 0, blank: 0 }),
      (state, parsed) => {
        const records: Array<CsvRecord> = []
        for (const { info, record } of parsed) {
          if (record.some((cell) => cell.trim() !== "")) records.push({ line: state.end + 1, cells: record })
          else state.blank += 1
          // The library counts a CR and an LF inside a cell as two lines.
          state.doubleCounted = record.reduce((sum, cell) => sum + cell.split("\r\n").length - 1, state.doubleCounted)
          state.end = info.lines - state.doubleCounted
        }
        return state.blank > MAX_BLANK ? tooManyBlank() : Effect.succeed([state, records])
      }
    )
  )

/** Adds the empty cells that a spreadsheet leaves out at the end of a row. */
const filled = ({ cells, line }: CsvRecord, length: number): CsvRecord => ({
  line,
  cells: cells.length < length ? [...cells, ...globalThis.Array<string>(length - cells.length).fill("")] : cells
})

/** Reads the first record, which names the columns, and the others. */
export const readHeader = Effect.fnUntraced(function* <E>(file: CsvFile<E>) {
  const [header, records] = yield* Stream.peel(readRecords(file.bytes, file.options), Sink.head())
  const { cells } = yield* Option.match(header, {
    onNone: () => new ReadFailed({ reason: "it is empty; the first line must name the columns" }),
    onSome: Effect.succeed
  })
  return { cells, records: Stream.map(records, (record) => filled(record, cells.length)) }
})

/** Reads a CSV with the fields of the API, as an export writes it: a line of JSON for each record. */
export const readCsv = Effect.fnUntraced(function* <E>(file: CsvFile<E>, kind: DataKind) {
  const header = yield* readHeader(file)
  const names = header.cells.map((name) => name.trim())
  const reason = columnsProblem(kind, names)
  if (reason !== undefined) return yield* new ReadFailed({ reason })
  const columns = numberColumns(kind, names)
  const idAt = names.indexOf("externalId")
  return Stream.map(pace(header.records), (record): ImportRow => {
    const { line } = record
    const { cells, problems } = withPoints(record, names, columns, file.layout.decimal, isDigits)
    const reasons = record.cells.length > names.length ? [tooManyCells(names, record.cells)] : problems
    return reasons.length > 0
      ? { line, externalId: record.cells[idAt]?.trim() || null, reason: reasons.join("; ") }
      : { line, json: jsonOfRow(kind, names, cells) }
  })
})

/** Tells whether a cell is a number. Cells of the same columns can be words or JSON. */
const isDigits = (cell: string) => /^\s*[+-]?\d[^[{]*$/.test(cell)

/** Rewrites the numbers of a record, in the given columns, to ones with decimal points. */
const withPoints = (
  { cells, line }: CsvRecord,
  names: ReadonlyArray<string>,
  columns: ReadonlyArray<number>,
  decimal: Layout["decimal"],
  isNumber: (cell: string) => boolean = () => true,
  amountOf: (cell: string, index: number) => string = (cell) => cell
): ReadRecord => {
  if (decimal === "point") return { line, cells, problems: [] }
  const problems: Array<string> = []
  const read = [...cells]
  for (const index of columns) {
    const cell = cells[index] ?? ""
    if (!isNumber(cell)) continue
    Result.match(toPoint(amountOf(cell, index), decimal), {
      onFailure: (reason) => problems.push(`${names[index]?.trim()}: ${reason}`),
      onSuccess: (number) => (read[index] = number)
    })
  }
  return { line, cells: read, problems }
}

/** Reads the header of a CSV of Shopify, with the names of its columns renamed by a mapping. */
export const readShopifyHeader = Effect.fnUntraced(function* <E>(file: CsvFile<E>, mapping: ColumnMapping) {
  const header = yield* readHeader(file)
  const names = yield* Effect.fromResult(
    Result.mapError(renameColumns(header.cells, mapping), (reason) => new ReadFailed({ reason }))
  )
  const columns = yield* Effect.fromResult(
    Result.mapError(makeShopifyColumns(names), (reason) => new ReadFailed({ reason }))
  )
  return { ...header, names, columns }
})

/**
 * Reads a CSV of Shopify: its columns, renamed by a mapping, and a row for each product, with the records of one handle.
 * After the last row, `changes` has the rows to which records further down belong, by position.
 */
export const readShopifyCsv = Effect.fnUntraced(function* <E>(
  file: CsvFile<E>,
  { currencyCode, mapping = {} }: { readonly currencyCode: string; readonly mapping?: ColumnMapping | undefined }
) {
  const { cells, columns, names, records } = yield* readShopifyHeader(file, mapping)
  const fields = names.map((name) => findField(name) ?? "")
  const numbers = [...fields.keys()].filter((index) => isNumeric(fields[index] ?? ""))
  const removeCurrency = currencyRemover(currencyCode)
  const amountOf = (cell: string, index: number) =>
    fields[index] === "quantity" || fields[index] === "grams" ? cell : removeCurrency(cell)
  const { later, rowsOf } = makeRows(columns)
  return {
    columns: names,
    rows: Stream.mapAccum(
      groupProducts(
        Stream.map(pace(records), (record) =>
          withPoints(record, cells, numbers, file.layout.decimal, undefined, amountOf)
        ),
        columns
      ),
      () => null,
      (state, product) => [state, rowsOf(product)]
    ),
    changes: (): ReadonlyArray<StagedChange> =>
      [...later].map(([index, later]) => ({ index, change: withLater(later) }))
  }
})
