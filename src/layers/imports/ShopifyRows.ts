import { Array, Stream } from "effect"
import { ImportRowDocument, RecordsDocument } from "../../domain/imports/Documents.ts"
import type { CsvRecord, ImportRow } from "../../domain/imports/ImportFile.ts"
import { reasonOf } from "../../domain/imports/Rows.ts"
import type { RowProblem, ShopifyColumns } from "../../domain/imports/ShopifyColumns.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import { slugify } from "../catalog/Slugify.ts"

/* Records of a Shopify CSV that make one product: those with one handle, or one title in a file without handles. */

/** Record whose numbers have decimal points, and the reasons why some of its cells are refused. */
export interface ReadRecord extends CsvRecord {
  readonly problems: ReadonlyArray<string>
}

/** Maximum rows of a product, one per variant or picture. */
const MAX_ROWS = 4096
const TOO_MANY_ROWS = `has more than ${MAX_ROWS} rows`

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
  readonly problems: Array<RowProblem>
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
const addRecord = (product: ProductRecords, { cells, line, problems }: ReadRecord) => {
  product.count += 1
  if (product.count > MAX_ROWS) return
  product.records.push({ line, cells })
  product.problems.push(...problems.map((reason) => ({ line, reason })))
}

/** Groups consecutive records with one identity. A record without one belongs to the product before. */
export const groupProducts = <E>(records: Stream.Stream<ReadRecord, E>, columns: ShopifyColumns) =>
  Stream.mapAccum(
    records,
    (): ProductRecords | undefined => undefined,
    (before, record) => {
      const identity = identityOf(columns, record)
      const isSame = identity === undefined || (identity.id === before?.id && identity.title === before.title)
      const product =
        before !== undefined && isSame
          ? before
          : { id: "", title: undefined, ...identity, line: record.line, records: [], problems: [], count: 0 }
      addRecord(product, record)
      return [product, before === undefined || before === product ? [] : [before]]
    },
    { onHalt: Array.fromNullishOr }
  )

/** Records of a product that stand apart from its first ones, as JSON, or why the product is refused. */
type Later = { readonly records: Array<JsonText> } | { readonly reason: string; readonly line?: number }

const refusalOf = (problems: ReadonlyArray<RowProblem>) => {
  const line = problems[0]?.line ?? 0
  return { line, reason: reasonOf(line, problems) }
}

const encodeRecord = (record: CsvRecord): JsonText => JSON.stringify(record)

/**
 * Makes rows of the records of products. Records that stand apart from the first ones of their product are held, by the
 * position of its row, until the file has been read.
 */
export const makeRows = (columns: ShopifyColumns) => {
  const earlier = new Map<string, Pick<ProductRecords, "line" | "title" | "count"> & { readonly index: number }>()
  const later = new Map<number, Later>()
  let index = -1
  let held = 0

  const addLater = (at: number, count: number, { problems, records }: ProductRecords) => {
    const before = later.get(at) ?? { records: [] }
    if ("reason" in before) return
    if (problems.length > 0) {
      later.set(at, refusalOf(problems))
      return
    }
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

  const rowsOf = (product: ProductRecords): ReadonlyArray<ImportRow> => {
    const { count, id, line, problems, records, title } = product
    const before = earlier.get(id)
    if (before !== undefined && before.title === title) {
      before.count += count
      addLater(before.index, before.count, product)
      return []
    }
    index += 1
    const refuse = (reason: string, at = line) => [{ line: at, externalId: id || null, reason }]
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
    if (count > MAX_ROWS) return refuse(TOO_MANY_ROWS)
    if (problems.length === 0) return [{ line, externalId: id, records }]
    const refusal = refusalOf(problems)
    return refuse(refusal.reason, refusal.line)
  }
  /** Returns the position of the row of a product that was read. */
  const positionOf = ({ id, title }: ProductRecords): number => {
    const before = earlier.get(id)
    return before !== undefined && before.title === title ? before.index : index
  }
  return { rowsOf, positionOf, later }
}

/** Adds the records that stand apart to the row of their product. */
export const withLater =
  (later: Later) =>
  (json: JsonText): JsonText => {
    const row = ImportRowDocument.parse(json)
    if (!("records" in row)) return json
    const { externalId, line, records } = row
    const merged: ImportRow =
      "reason" in later
        ? { line: later.line ?? line, externalId, reason: later.reason }
        : { line, externalId, records: [...records, ...RecordsDocument.parse(`[${later.records.join(",")}]`)] }
    return JSON.stringify(merged)
  }
