import { Schema } from "effect"
import {
  AppPlan,
  AppPlanId,
  subscriptionStateAt,
  type Subscription,
  SubscriptionId
} from "../../domain/billing/Billing.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { Period } from "../../domain/billing/Period.ts"
import { PriceText } from "../../domain/billing/Price.ts"
import type { StoreId } from "../../domain/Store.ts"
import { sql } from "../sql/Statement.ts"

export const PLAN = sql`
  p.id, p.name, p.price::text as price, p.currency_code as "currencyCode", p.period, p.trial_days as "trialDays"
`

export const PlanRow = Schema.Struct({ ...AppPlan.fields, id: Schema.toType(AppPlanId), price: PriceText })

/** With the time that it is asked at, which decides how it stands. */
export const SUBSCRIPTION = sql`
  s.id, s.installation_id as "installationId", s.plan_id as "planId", s.plan_name as "planName", s.price::text as price,
  s.currency_code as "currencyCode", s.period, s.started_at as "startedAt", s.trial_ends_at as "trialEndsAt",
  s.cancelled_at as "cancelledAt", s.ends_at as "endsAt", clock_timestamp() as now
`

/** The last subscription of an installation. */
export const lastOf = (store: StoreId, installation: InstallationId) => sql`
  installations i, lateral (
    select * from subscriptions where store_id = ${store} and id = i.subscription_id offset 0
  ) as s
  where i.store_id = ${store} and i.id = ${installation}
`

const When = Schema.NullOr(Schema.Date)

export const SubscriptionRow = Schema.Struct({
  id: Schema.toType(SubscriptionId),
  installationId: Schema.toType(InstallationId),
  planId: Schema.toType(AppPlanId),
  planName: Schema.String,
  price: PriceText,
  currencyCode: Schema.String,
  period: Period,
  startedAt: Schema.Date,
  trialEndsAt: When,
  cancelledAt: When,
  endsAt: When,
  now: Schema.Date
})
export type SubscriptionRow = typeof SubscriptionRow.Type

const textOf = (time: Date | null) => time?.toISOString() ?? null

/** A subscription as it stands when it is asked for. */
export const subscriptionOf = (row: SubscriptionRow): Subscription => {
  const { cancelledAt, endsAt: _, now, startedAt, trialEndsAt, ...agreed } = row
  const { periodEndsAt, state } = subscriptionStateAt(row, now)
  return {
    ...agreed,
    state,
    startedAt: startedAt.toISOString(),
    trialEndsAt: textOf(trialEndsAt),
    periodEndsAt: periodEndsAt.toISOString(),
    cancelledAt: textOf(cancelledAt)
  }
}
