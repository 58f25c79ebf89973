import { Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Country, DEFAULT_SETTINGS, Domain, Locale, Timezone, WeightUnit } from "../domain/access/Settings.ts"
import { Plan, Stores } from "../domain/access/Stores.ts"
import { CellName, MAIN } from "../domain/cells/Cells.ts"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { Writes } from "../domain/Write.ts"
import { newest, OtherCells, printRows } from "./CellLists.ts"
import {
  choice,
  command,
  group,
  integer,
  json,
  limit,
  Name,
  operatorContext,
  option,
  storeArgument,
  toggle,
  withHelp
} from "./Options.ts"
import { print, printList } from "./Output.ts"
import { exportStore, restoreStore } from "./StoreBackups.ts"
import { moveStore } from "./StoreMove.ts"

/** Maximum of an `integer` column. */
const MAX_LIMIT = 2_147_483_647

/** Imported when the command runs, like the services of others. It migrates whatever `MIGRATE_ON_START` says. */
const MigratedDatabase = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../layers/Database.ts")),
    ({ MigratedDatabaseLive }) => MigratedDatabaseLive
  )
)

export const migrate = Command.make(
  "migrate",
  { json },
  Effect.fnUntraced(function* ({ json }) {
    const { migrateCells } = yield* Effect.promise(() => import("../layers/cells/Administration.ts"))
    // Before main, whose new columns of global tables are copied to the cells.
    yield* migrateCells
    yield* Effect.provide(print(json, { migrated: true }), MigratedDatabase)
  })
).pipe(
  withHelp({
    summary: "Upgrade the database and those of all cells to the newest schema",
    details: "The cells first, because they receive rows of main.",
    examples: [""]
  })
)

const listPlans = command("list", { json }, function* ({ json }) {
  const stores = yield* Stores
  const plans = yield* stores.listPlans
  yield* printList(
    json,
    "plans",
    plans.map(({ collectionLimit, mediaLimit, name, productLimit }) => ({
      name,
      productLimit,
      collectionLimit,
      mediaLimit
    }))
  )
}).pipe(withHelp({ summary: "List store plans with their limits", examples: ["", "--json"] }))

const createPlan = command(
  "create",
  {
    name: option("name", Name, "Name of the plan"),
    products: option("products", integer(0, MAX_LIMIT), "Maximum number of products", "number"),
    collections: option("collections", integer(0, MAX_LIMIT), "Maximum number of collections", "number"),
    media: option("media-mib", integer(0, MAX_LIMIT), "Maximum size of all files in MiB. Default: 1024", "number").pipe(
      Flag.withDefault(1024)
    ),
    json
  },
  function* ({ collections, json, media, name, products }) {
    const stores = yield* Stores
    const plan = Plan.make({
      name,
      productLimit: products,
      collectionLimit: collections,
      mediaLimit: media * 1024 ** 2
    })
    yield* stores.createPlan(plan)
    yield* print(json, { ...plan })
  }
).pipe(
  withHelp({
    summary: "Create a store plan with its limits",
    examples: ["--name team --products 5000 --collections 200 --media-mib 5120"]
  })
)

const plan = option("plan", Schema.String, "Name of a plan, from: plans list")

