import { Console, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { Country, DEFAULT_SETTINGS, Domain, Locale, Timezone, WeightUnit } from "../domain/access/Settings.ts"
import { Plan, Stores } from "../domain/access/Stores.ts"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { StoreId } from "../domain/Store.ts"
import { Writes } from "../domain/Write.ts"
import { argument, choice, command, group, integer, json, limit, Name, operatorIn, option } from "./Options.ts"
import { print, printList } from "./Output.ts"

/** The greatest number that a limit can be in the database. */
const MAX_LIMIT = 2_147_483_647

/** Every command brings the database there before it works; this one does no more. */
export const migrate = command("migrate", { json }, function* ({ json }) {
  yield* print(json, { migrated: true })
}).pipe(Command.withDescription("Bring the database to the newest schema"))

const listPlans = command("list", { json }, function* ({ json }) {
  const stores = yield* Stores
  const plans = yield* stores.listPlans
  const lines = plans.map((plan) => `${plan.name}: ${plan.productLimit} products, ${plan.collectionLimit} collections`)
  yield* Console.log(json ? JSON.stringify({ plans }) : lines.join("\n"))
}).pipe(Command.withDescription("Every plan and how many products and collections it allows"))

const createPlan = command(
  "create",
  {
    name: option("name", Name, "What it is called"),
    products: option("products", integer(0, MAX_LIMIT), "How many products it allows"),
    collections: option("collections", integer(0, MAX_LIMIT), "How many collections it allows"),
    json
  },
  function* ({ collections, json, name, products }) {
    const stores = yield* Stores
    const plan = Plan.make({ name, productLimit: products, collectionLimit: collections })
    yield* stores.createPlan(plan)
    yield* print(json, { ...plan })
  }
).pipe(Command.withDescription("Make a plan that stores can be put on"))

const plan = option("plan", Schema.String, "See: plans list")

const createStore = command(
  "create",
  {
    name: option("name", Name, "What it is called"),
    plan,
    currency: option("currency", CurrencyCode, "The currency of its prices, as in EUR"),
    domain: Flag.withDefault(
      option("domain", Domain, "Where the storefront is, as in shop.example.com"),
      DEFAULT_SETTINGS.domain
    ),
    timezone: Flag.withDefault(
      option("timezone", Timezone, "Its time zone, as in Europe/Berlin"),
      DEFAULT_SETTINGS.timezone
    ),
    locale: Flag.withDefault(option("locale", Locale, "Its language, as in de-DE"), DEFAULT_SETTINGS.locale),
    country: Flag.withDefault(option("country", Country, "Where it is, as in DE"), DEFAULT_SETTINGS.country),
    weightUnit: Flag.withDefault(
      choice("weight-unit", WeightUnit.literals, "The unit of its weights"),
      DEFAULT_SETTINGS.weightUnit
    ),
    json
  },
  function* ({ currency, json, ...store }) {
    const stores = yield* Stores
    yield* print(json, { storeId: yield* stores.create({ ...store, currencyCode: currency }) })
  }
).pipe(Command.withDescription("Make a store"))

const store = argument("store", StoreId, "The store's id")

const listStores = command("list", { limit, json }, function* ({ json, limit }) {
  const stores = yield* Stores
  yield* printList(json, "stores", yield* stores.list(limit))
}).pipe(Command.withDescription("The newest stores: their plans, and how much they hold"))

const setPlan = command("set-plan", { store, plan, json }, function* ({ json, plan, store }) {
  const stores = yield* Stores
  const { perform } = yield* Writes
  yield* perform(operatorIn(store), stores.setPlan(store, plan))
  yield* print(json, { storeId: store, plan })
}).pipe(Command.withDescription("Put a store on another plan, from its next request on"))

const deleteStore = command("delete", { store, json }, function* ({ json, store }) {
  const stores = yield* Stores
  yield* stores.delete(store)
  yield* print(json, { storeId: store, deleted: true })
}).pipe(
  Command.withDescription("Refuse every request for a store from now on, and end its deliveries; its rows are kept")
)

export const plans = group("plans", "What stores may hold").pipe(Command.withSubcommands([createPlan, listPlans]))

export const stores = group("stores", "Stores").pipe(
  Command.withSubcommands([createStore, listStores, setPlan, deleteStore])
)
