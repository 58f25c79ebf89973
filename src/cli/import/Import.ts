import { Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { setPriority } from "node:os"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CreateProduct } from "../../domain/catalog/Product.ts"
import { StoreId } from "../../domain/Store.ts"
import { Writes } from "../../domain/Write.ts"
import { command, group, json, option, print } from "../Frame.ts"
import { jsonLines } from "./Lines.ts"
import { type Counts, type PlanFull, run } from "./Run.ts"
import { shopifyLines } from "./ShopifyCsv.ts"

const common = {
  store: option("store", StoreId, "The store's id"),
  file: Options.file("file", { exists: "yes" }).pipe(
    Options.withDescription("What to import; standard input when not given"),
    Options.optional
  ),
  refused: Options.text("refused").pipe(
    Options.withDescription(
      "Where rows that are refused are told, with line and reason; the file's name and .refused.jsonl when not given"
    ),
    Options.optional
  ),
  isSilent: Options.boolean("no-events").pipe(
    Options.withDescription("Tell no app of it, as of the first load of a store; the journal does")
  ),
  isRehearsal: Options.boolean("dry-run").pipe(Options.withDescription("Say what would happen, and write nothing")),
  json
}

/** Where refused rows are told when nothing else is said. */
const refusedBeside = (file: Option.Option<string>) => `${Option.getOrElse(file, () => "import")}.refused.jsonl`

interface Given {
  readonly file: Option.Option<string>
  readonly refused: Option.Option<string>
  readonly isSilent: boolean
  readonly isRehearsal: boolean
}

/** How a job is to be done, as it was asked for. */
const asAsked = ({ file, isRehearsal, isSilent, refused }: Given) => ({
  file,
  isSilent,
  isRehearsal,
  refused: Option.getOrElse(refused, () => refusedBeside(file))
})

/** Does the job for as long as nobody stops it, beside servers that come first, and prints what came of it. */
const report = <E extends { readonly _tag: string }, R>(
  given: Given & { readonly store: StoreId; readonly json: boolean },
  job: Effect.Effect<Counts, E | PlanFull, R>
) =>
  Effect.gen(function* () {
    setPriority(10)
    const counts = yield* Effect.onInterrupt(job, () =>
      Console.error("Stopped. What was imported stays; run the same import again, and it goes on from there")
    )
    const file = counts.refused > 0 ? { refusedFile: asAsked(given).refused } : {}
    yield* print(given.json, { storeId: given.store, dryRun: given.isRehearsal, ...counts, ...file })
  })

const products = command(
  "products",
  {
    ...common,
    format: Options.choice("format", ["jsonl", "shopify"]).pipe(
      Options.withDescription("JSON Lines, or the CSV that Shopify exports"),
      Options.withDefault("jsonl" as const)
    )
  },
  function* ({ format, ...given }) {
    const catalog = yield* Catalog
    const { perform } = yield* Writes
    const job = run({
      store: given.store,
      ...asAsked(given),
      schema: CreateProduct,
      linesOf: format === "shopify" ? shopifyLines : jsonLines,
      put: (context, puts, planned) => perform(context, catalog.putProducts(given.store, puts, planned))
    })
    yield* report(given, job)
  }
).pipe(Command.withDescription("Import products, as JSON Lines or from Shopify"))

export const imports = group("import", "Bring in what another system exported").pipe(
  Command.withSubcommands([products])
)
