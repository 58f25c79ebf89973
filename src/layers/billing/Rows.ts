import { Schema } from "effect"
import { InstallationId } from "../../domain/access/Ids.ts"
import {
  AppPlan,
  AppPlanId,
  type Subscription,
  SubscriptionId,
  subscriptionStateAt
} from "../../domain/billing/Billing.ts"
import { Period } from "../../domain/billing/Period.ts"
import { PriceText } from "../../domain/billing/Price.ts"
import { sql } from "../sql/Statement.ts"

/** Columns of plan `p`. */
export const PLAN = sql`
  p.id, p.name, p.price::text as price, p.currency_code as "currencyCode", p.period, p.trial_days as "trialDays"
`

export const PlanRow = Schema.Struct({ ...AppPlan.fields, id: Schema.toType(AppPlanId), price: PriceText })

/** Columns of subscription `s`, and the current time, on which its state depends. */
export const SUBSCRIPTION = sql`
  s.id, s.installation_id as "installationId", s.plan_id as "planId", s.plan_name as "planName", s.price::text as price,
  s.currency_code as "currencyCode", s.period, s.started_at as "startedAt", s.trial_ends_at as "trialEndsAt",
  s.cancelled_at as "cancelledAt", s.ends_at as "endsAt", statement_timestamp() as now
`

export const SubscriptionRow = Schema.Struct({
  id: Schema.toType(SubscriptionId),
  installationId: Schema.toType(InstallationId),
  planId: Schema.toType(AppPlanId),
  planName: Schema.String,
  price: PriceText,
  currencyCode: Schema.String,
  period: Period,
  startedAt: Schema.Date,
  trialEndsAt: Schema.NullOr(Schema.Date),
  cancelledAt: Schema.NullOr(Schema.Date),
  endsAt: Schema.NullOr(Schema.Date),
  now: Schema.Date
})
export type SubscriptionRow = typeof SubscriptionRow.Type

const formatTime = (time: Date | null) => time?.toISOString() ?? null

/** Returns the subscription with its state at the time of the query. */
export const toSubscription = (row: SubscriptionRow): Subscription => {
  const { cancelledAt, endsAt: _, now, startedAt, trialEndsAt, ...terms } = row
  const { periodEndsAt, state } = subscriptionStateAt(row, now)
  return {
    ...terms,
    state,
    startedAt: startedAt.toISOString(),
    trialEndsAt: formatTime(trialEndsAt),
    periodEndsAt: periodEndsAt.toISOString(),
    cancelledAt: formatTime(cancelledAt)
  }
}
