import { Effect, Layer, Option, Schema } from "effect"
import { type AppId, AppNotFound } from "../../domain/access/Apps.ts"
import { type InstallationId, InstallationNotFound } from "../../domain/access/Installations.ts"
import { AppPlanId, Billing } from "../../domain/billing/Billing.ts"
import { stringify } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { INSTALLED } from "../access/InstallationState.ts"
import { Database } from "../sql/Postgres.ts"
import { sql } from "../sql/Statement.ts"
import { START } from "../Pages.ts"
import { lastOf, PLAN, PlanRow, SUBSCRIPTION, subscriptionOf, SubscriptionRow } from "./Rows.ts"
import { cancel, change, subscribe } from "./Subscriptions.ts"
import { column } from "../sql/Column.ts"

const ORDER = sql`order by p.currency_code, p.price, p.name`

const selectPlans = (app: AppId) =>
  sql`select ${PLAN} from app_plans p where p.app_id = ${app} and p.retired_at is null ${ORDER}`

const selectPlansOf = (store: StoreId, installation: InstallationId) => sql`
  select ${PLAN} from installations i join app_plans p on p.app_id = i.app_id and p.retired_at is null
  where i.store_id = ${store} and i.id = ${installation} ${ORDER}
`

/** The limit stands in a subquery, where the planner does not see it (as `selectHeads` of CollectionRepo.ts says). */
const selectPage = (store: StoreId, cursor: string, limit: number) => sql`
  select ${SUBSCRIPTION} from subscriptions s
  where s.store_id = ${store} and s.id > ${cursor} order by s.id limit (select ${limit}::integer) + 1
`

const selectCurrent = (store: StoreId, installation: InstallationId) => sql`
  select ${SUBSCRIPTION} from ${lastOf(store, installation)} and (s.ends_at is null or s.ends_at > clock_timestamp())
`

export const BillingLive = Layer.effect(
  Billing,
  Effect.gen(function* () {
    const { count, first, one, rows } = yield* Database
    const idOf = one(column("id", Schema.toType(AppPlanId)))
    const plansOf = rows(PlanRow)
    const rowsOf = rows(SubscriptionRow)
    const rowOf = first(SubscriptionRow)

    const requireApp = (id: AppId) =>
      Effect.flatMap(count(sql`select from apps where id = ${id}`), (found) =>
        found === 0 ? new AppNotFound({ id }) : Effect.void
      )

    const requireInstallation = (store: StoreId, id: InstallationId) =>
      Effect.flatMap(
        count(sql`select from installations i where i.store_id = ${store} and i.id = ${id} and ${INSTALLED}`),
        (found) => (found === 0 ? new InstallationNotFound({ id }) : Effect.void)
      )

    return Billing.of({
      setPlan: Effect.fn("Billing.setPlan")(function* (app, { currencyCode, name, period, price, trialDays }) {
        yield* requireApp(app)
        return yield* idOf(sql`
          insert into app_plans (id, app_id, name, price, currency_code, period, trial_days)
          values (
            uuid_v7(clock_micros()), ${app}, ${name}, ${stringify(price)}, ${currencyCode}, ${period}, ${trialDays}
          )
          on conflict (app_id, name) do update
          set price = excluded.price, currency_code = excluded.currency_code, period = excluded.period,
            trial_days = excluded.trial_days, retired_at = null
          returning id
        `)
      }),

      retirePlan: Effect.fn("Billing.retirePlan")((app, name) =>
        Effect.map(
          count(sql`
            update app_plans set retired_at = clock_timestamp()
            where app_id = ${app} and name = ${name} and retired_at is null
          `),
          (retired) => retired > 0
        )
      ),

      appPlans: Effect.fn("Billing.appPlans")((app) => Effect.andThen(requireApp(app), plansOf(selectPlans(app)))),

      plans: Effect.fn("Billing.plans")((store, installation) =>
        Effect.andThen(requireInstallation(store, installation), plansOf(selectPlansOf(store, installation)))
      ),

      subscriptions: Effect.fn("Billing.subscriptions")(function* (store, { cursor = START, limit }) {
        const found = yield* rowsOf(selectPage(store, cursor, limit))
        const page = found.slice(0, limit)
        const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null
        return { items: stringify(page.map(subscriptionOf)), nextCursor }
      }),

      current: Effect.fn("Billing.current")(({ id, storeId }) =>
        Effect.map(rowOf(selectCurrent(storeId, id)), Option.map(subscriptionOf))
      ),

      subscribe,
      change,
      cancel
    })
  })
)
