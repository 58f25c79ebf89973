import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { MAX_TRIAL_DAYS, Billing } from "../domain/billing/Billing.ts"
import { Period } from "../domain/billing/Period.ts"
import { PriceText } from "../domain/billing/Price.ts"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { app, choice, command, group, integer, json, Name, option, withHelp } from "./Options.ts"
import { print, printList } from "./Output.ts"

const name = option("name", Name, "Name of the plan")

const set = command(
  "set",
  {
    app,
    name,
    price: option("price", PriceText, "Price of one period, for example 9.90"),
    currency: option("currency", CurrencyCode, "Currency of the price, for example EUR"),
    period: choice("period", Period.literals, "Billing period"),
    trialDays: option(
      "trial-days",
      integer(0, MAX_TRIAL_DAYS),
      "Free days before the first period of a new subscriber. Default: 0",
      "number"
    ).pipe(Flag.withDefault(0)),
    json
  },
  function* ({ app, currency, json, name, period, price, trialDays }) {
    const { setPlan } = yield* Billing
    const planId = yield* setPlan(app, { name, price, currencyCode: currency, period, trialDays })
    yield* print(json, {
      planId,
      appId: app,
      name,
      price: JSON.stringify(price),
      currencyCode: currency,
      period,
      trialDays
    })
  }
).pipe(
  withHelp({
    summary: "Create a price plan of an app, or change it for new subscribers",
    details: "Existing subscriptions keep their price.",
    examples: ["--app <id> --name Basic --price 9.90 --currency EUR --period month --trial-days 14"]
  })
)

const list = command("list", { app, json }, function* ({ app, json }) {
  const { appPlans } = yield* Billing
  const plans = yield* appPlans(app)
  yield* printList(
    json,
    "plans",
    plans.map(({ id, price, ...plan }) => ({ planId: id, ...plan, price: JSON.stringify(price) }))
  )
}).pipe(withHelp({ summary: "List the price plans of an app", examples: ["--app <id>"] }))

const retire = command("retire", { app, name, json }, function* ({ app, json, name }) {
  const { retirePlan } = yield* Billing
  if (!(yield* retirePlan(app, name)))
    return yield* Effect.fail({ message: `App ${app} has no plan ${name}; list its plans with: apps plans list` })
  yield* print(json, { appId: app, name, retired: true })
}).pipe(
  withHelp({
    summary: "Close a price plan to new subscribers",
    details: "Existing subscriptions continue.",
    examples: ["--app <id> --name Basic"]
  })
)

export const appPlans = group("plans", "Manage the price plans of an app").pipe(
  Command.withSubcommands([set, list, retire])
)
