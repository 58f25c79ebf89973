import { Args, Command, Options } from "@effect/cli"
import { Console, Effect, Layer } from "effect"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { Installations } from "../domain/Installations.ts"
import { Plan, StoreId } from "../domain/Store.ts"
import { DatabaseLive } from "../layers/Database.ts"
import { group, integer, json, limit, Live, Name, option, print, printAll, readAs } from "./Frame.ts"

/** The greatest number that a limit can be in the database. */
const MAX_LIMIT = 2_147_483_647

export const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.zipRight(Effect.scoped(Layer.build(DatabaseLive)), print(json, { migrated: true }))
).pipe(Command.withDescription("Bring the database to the newest schema"))

const listPlans = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { listPlans } = yield* Installations
    const plans = yield* listPlans
    yield* json
      ? Console.log(JSON.stringify({ plans }))
      : Console.log(
          plans
            .map(
              ({ collectionLimit, name, productLimit }) =>
                `${name}: ${productLimit} products, ${collectionLimit} collections`
            )
            .join("\n")
        )
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Every plan and how many products and collections it allows"))

const createPlan = Command.make(
  "create",
  {
    name: option("name", Name, "What it is called"),
    products: option("products", integer(0, MAX_LIMIT), "How many products it allows"),
    collections: option("collections", integer(0, MAX_LIMIT), "How many collections it allows"),
    json
  },
  ({ collections, json, name, products }) =>
    Effect.gen(function* () {
      const { createPlan } = yield* Installations
      const plan = Plan.make({ name, productLimit: products, collectionLimit: collections })
      yield* createPlan(plan)
      yield* print(json, { ...plan })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Make a plan that stores can be put on"))

const plan = Options.text("plan").pipe(Options.withDescription("See: plans list"))

const createStore = Command.make(
  "create",
  {
    name: option("name", Name, "What it is called"),
    plan,
    currency: option("currency", CurrencyCode, "The currency of its prices, as in EUR"),
    json
  },
  ({ currency, json, name, plan }) =>
    Effect.gen(function* () {
      const { createStore } = yield* Installations
      yield* print(json, { storeId: yield* createStore({ name, plan, currencyCode: currency }) })
    }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Make a store"))

const store = Args.text({ name: "store" }).pipe(
  Args.withDescription("The store's id"),
  Args.mapEffect(readAs("store", StoreId))
)

const listStores = Command.make("list", { limit, json }, ({ json, limit }) =>
  Effect.gen(function* () {
    const { listStores } = yield* Installations
    yield* printAll(json, "stores", yield* listStores(limit))
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("The newest stores: their plans, and how much they hold"))

const setPlan = Command.make("set-plan", { store, plan, json }, ({ json, plan, store }) =>
  Effect.gen(function* () {
    const { setPlan } = yield* Installations
    yield* setPlan(store, plan)
    yield* print(json, { storeId: store, plan })
  }).pipe(Effect.provide(Live))
).pipe(Command.withDescription("Put a store on another plan, from its next request on"))

const deleteStore = Command.make("delete", { store, json }, ({ json, store }) =>
  Effect.gen(function* () {
    const { deleteStore } = yield* Installations
    yield* deleteStore(store)
    yield* print(json, { storeId: store, deleted: true })
  }).pipe(Effect.provide(Live))
).pipe(
  Command.withDescription("Refuse every request for a store from now on, and end its deliveries; its rows are kept")
)

export const plans = group("plans", "What stores may hold").pipe(Command.withSubcommands([createPlan, listPlans]))

export const stores = group("stores", "Stores").pipe(
  Command.withSubcommands([createStore, listStores, setPlan, deleteStore])
)