const createStore = command(
  "create",
  {
    name: option("name", Name, "Display name"),
    plan,
    currency: option("currency", CurrencyCode, "Currency of its prices, for example EUR"),
    domain: Flag.withDefault(
      option("domain", Domain, "Host name of the storefront, for example shop.example.com"),
      DEFAULT_SETTINGS.domain
    ),
    timezone: Flag.withDefault(
      option("timezone", Timezone, `Time zone, for example Europe/Berlin. Default: ${DEFAULT_SETTINGS.timezone}`),
      DEFAULT_SETTINGS.timezone
    ),
    locale: Flag.withDefault(
      option("locale", Locale, `Language, for example de-DE. Default: ${DEFAULT_SETTINGS.locale}`),
      DEFAULT_SETTINGS.locale
    ),
    country: Flag.withDefault(option("country", Country, "Country, for example DE"), DEFAULT_SETTINGS.country),
    weightUnit: Flag.withDefault(
      choice("weight-unit", WeightUnit.literals, `Unit of weights. Default: ${DEFAULT_SETTINGS.weightUnit}`),
      DEFAULT_SETTINGS.weightUnit
    ),
    cell: option("cell", CellName, "Cell of the store, from: cells list. Default: main").pipe(Flag.optional),
    json
  },
  function* ({ cell: _, currency, json, ...store }) {
    const stores = yield* Stores
    yield* print(json, { storeId: yield* stores.create({ ...store, currencyCode: currency }) })
  }
).pipe(
  withHelp({
    summary: "Create a store",
    examples: [
      '--name "Corner shop" --plan growth --currency EUR',
      '--name "Corner shop" --plan growth --currency EUR --timezone Europe/Berlin --country DE --locale de-DE'
    ]
  })
)

const listStores = command("list", { limit, json }, function* ({ json, limit }) {
  const { list } = yield* OtherCells
  const stores = Effect.flatMap(Stores, (service) => service.list(limit))
  const own = yield* stores
  const others = yield* list(stores)
  const hasCells = others.found.length + others.missing.length > 0
  const all = [{ cell: MAIN, rows: own }, ...others.found].flatMap(({ cell, rows }) =>
    rows.map((store) => (hasCells ? { ...store, cell } : store))
  )
  yield* printRows(
    json,
    "stores",
    newest(all, ({ storeId }) => storeId, limit),
    others
  )
}).pipe(
  withHelp({
    summary: "List the newest stores with their plans, usage and cells",
    details: "If a cell is out of reach, the command prints the rows of the others, and fails.",
    examples: ["", "--limit 10 --json"]
  })
)

const setPlan = command("set-plan", { store: storeArgument, plan, json }, function* ({ json, plan, store }) {
  const stores = yield* Stores
  const { perform } = yield* Writes
  yield* perform(operatorContext(store), stores.setPlan(store, plan))
  yield* print(json, { storeId: store, plan })
}).pipe(
  withHelp({ summary: "Move a store to another plan, from its next request on", examples: ["<id> --plan scale"] })
)

const deleteStore = command("delete", { store: storeArgument, json }, function* ({ json, store }) {
  const stores = yield* Stores
  yield* stores.delete(store)
  yield* print(json, { storeId: store, deleted: true })
}).pipe(
  withHelp({
    summary: "Delete a store",
    details: "Requests for the store are refused and its deliveries end. Its rows stay in the database.",
    examples: ["<id>"]
  })
)

const adoptStore = command(
  "adopt",
  {
    store: storeArgument,
    cell: option("cell", CellName, "Cell that has the store, from: doctor"),
    isForced: toggle("force", "Replace another cell that the directory names, and that lost the store"),
    json
  },
  function* ({ cell, isForced, json, store }) {
    const { adoptStore } = yield* Effect.promise(() => import("../layers/cells/Adoption.ts"))
    yield* print(json, yield* adoptStore(store, cell, isForced))
  }
).pipe(
  withHelp({
    summary: "Add a store of a cell to the directory again",
    details:
      "Doctor lists such stores. Restores in main what the cell still has of the plan, the accounts and the apps of the store; run it before: cells add. Restored accounts have no password: create links with: merchants reset-link. Prints the apps and accounts that are lost.",
    examples: ["<id> --cell north"]
  })
)

export const plans = group("plans", "Manage the plans that limit stores").pipe(
  Command.withSubcommands([createPlan, listPlans])
)

export const stores = group("stores", "Manage stores").pipe(
  Command.withSubcommands([
    createStore,
    listStores,
    setPlan,
    deleteStore,
    exportStore,
    restoreStore,
    moveStore,
    adoptStore
  ])
)
