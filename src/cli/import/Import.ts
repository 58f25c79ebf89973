import { Effect, Option, Result, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { issuesOf } from "../../domain/Decoder.ts"
import { CreateProduct } from "../../domain/catalog/Product.ts"
import { PutCollection } from "../../domain/imports/Collection.ts"
import { Imports } from "../../domain/imports/Imports.ts"
import { type ImportedOrder, referencesOf, withoutReferences } from "../../domain/imports/Order.ts"
import { PutCustomer } from "../../domain/records/Customer.ts"
import { PutOrder } from "../../domain/records/Order.ts"
import { StoreId } from "../../domain/Store.ts"
import { Writes } from "../../domain/Write.ts"
import { choice, command, group, json, option, toggle } from "../Options.ts"
import { print } from "../Output.ts"
import { type Decode, decodeBy } from "./Batches.ts"
import { jsonLines } from "./Lines.ts"
import { type ImportKind, run } from "./Run.ts"
import { shopifyLines } from "./ShopifyCsv.ts"

const common = {
  store: option("store", StoreId, "The store's id"),
  file: Flag.File("file", { mustExist: true }).pipe(
    Flag.withDescription("What to import; standard input when not given"),
    Flag.optional
  ),
  refused: option(
    "refused",
    Schema.String,
    "Where rows that are refused are told, with line and reason; the file's name and .refused.jsonl when not given"
  ).pipe(Flag.optional),
  isSilent: toggle("no-events", "Tell no app of it, as of the first load of a store; the journal does"),
  isRehearsal: toggle("dry-run", "Say what would happen, and write nothing"),
  json
}

/** What shells say of a command that SIGINT ended: 128 and the number of the signal. It is not done, after all. */
const SIGINT_EXIT_CODE = 130

const STOPPED = "Stopped. What was imported stays; run the same import again, and it goes on from there\n"

/** Where refused rows are told when nothing else is said. */
const defaultRefusedFile = (file: Option.Option<string>) => `${Option.getOrElse(file, () => "import")}.refused.jsonl`

interface Given {
  readonly store: StoreId
  readonly file: Option.Option<string>
  readonly refused: Option.Option<string>
  readonly isSilent: boolean
  readonly isRehearsal: boolean
  readonly json: boolean
}

/** Does a job as it was asked for, for as long as nobody stops it; prints what came of it. */
const runImport = <Input, E, R>(given: Given, kind: ImportKind<Input, E, R>) =>
  Effect.gen(function* () {
    const refused = Option.getOrElse(given.refused, () => defaultRefusedFile(given.file))
    const counts = yield* Effect.onInterrupt(run({ ...given, refused }, kind), () =>
      Effect.sync(() => {
        process.exitCode = SIGINT_EXIT_CODE
        process.stderr.write(STOPPED)
      })
    )
    const file = counts.refused > 0 ? { refusedFile: refused } : {}
    yield* print(given.json, { storeId: given.store, dryRun: given.isRehearsal, ...counts, ...file })
  })

const decodeProduct = decodeBy(CreateProduct)
const decodeCollection = decodeBy(PutCollection)
const decodeCustomer = decodeBy(PutCustomer)
const decodeOrder = decodeBy(PutOrder)

const products = command(
  "products",
  {
    ...common,
    format: choice("format", ["jsonl", "shopify"], "JSON Lines, or the CSV that Shopify exports").pipe(
      Flag.withDefault("jsonl")
    )
  },
  function* ({ format, ...given }) {
    const { putProducts } = yield* Imports
    const { perform } = yield* Writes
    yield* runImport(given, {
      decode: decodeProduct,
      linesOf: format === "shopify" ? shopifyLines : jsonLines,
      put: (context, puts, planned) => perform(context, putProducts(given.store, puts, planned))
    })
  }
).pipe(Command.withDescription("Import products, as JSON Lines or from Shopify"))

/** Collections are few, and each is a write of its own: rules take their time, and no other has to wait for them. */
const collections = command("collections", common, function* (given) {
  const { putCollection } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(given, {
    decode: decodeCollection,
    linesOf: jsonLines,
    put: Effect.fnUntraced(function* (context, puts) {
      const outcomes = []
      for (const put of puts) {
        const outcome = yield* Effect.result(perform(context, putCollection(given.store, put)))
        if (Result.isSuccess(outcome)) outcomes.push(outcome)
        else if (outcome.failure._tag === "StoreNotFound") return yield* outcome.failure
        else if (outcome.failure._tag === "CollectionLimitReached")
          return { outcomes, limit: Option.some(outcome.failure) }
        else outcomes.push(Result.fail(outcome.failure))
      }
      return { outcomes, limit: Option.none() }
    })
  })
}).pipe(Command.withDescription("Import collections, as JSON Lines, after the products that they hold"))

const customers = command("customers", common, function* (given) {
  const { putCustomers } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(given, {
    decode: decodeCustomer,
    linesOf: jsonLines,
    put: (context, puts) => perform(context, putCustomers(given.store, puts))
  })
}).pipe(Command.withDescription("Import customers, as JSON Lines"))

const decodeImported: Decode<ImportedOrder> = (row) =>
  Result.all({ order: decodeOrder(withoutReferences(row)), references: Result.mapError(referencesOf(row), issuesOf) })

const orders = command("orders", common, function* (given) {
  const { putOrders } = yield* Imports
  const { perform } = yield* Writes
  yield* runImport(given, {
    decode: decodeImported,
    linesOf: jsonLines,
    put: (context, puts) => perform(context, putOrders(given.store, puts))
  })
}).pipe(Command.withDescription("Import orders, as JSON Lines, after their customers and products"))

export const importCommands = group("import", "Bring in what another system exported").pipe(
  Command.withSubcommands([products, collections, customers, orders])
)
