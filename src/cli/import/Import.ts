import { Effect, Option, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Stores } from "../../domain/access/Stores.ts"
import { decodeImportedProduct } from "../../domain/imports/Product.ts"
import { PutCollection } from "../../domain/imports/Collection.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import { decodeImportedOrder } from "../../domain/imports/Order.ts"
import { PutCustomer } from "../../domain/records/Customer.ts"
import { Writes } from "../../domain/Write.ts"
import { choice, command, group, json, option, store, toggle, withHelp } from "../Options.ts"
import { print } from "../Output.ts"
import { makeRowDecoder, readJsonRows } from "./Batches.ts"
import { importFile, type ImportJob, type ImportKind } from "./Run.ts"
import { readShopifyRows } from "./ShopifyCsv.ts"
import { Encoding, UTF_8 } from "./Source.ts"

const common = {
  store,
  file: Flag.File("file", { mustExist: true }).pipe(
    Flag.withDescription("File to import. Default: standard input"),
    Flag.optional
  ),
  refused: option(
    "refused",
    Schema.String,
    "File for refused rows, with line and reason. Default: <file>.refused.jsonl",
    "file"
  ).pipe(Flag.optional),
  isSilent: toggle("no-events", "Send no events, for the first load of a store. The journal records the changes"),
  encoding: option("encoding", Encoding, "Encoding of the file, such as windows-1252. Default: utf-8").pipe(
    Flag.withDefault(UTF_8)
  ),
  isDryRun: toggle("dry-run", "Print the result without writing anything"),
  json
}

/** Exit code of a process that SIGINT ended: 128 + 2. An interrupted import is not complete. */
const SIGINT_EXIT_CODE = 130

const STOPPED = "Stopped. Imported rows are kept; run the same import again to continue\n"

const defaultRefusedFile = (file: Option.Option<string>) => `${Option.getOrElse(file, () => "import")}.refused.jsonl`

interface ImportOptions extends Omit<ImportJob, "refused"> {
  readonly refused: Option.Option<string>
  readonly json: boolean
}

/** Runs an import and prints its counts. An interrupted import sets the exit code and prints how to continue. */
const runImport = Effect.fnUntraced(function* <Input, E, R>(options: ImportOptions, kind: ImportKind<Input, E, R>) {
  const refused = Option.getOrElse(options.refused, () => defaultRefusedFile(options.file))
  const counts = yield* Effect.onInterrupt(importFile({ ...options, refused }, kind), () =>
    Effect.sync(() => {
      process.exitCode = SIGINT_EXIT_CODE
      process.stderr.write(STOPPED)
    })
  )
  const file = counts.refused > 0 ? { refusedFile: refused } : {}
  yield* print(options.json, { storeId: options.store, dryRun: options.isDryRun, ...counts, ...file })
})

const RERUN = "A repeated import updates rows by externalId and skips unchanged ones."

const decodeCollection = makeRowDecoder(PutCollection)
const readCustomers = readJsonRows(makeRowDecoder(PutCustomer))

const products = command(
  "products",
  {
    ...common,
    format: choice("format", ["jsonl", "shopify"], "JSON Lines, or the CSV of a Shopify export. Default: jsonl").pipe(
      Flag.withDefault("jsonl")
    ),
    replaceVariants: toggle("replace-variants", "Remove the variants of a product that the file leaves out")
  },
  function* ({ format, replaceVariants, ...options }) {
    const { putProducts } = yield* Imports
    const { perform } = yield* Writes
    const stores = yield* Stores
    const { weightUnit } = yield* stores.get(options.store)
    yield* runImport(options, {
      readRows:
        format === "shopify"
          ? readShopifyRows({ replaceVariants, weightUnit })
          : readJsonRows((row) => decodeImportedProduct(row, replaceVariants)),
      write: (context, items, planned) => perform(context, putProducts(options.store, items, planned))
    })
  }
).pipe(
  withHelp({
    summary: "Import products from JSON Lines or a Shopify CSV",
    details: RERUN,
    examples: [
      "--store <id> --file products.jsonl --dry-run",
      "--store <id> --file products_export.csv --format shopify"
    ]
  })
)

/** Writes each collection in its own transaction: rules can be slow, and a shared one would hold locks for all of them. */
const collections = command("collections", common, function* (options) {
  const { putCollection } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(options, {
    readRows: readJsonRows(decodeCollection),
    write: Effect.fnUntraced(function* (context, items) {
      const outcomes = []
      for (const item of items) {
        const outcome = yield* Effect.result(perform(context, putCollection(options.store, item)))
        if (Result.isSuccess(outcome)) outcomes.push(outcome)
        else if (outcome.failure._tag === "StoreNotFound") return yield* outcome.failure
        else if (outcome.failure._tag === "CollectionLimitReached")
          return { outcomes, limit: Option.some(outcome.failure) }
        else outcomes.push(Result.fail(outcome.failure))
      }
      return { outcomes, limit: Option.none() }
    })
  })
}).pipe(
  withHelp({
    summary: "Import collections from JSON Lines, after their products",
    details: RERUN,
    examples: ["--store <id> --file collections.jsonl"]
  })
)

const customers = command("customers", common, function* (options) {
  const { putCustomers } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(options, {
    readRows: readCustomers,
    write: (context, items) => perform(context, putCustomers(options.store, items))
  })
}).pipe(
  withHelp({
    summary: "Import customers from JSON Lines",
    details: RERUN,
    examples: ["--store <id> --file customers.jsonl", "--store <id> --json < customers.jsonl"]
  })
)

const readOrders = readJsonRows(decodeImportedOrder)

const orders = command("orders", common, function* (options) {
  const { putOrders } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(options, {
    readRows: readOrders,
    write: (context, items) => perform(context, putOrders(options.store, items))
  })
}).pipe(
  withHelp({
    summary: "Import orders from JSON Lines, after their customers and products",
    details: RERUN,
    examples: ["--store <id> --file orders.jsonl"]
  })
)

export const importCommands = group("import", "Import data of another system").pipe(
  Command.withSubcommands([products, collections, customers, orders])
)
