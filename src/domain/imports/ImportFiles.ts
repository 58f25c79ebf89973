import { Context, type Effect, Option, Schema, SchemaTransformation, type Stream } from "effect"
import type { StoreBusy } from "../Bulkhead.ts"
import { optional } from "../catalog/Fields.ts"
import type { TooManyChangeSets } from "../changeSets/Refusals.ts"
import type { EventLoop } from "../Events.ts"
import type { JsonText } from "../json/Document.ts"
import type { StoreNotFound } from "../Store.ts"
import type { WriteContext } from "../Write.ts"
import { DataKind } from "./DataKind.ts"
import { ColumnMapping } from "./ColumnMapping.ts"
import { Delimiter, Layout } from "./Layout.ts"
import { Decimal } from "./Numerals.ts"
import { ShopifyField } from "./ShopifyTable.ts"

/** Name of an encoding, such as utf-8 or windows-1252. Labels of it, such as UTF8 or latin1, are decoded to the name. */
export const Encoding = Schema.String.check(
  Schema.makeFilter((label) => Option.isSome(Option.liftThrowable(() => new TextDecoder(label))()), {
    message: "must be an encoding, such as utf-8, utf-16le or windows-1252"
  })
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (label) => new TextDecoder(label).encoding, encode: (name) => name })
  )
)

export const UTF_8 = "utf-8"

export const FileFormat = Schema.Literals(["jsonl", "csv", "shopify"])
export type FileFormat = typeof FileFormat.Type

/** Settings of an import, apart from those of its store. */
export const FileSettings = Schema.Struct({
  kind: DataKind,
  format: FileFormat,
  encoding: optional(Encoding),
  /** Delimiter of a CSV; without it, that of the header. */
  delimiter: optional(Delimiter),
  /** Decimal sign of the numbers of a CSV; without it, that of the first records. */
  decimal: optional(Decimal),
  /** Removes the variants of a product that the file leaves out. */
  replaceVariants: optional(Schema.Boolean),
  mapping: optional(ColumnMapping),
  /** Copies the pictures of products into the files of the store. */
  copyImages: optional(Schema.Boolean)
}).check(
  Schema.makeFilter(({ copyImages, format, kind }) => {
    if (kind === "products") return undefined
    if (format === "shopify") {
      return { path: ["format"], issue: "must be jsonl or csv; CSV files of Shopify have products only" }
    }
    return copyImages === true
      ? { path: ["copyImages"], issue: "must be false; only products have pictures" }
      : undefined
  })
)
export type FileSettings = typeof FileSettings.Type

/** Settings with which the bytes of a file are read. Those that are absent are detected. */
export type FileReading = Pick<FileSettings, "encoding" | "delimiter" | "decimal" | "mapping">

/** Columns of a CSV file, with the field that each has by its name, and the first records. */
export const FileColumns = Schema.Struct({
  ...Layout.fields,
  /** Platform other than Shopify whose product files have these columns. */
  platform: Schema.NullOr(Schema.String),
  columns: Schema.Array(
    Schema.Struct({ name: Schema.String, field: Schema.NullOr(ShopifyField), ignored: Schema.Boolean })
  ),
  records: Schema.Array(Schema.Array(Schema.String))
})
export type FileColumns = typeof FileColumns.Type

/** The file cannot be read further. */
export class ReadFailed extends Schema.TaggedError<ReadFailed>()("ReadFailed", { reason: Schema.String }) {
  override get message() {
    return `The file could not be read: ${this.reason}. Nothing was imported; correct the file and run the import again`
  }
}

/** Reads files and starts their imports, for the commands and the dashboard. */
export class ImportFiles extends Context.Service<
  ImportFiles,
  {
    /**
     * Stores the rows of a file, then starts its import, and returns the JSON of its change set. Starts nothing if the file
     * cannot be read to its end, or has more than `maxRows` rows. `origin` is the URL of the service, with which the URLs of
     * copied pictures begin. `onRows` receives the number of rows stored so far, and `onLayout` the layout of a CSV.
     */
    readonly start: <E>(
      context: WriteContext,
      settings: FileSettings & {
        readonly isSilent: boolean
        readonly origin?: string | undefined
        readonly maxRows?: number
      },
      bytes: Stream.Stream<Uint8Array, E>,
      observer?: { readonly onRows: (rows: number) => void; readonly onLayout: (layout: Layout) => void }
    ) => Effect.Effect<JsonText, E | ReadFailed | EventLoop | StoreBusy | StoreNotFound | TooManyChangeSets>
    /** Reads the columns of a CSV file from its first bytes, which may end within a record. */
    readonly columns: <E>(
      bytes: Stream.Stream<Uint8Array, E>,
      settings: FileReading
    ) => Effect.Effect<FileColumns, E | ReadFailed>
    /**
     * Returns the refused rows of a CSV as a CSV with a last column for the reason, from reasons by the positions of rows. A
     * product of Shopify's CSV has all its rows.
     */
    readonly refused: <E>(
      settings: FileSettings,
      bytes: Stream.Stream<Uint8Array, E>,
      reasons: ReadonlyMap<number, string>
    ) => Stream.Stream<string, E | ReadFailed>
  }
>()("domain/ImportFiles") {}
