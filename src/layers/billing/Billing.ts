import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { AppNotFound } from "../../domain/access/Apps.ts"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import { AppPlanId, Billing } from "../../domain/billing/Billing.ts"
import type { StoreId } from "../../domain/Store.ts"
import { INSTALLED } from "../access/InstallationState.ts"
import { START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowsReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { PLAN, PlanRow, SUBSCRIPTION, SubscriptionRow, toSubscription } from "./Rows.ts"
import { Subscriptions } from "./Subscriptions.ts"

const readPlanId = requiredRowReader(Schema.Struct({ id: Schema.toType(AppPlanId) }))
const readPlans = rowsReader(PlanRow)
const readSubscriptions = rowsReader(SubscriptionRow)

export const BillingLive = Layer.effect(
  Billing,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { cancel, change, findLast, subscribe } = yield* Subscriptions

    const requireApp = Effect.fnUntraced(function* (id: AppId) {
      const apps = yield* sql`select 1 from apps where id = ${id}`
      if (apps.length === 0) yield* new AppNotFound({ id })
    })

    const requireInstallation = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const installations = yield* sql`
        select 1 from installations i where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}
      `
      if (installations.length === 0) yield* new InstallationNotFound({ id })
    })

    return Billing.of({
      setPlan: Effect.fn("Billing.setPlan")(function* (app, { currencyCode, name, period, price, trialDays }) {
        yield* requireApp(app)
        const { id } = yield* readPlanId(sql`
          insert into app_plans (id, app_id, name, price, currency_code, period, trial_days)
          values (
            uuid_v7(clock_micros()), ${app}, ${name}, ${JSON.stringify(price)}, ${currencyCode}, ${period}, ${trialDays}
          )
          on conflict (app_id, name) do update
          set price = excluded.price, currency_code = excluded.currency_code, period = excluded.period,
            trial_days = excluded.trial_days, retired_at = null
          returning id
        `)
        return id
      }, orDefect),

      retirePlan: Effect.fn("Billing.retirePlan")(function* (app, name) {
        const retired = yield* rowCount(sql`
          update app_plans set retired_at = statement_timestamp()
          where app_id = ${app} and name = ${name} and retired_at is null
        `)
        return retired > 0
      }, orDefect),

      appPlans: Effect.fn("Billing.appPlans")(function* (app) {
        yield* requireApp(app)
        return yield* readPlans(sql`
          select ${PLAN} from app_plans p where p.app_id = ${app} and p.retired_at is null
          order by p.currency_code, p.price, p.name
        `)
      }, orDefect),

      plans: Effect.fn("Billing.plans")(function* (store, installation) {
        yield* requireInstallation(store, installation)
        return yield* readPlans(sql`
          select ${PLAN} from installations i join app_plans p on p.app_id = i.app_id and p.retired_at is null
          where i.store_id = ${store} and i.id = ${installation}
          order by p.currency_code, p.price, p.name
        `)
      }, orDefect),

      subscriptions: Effect.fn("Billing.subscriptions")(function* (store, { cursor = START, limit }) {
        // The limit is a subquery, which hides its value from the planner, so that PostgreSQL keeps the generic plan.
        const rows = yield* readSubscriptions(sql`
          select ${SUBSCRIPTION} from subscriptions s
          where s.store_id = ${store} and s.id > ${cursor} order by s.id limit (select ${limit}::integer) + 1
        `)
        const page = rows.slice(0, limit)
        const nextCursor = rows.length > limit ? (page.at(-1)?.id ?? null) : null
        return { items: JSON.stringify(page.map(toSubscription)), nextCursor }
      }, orDefect),

      current: Effect.fn("Billing.current")(function* ({ id, storeId }) {
        const last = yield* findLast(storeId, id)
        return Option.map(
          Option.filter(last, ({ endsAt, now }) => endsAt === null || endsAt > now),
          toSubscription
        )
      }, orDefect),

      subscribe,
      change,
      cancel
    })
  })
)
