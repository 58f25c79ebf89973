import { NodeStream } from "@effect/platform-node"
import { type Info, parse } from "csv-parse"
import { Array, Effect, Option, Result, Schema, Sink, Stream } from "effect"
import { isUtf8 } from "node:buffer"
import { columnsProblem, jsonOfRow } from "../../domain/imports/Csv.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { CsvRecord, ImportRow } from "../../domain/imports/ImportFile.ts"
import { ReadFailed } from "../../domain/imports/ImportFiles.ts"
import { type ColumnMapping, renameColumns } from "../../domain/imports/ColumnMapping.ts"
import { makeShopifyColumns, type ShopifyColumns } from "../../domain/imports/ShopifyColumns.ts"
import type { StagedChange } from "../../domain/changeSets/ChangeSets.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { slugify } from "../catalog/Slugify.ts"
import { formatReason } from "../postgres/EmbeddedPostgresFailed.ts"
import { pace } from "./JsonLines.ts"

/** Maximum bytes of a record. A longer one has an unclosed quote. */
const MAX_RECORD = 4 * 1024 * 1024

/** Maximum rows of a product, one per variant or picture. */
const MAX_ROWS = 4096
const TOO_MANY_ROWS = `has more than ${MAX_ROWS} rows`

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
export const readRecords = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<CsvRecord, E | ReadFailed> =>
  checkUtf8(bytes).pipe(
    NodeStream.pipeThroughDuplex<{ readonly info: Info; readonly record: ReadonlyArray<string> }, ReadFailed>({
      evaluate: () =>
        parse({ bom: true, info: true, max_record_size: MAX_RECORD, relax_column_count: true, skip_empty_lines: true }),
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

/** Reads the first record, which names the columns, and the others. */
const readHeader = Effect.fnUntraced(function* <E>(bytes: Stream.Stream<Uint8Array, E>) {
  const [header, records] = yield* Stream.peel(readRecords(bytes), Sink.head())
  const { cells } = yield* Option.match(header, {
    onNone: () => new ReadFailed({ reason: "it is empty; the first line must name the columns" }),
    onSome: Effect.succeed
  })
  return { cells, records }
})

/** Reads a CSV with the fields of the API, as an export writes it: a line of JSON for each record. */
export const readCsv = Effect.fnUntraced(function* <E>(bytes: Stream.Stream<Uint8Array, E>, kind: DataKind) {
  const { cells, records } = yield* readHeader(bytes)
  const names = cells.map((name) => name.trim())
  const reason = columnsProblem(kind, names)
  if (reason !== undefined) return yield* new ReadFailed({ reason })
  return Stream.map(pace(records), ({ cells, line }): ImportRow => ({ line, json: jsonOfRow(kind, names, cells) }))
})

/** Identity of a product in a file: its handle, or the slug of its title in a file without handles. */
interface Identity {
  readonly id: string
  /** Undefined if the row has a handle. */
  readonly title: string | undefined
}

/** Records of one product. */
interface ProductRecords extends Identity {
  readonly line: number
  readonly records: Array<CsvRecord>
  count: number
}

const identityOf = (columns: ShopifyColumns, { cells }: CsvRecord): Identity | undefined => {
  const [handle, title] = [columns.textOf(cells, "handle").trim(), columns.textOf(cells, "title").trim()]
  if (handle !== "") return { id: handle, title: undefined }
  return title === "" ? undefined : { id: slugify(title), title }
}

/** Maximum characters of JSON of the records that are held until the end of a file. */
const MAX_HELD = 16 * 1024 * 1024

/** Adds a record to its product. Records above the maximum are counted only. */
const addRecord = (product: ProductRecords, record: CsvRecord) => {
  product.count += 1
  if (product.count <= MAX_ROWS) product.records.push(record)
}

/** Groups consecutive records with one identity. A record without one belongs to the product before. */
const groupProducts = <E>(records: Stream.Stream<CsvRecord, E>, columns: ShopifyColumns) =>
  Stream.mapAccum(
    records,
    (): ProductRecords | undefined => undefined,
    (before, record) => {
      const identity = identityOf(columns, record)
      const isSame = identity === undefined || (identity.id === before?.id && identity.title === before.title)
      const product =
        before !== undefined && isSame
          ? before
          : { id: "", title: undefined, ...identity, line: record.line, records: [], count: 0 }
      addRecord(product, record)
      return [product, before === undefined || before === product ? [] : [before]]
    },
    { onHalt: Array.fromNullishOr }
  )

/** Records of a product that stand apart from its first ones, as JSON, or why the product is refused. */
type Later = { readonly records: Array<JsonText> } | { readonly reason: string }

const encodeRecord = (record: CsvRecord): JsonText => JSON.stringify(record)

/**
 * Makes rows of the records of products. Records that stand apart from the first ones of their product are held, by the
 * position of its row, until the file has been read.
 */
const makeRows = (columns: ShopifyColumns) => {
  const earlier = new Map<string, Pick<ProductRecords, "line" | "title" | "count"> & { readonly index: number }>()
  const later = new Map<number, Later>()
  let index = -1
  let held = 0

  const addLater = (at: number, count: number, records: ReadonlyArray<CsvRecord>) => {
    const before = later.get(at) ?? { records: [] }
    if ("reason" in before) return
    const added = records.map(encodeRecord)
    held += added.reduce((sum, { length }) => sum + length, 0)
    if (count > MAX_ROWS) later.set(at, { reason: TOO_MANY_ROWS })
    else if (held > MAX_HELD) {
      later.set(at, { reason: "has rows in many places of a large file; put the rows of a product next to each other" })
    } else {
      before.records.push(...added)
      later.set(at, before)
    }
  }

  const rowsOf = ({ count, id, line, records, title }: ProductRecords): ReadonlyArray<ImportRow> => {
    const before = earlier.get(id)
    if (before !== undefined && before.title === title) {
      before.count += count
      addLater(before.index, before.count, records)
      return []
    }
    index += 1
    const refuse = (reason: string) => [{ line, externalId: id || null, reason }]
    if (id === "") {
      return refuse(
        title === undefined
          ? `${columns.nameOf("handle")}: is empty, and so is the title; give the product one of them`
          : `${columns.nameOf("title")}: no handle can be made from it; add a column Handle`
      )
    }
    if (before !== undefined) {
      return refuse(
        `${columns.nameOf("title")}: has the same handle, ${id}, as the product on line ${before.line}; add a column Handle`
      )
    }
    earlier.set(id, { line, title, count, index })
    return count > MAX_ROWS ? refuse(TOO_MANY_ROWS) : [{ line, externalId: id, records }]
  }
  return { rowsOf, later }
}

const decodeRow = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toType(ImportRow)))
const decodeRecords = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.toType(CsvRecord))))

