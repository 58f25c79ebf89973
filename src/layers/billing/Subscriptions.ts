import { Effect, Option, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import { type InstallationId, InstallationNotFound } from "../../domain/access/Installations.ts"
import {
  AlreadySubscribed,
  type AppPlanId,
  AppPlanNotFound,
  NotSubscribed,
  subscriptionStateAt,
  type Subscription,
  type SubscriptionId
} from "../../domain/billing/Billing.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Write } from "../../domain/Write.ts"
import { INSTALLED } from "../access/InstallationState.ts"
import { countOf, firstOf, deferToCommit, type Step, withClient } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { recordAdministered } from "../journal/Administered.ts"
import { lastOf, SUBSCRIPTION, subscriptionOf, SubscriptionRow } from "./Rows.ts"

/*
 * The row of the installation names its last subscription, and is the lock of it: of all that are asked at once to
 * subscribe it, each sees what those before did.
 */

const lockInstallation = (store: StoreId, id: InstallationId) => sql`
  select i.app_id as "appId" from installations i where i.store_id = ${store} and i.id = ${id} and ${INSTALLED} for no key update
`
const appOf = firstOf(Schema.Struct({ appId: Schema.toType(AppId) }))

const lockedApp = Effect.fnUntraced(function* (store: StoreId, id: InstallationId): Step<AppId, InstallationNotFound> {
  const found = yield* appOf(lockInstallation(store, id))
  return Option.getOrUndefined(found)?.appId ?? (yield* new InstallationNotFound({ id }))
})

const rowOf = firstOf(SubscriptionRow)

const selectLast = (store: StoreId, installation: InstallationId) =>
  sql`select ${SUBSCRIPTION} from ${lastOf(store, installation)}`

const endSubscription = (store: StoreId, id: SubscriptionId, cancelledAt: Date | null, endsAt: Date) => sql`
  update subscriptions s set cancelled_at = ${cancelledAt}, ends_at = ${endsAt} where s.store_id = ${store} and s.id = ${id}
  returning ${SUBSCRIPTION}
`

const nameLast = (store: StoreId, id: InstallationId, subscription: SubscriptionId) =>
  sql`update installations set subscription_id = ${subscription} where store_id = ${store} and id = ${id}`

const insertSubscription = (
  store: StoreId,
  installation: InstallationId,
  plan: AppPlanId,
  app: AppId,
  trialEndsAt: Date | null,
  isTrialAllowed: boolean
) => sql`
  insert into subscriptions as s (
    store_id, id, installation_id, plan_id, plan_name, price, currency_code, period, started_at, trial_ends_at
  )
  select
    ${store}, uuid_v7(clock_micros()), ${installation}, p.id, p.name, p.price, p.currency_code, p.period, clock.now,
    coalesce(${trialEndsAt}, case when ${isTrialAllowed} and p.trial_days > 0 then clock.now + p.trial_days * interval '24 hours' end)
  from app_plans p, (select date_trunc('milliseconds', clock_timestamp()) as now offset 0) as clock
  where p.id = ${plan} and p.app_id = ${app} and p.retired_at is null
  returning ${SUBSCRIPTION}
`

interface Trial {
  /** When the one ends that goes on. */
  readonly until: Date | null
  readonly isAllowed: boolean
}

const begin = Effect.fnUntraced(function* (
  store: StoreId,
  installation: InstallationId,
  app: AppId,
  plan: AppPlanId,
  { isAllowed, until }: Trial
): Step<Subscription, AppPlanNotFound> {
  const made = yield* rowOf(insertSubscription(store, installation, plan, app, until, isAllowed))
  const row = Option.getOrUndefined(made) ?? (yield* new AppPlanNotFound({ id: plan }))
  yield* deferToCommit(nameLast(store, installation, row.id))
  return subscriptionOf(row)
})

const isLive = ({ cancelledAt }: SubscriptionRow) => cancelledAt === null

export const subscribe = (
  store: StoreId,
  installation: InstallationId,
  plan: AppPlanId
): Write<Subscription, InstallationNotFound | AppPlanNotFound | AlreadySubscribed> =>
  Effect.gen(function* () {
    const app = yield* lockedApp(store, installation)
    const last = Option.getOrUndefined(yield* rowOf(selectLast(store, installation)))
    if (last !== undefined && isLive(last)) return yield* new AlreadySubscribed({ planName: last.planName })
    // What is paid for still of one that was cancelled ends where another begins.
    if (last !== undefined && last.endsAt !== null && last.endsAt > last.now) {
      yield* countOf(endSubscription(store, last.id, last.cancelledAt, last.now))
    }
    const made = yield* begin(store, installation, app, plan, { until: null, isAllowed: last === undefined })
    yield* withClient((sql) => recordAdministered(sql, store, "subscription", made.id, null, made))
    return made
  })

/** The subscription that goes on, if there is one. */
const liveOf = Effect.fnUntraced(function* (
  store: StoreId,
  installation: InstallationId
): Step<Option.Option<SubscriptionRow>> {
  return Option.filter(yield* rowOf(selectLast(store, installation)), isLive)
})

export const change = (
  store: StoreId,
  installation: InstallationId,
  plan: AppPlanId
): Write<Subscription, InstallationNotFound | AppPlanNotFound | NotSubscribed> =>
  Effect.gen(function* () {
    const app = yield* lockedApp(store, installation)
    const live = Option.getOrUndefined(yield* liveOf(store, installation)) ?? (yield* new NotSubscribed())
    const isTrying = subscriptionStateAt(live, live.now).state === "trialing"
    yield* countOf(endSubscription(store, live.id, live.now, live.now))
    const trial = { until: isTrying ? live.trialEndsAt : null, isAllowed: false }
    const made = yield* begin(store, installation, app, plan, trial)
    yield* withClient((sql) => recordAdministered(sql, store, "subscription", made.id, subscriptionOf(live), made))
    return made
  })

/** Ends a subscription that goes on with its period. */
const end = Effect.fnUntraced(function* (store: StoreId, live: SubscriptionRow): Step<Subscription> {
  const { id, now } = live
  const ended = yield* rowOf(endSubscription(store, id, now, subscriptionStateAt(live, now).periodEndsAt))
  return subscriptionOf(Option.getOrThrow(ended))
})

/** The same of an installation that ends, if it has one. */
export const cancelLive = Effect.fnUntraced(function* (store: StoreId, installation: InstallationId): Step<void> {
  const live = yield* liveOf(store, installation)
  if (Option.isSome(live)) yield* end(store, live.value)
})

export const cancel = (
  store: StoreId,
  installation: InstallationId
): Write<Subscription, InstallationNotFound | NotSubscribed> =>
  Effect.gen(function* () {
    yield* lockedApp(store, installation)
    const live = Option.getOrUndefined(yield* liveOf(store, installation)) ?? (yield* new NotSubscribed())
    const cancelled = yield* end(store, live)
    yield* withClient((sql) => recordAdministered(sql, store, "subscription", live.id, subscriptionOf(live), null))
    return cancelled
  })
