import { Command, Flag } from "effect/cli"
import { MAX_TRIAL_DAYS, Billing } from "../domain/billing/Billing.ts"
import { Period } from "../domain/billing/Period.ts"
import { PriceText } from "../domain/billing/Price.ts"
import { CurrencyCode } from "../domain/catalog/Fields.ts"
import { stringify } from "../domain/Json.ts"
import { app, choice, command, group, integer, json, misused, Name, option } from "./Options.ts"
import { print, printList } from "./Output.ts"

const name = option("name", Name, "What the app calls the plan")

const set = command(
  "set",
  {
    app,
    name,
    price: option("price", PriceText, "What a period costs, as in 9.90"),
    currency: option("currency", CurrencyCode, "The currency of the price, as in EUR"),
    period: choice("period", Period.literals, "What the price is paid for"),
    trialDays: option(
      "trial-days",
      integer(0, MAX_TRIAL_DAYS),
      "Days before the first period, for who subscribes for the first time; 0 when not given"
    ).pipe(Flag.withDefault(0)),
    json
  },
  function* ({ app, currency, json, name, period, price, trialDays }) {
    const { setPlan } = yield* Billing
    const planId = yield* setPlan(app, { name, price, currencyCode: currency, period, trialDays })
    yield* print(json, { planId, appId: app, name, price: stringify(price), currencyCode: currency, period, trialDays })
  }
).pipe(
  Command.withDescription("Make a plan of an app, or change the one of that name for those who subscribe from now on")
)

const list = command("list", { app, json }, function* ({ app, json }) {
  const { appPlans } = yield* Billing
  const plans = yield* appPlans(app)
  yield* printList(
    json,
    "plans",
    plans.map(({ id, price, ...plan }) => ({ planId: id, ...plan, price: stringify(price) }))
  )
}).pipe(Command.withDescription("The plans that merchants may subscribe an app to"))

const retire = command("retire", { app, name, json }, function* ({ app, json, name }) {
  const { retirePlan } = yield* Billing
  if (!(yield* retirePlan(app, name)))
    return yield* misused(`The app ${app} offers no plan ${name}; see: apps plans list`)
  yield* print(json, { appId: app, name, retired: true })
}).pipe(Command.withDescription("Offer a plan no longer; who is subscribed to it stays so"))

export const appPlans = group("plans", "What an app costs").pipe(Command.withSubcommands([set, list, retire]))