/** Adds the records that stand apart to the row of their product. */
const withLater =
  (later: Later) =>
  (json: JsonText): JsonText => {
    const row = decodeRow(json)
    if (!("records" in row)) return json
    const { externalId, line, records } = row
    const merged: ImportRow =
      "reason" in later
        ? { line, externalId, reason: later.reason }
        : { line, externalId, records: [...records, ...decodeRecords(`[${later.records.join(",")}]`)] }
    return JSON.stringify(merged)
  }

/**
 * Reads a CSV of Shopify: its columns, renamed by a mapping, and a row for each product, with the records of one handle.
 * After the last row, `changes` has the rows to which records further down belong, by position.
 */
export const readShopifyCsv = Effect.fnUntraced(function* <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  mapping: ColumnMapping = {}
) {
  const header = yield* readHeader(bytes)
  const { records } = header
  const [cells, columns] = yield* Effect.fromResult(
    renameColumns(header.cells, mapping).pipe(
      Result.flatMap((cells) => Result.map(makeShopifyColumns(cells), (columns) => [cells, columns] as const)),
      Result.mapError((reason) => new ReadFailed({ reason }))
    )
  )
  const { later, rowsOf } = makeRows(columns)
  return {
    columns: cells,
    rows: Stream.mapAccum(
      groupProducts(pace(records), columns),
      () => null,
      (state, product) => [state, rowsOf(product)]
    ),
    changes: (): ReadonlyArray<StagedChange> =>
      [...later].map(([index, later]) => ({ index, change: withLater(later) }))
  }
})
