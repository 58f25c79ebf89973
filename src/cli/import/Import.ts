import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ExportFormat } from "../../domain/exports/Export.ts"
import { ColumnMapping } from "../../domain/imports/ColumnMapping.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { Encoding, FileFormat, UTF_8 } from "../../domain/imports/ImportFiles.ts"
import { Delimiter } from "../../domain/imports/Layout.ts"
import { Decimal } from "../../domain/imports/Numerals.ts"
import { choice, command, group, json, option, store, toggle, withHelp } from "../Options.ts"
import { print, withInterruptNotice } from "../Output.ts"
import { importFile, type ImportJob } from "./Run.ts"

const common = {
  store,
  file: Flag.File("file", { mustExist: true }).pipe(
    Flag.withDescription("File to import. Default: standard input"),
    Flag.optional
  ),
  refused: option(
    "refused",
    Schema.String,
    "File for refused rows, with line and reason. Default: <file>.refused.jsonl, and <file>.refused.csv of a CSV",
    "file"
  ).pipe(Flag.optional),
  isSilent: toggle("no-events", "Send no events, for the first load of a store. The journal records the changes"),
  encoding: option("encoding", Encoding, "Encoding of the file, such as windows-1252. Default: utf-8").pipe(
    Flag.withDefault(UTF_8)
  ),
  delimiter: choice("delimiter", Delimiter.literals, "Delimiter of a CSV. Default: that of its header").pipe(
    Flag.optional
  ),
  decimal: choice("decimal", Decimal.literals, "Decimal sign of a CSV. Default: that of its numbers").pipe(
    Flag.optional
  ),
  isDryRun: toggle("dry-run", "Print the result without writing anything"),
  json
}

const STOPPED = "Stopped. Imported rows are kept; run the same import again to continue\n"

const defaultRefusedFile = (file: Option.Option<string>) => `${Option.getOrElse(file, () => "import")}.refused.jsonl`

interface ImportOptions extends Omit<ImportJob, "kind" | "refused" | "delimiter" | "decimal"> {
  readonly refused: Option.Option<string>
  readonly delimiter: Option.Option<Delimiter>
  readonly decimal: Option.Option<Decimal>
  readonly json: boolean
}

/** Runs an import and prints its counts. An interrupted import prints how to continue. */
const runImport = Effect.fnUntraced(function* (
  kind: DataKind,
  { decimal, delimiter, json, ...options }: ImportOptions
) {
  const refused = Option.getOrElse(options.refused, () => defaultRefusedFile(options.file))
  const set = {
    ...(Option.isSome(delimiter) && { delimiter: delimiter.value }),
    ...(Option.isSome(decimal) && { decimal: decimal.value })
  }
  const { images, layout, refusedCsv, ...counts } = yield* withInterruptNotice(
    importFile({ ...options, ...set, kind, refused }),
    STOPPED
  )
  const file = counts.refused > 0 ? { refusedFile: refused, ...(refusedCsv && { refusedCsv }) } : {}
  yield* print(json, {
    storeId: options.store,
    dryRun: options.isDryRun,
    ...layout,
    ...counts,
    ...file,
    ...(images && {
      imagesCopied: images.copied,
      imagesFailed: images.failed,
      imageFailures: images.failures.map(({ reason, url }) => `${url}: ${reason}`)
    })
  })
})

const RERUN = "A repeated import updates rows by externalId and skips unchanged ones."

const products = command(
  "products",
  {
    ...common,
    format: choice(
      "format",
      FileFormat.literals,
      "JSON Lines, the CSV of an export, or the CSV of Shopify. Default: jsonl"
    ).pipe(Flag.withDefault("jsonl")),
    mapping: option(
      "mapping",
      Schema.fromJsonString(ColumnMapping),
      'Fields of columns as JSON, such as \'{"Name": "title"}\'; only with --format shopify',
      "json"
    ).pipe(Flag.withDefault({})),
    replaceVariants: toggle("replace-variants", "Remove the variants of a product that the file leaves out"),
    copyImages: toggle("copy-images", "Copy pictures from their URLs into the files of the store. Needs PUBLIC_URL")
  },
  function* (options) {
    yield* runImport("products", options)
  }
).pipe(
  withHelp({
    summary: "Import products from JSON Lines or CSV",
    details: RERUN,
    examples: [
      "--store <id> --file products.jsonl --dry-run",
      "--store <id> --file products_export.csv --format shopify"
    ]
  })
)

/** Makes the command that imports a kind. */
const makeImport = (kind: DataKind, order: string, examples: readonly [string, ...ReadonlyArray<string>]) =>
  command(
    kind,
    {
      ...common,
      format: choice("format", ExportFormat.literals, "JSON Lines, or the CSV of an export. Default: jsonl").pipe(
        Flag.withDefault("jsonl")
      )
    },
    function* (options) {
      yield* runImport(kind, { ...options, replaceVariants: false })
    }
  ).pipe(withHelp({ summary: `Import ${kind} from JSON Lines or CSV${order}`, details: RERUN, examples }))

const collections = makeImport("collections", ", after their products", ["--store <id> --file collections.jsonl"])
const customers = makeImport("customers", "", [
  "--store <id> --file customers.jsonl",
  "--store <id> --json < customers.jsonl"
])
const orders = makeImport("orders", ", after customers and products", ["--store <id> --file orders.jsonl"])

export const importCommands = group("import", "Import data of another system").pipe(
  Command.withSubcommands([products, collections, customers, orders])
)
