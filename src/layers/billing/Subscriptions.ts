import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId, type InstallationId } from "../../domain/access/Ids.ts"
import { InstallationNotFound } from "../../domain/access/Installations.ts"
import {
  AlreadySubscribed,
  type AppPlanId,
  AppPlanNotFound,
  NotSubscribed,
  subscriptionStateAt
} from "../../domain/billing/Billing.ts"
import type { StoreId } from "../../domain/Store.ts"
import { INSTALLED } from "../access/InstallationState.ts"
import { AdministeredChanges } from "../journal/Administered.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { SUBSCRIPTION, SubscriptionRow, toSubscription } from "./Rows.ts"

const readApp = rowReader(Schema.Struct({ appId: Schema.toType(AppId) }))
const readSubscription = rowReader(SubscriptionRow)
const readEnded = requiredRowReader(SubscriptionRow)

/** Trial period of a new subscription. */
interface Trial {
  /** End of a trial that continues. */
  readonly until: Date | null
  readonly isAllowed: boolean
}

const isActive = ({ cancelledAt }: SubscriptionRow) => cancelledAt === null

/**
 * Changes of subscriptions. The row of the installation names its last subscription and is the lock of it: concurrent
 * changes see each other's result.
 */
export class Subscriptions extends Context.Service<Subscriptions>()("layers/billing/Subscriptions", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { record: recordAdministered } = yield* AdministeredChanges
    const unitOfWork = yield* UnitOfWork

    const lockInstallation = Effect.fnUntraced(function* (store: StoreId, id: InstallationId) {
      const row = yield* readApp(sql`
        select i.app_id as "appId" from installations i
        where i.store_id = ${store} and i.id = ${id} and ${INSTALLED} for no key update
      `)
      return Option.isSome(row) ? row.value.appId : yield* new InstallationNotFound({ id })
    })

    const findLast = Effect.fn("Subscriptions.findLast")(
      (store: StoreId, installation: InstallationId) =>
        readSubscription(sql`
          select ${SUBSCRIPTION}
          from installations i, lateral (
            select * from subscriptions where store_id = ${store} and id = i.subscription_id offset 0
          ) as s
          where i.store_id = ${store} and i.id = ${installation}
        `),
      orDefect
    )

    const findActive = (store: StoreId, installation: InstallationId) =>
      Effect.map(findLast(store, installation), Option.filter(isActive))

    const requireActive = Effect.fnUntraced(function* (store: StoreId, installation: InstallationId) {
      const active = yield* findActive(store, installation)
      return Option.isSome(active) ? active.value : yield* new NotSubscribed()
    })

    const end = (store: StoreId, { id }: SubscriptionRow, cancelledAt: Date | null, endsAt: Date) =>
      Effect.map(
        readEnded(sql`
          with s as (
            update subscriptions set cancelled_at = ${cancelledAt}, ends_at = ${endsAt}
            where store_id = ${store} and id = ${id}
            returning *
          )
          select ${SUBSCRIPTION} from s
        `),
        toSubscription
      )

    /** Cancels an active subscription at the end of its period. */
    const cancelAtPeriodEnd = (store: StoreId, active: SubscriptionRow) =>
      end(store, active, active.now, subscriptionStateAt(active, active.now).periodEndsAt)

    const begin = Effect.fnUntraced(function* (
      store: StoreId,
      installation: InstallationId,
      app: AppId,
      plan: AppPlanId,
      { isAllowed, until }: Trial
    ) {
      const row = yield* readSubscription(sql`
        with s as (
          insert into subscriptions (
            store_id, id, installation_id, plan_id, plan_name, price, currency_code, period, started_at, trial_ends_at
          )
          select
            ${store}, uuid_v7(clock_micros()), ${installation}, p.id, p.name, p.price, p.currency_code, p.period, clock.now,
            coalesce(
              ${until}, case when ${isAllowed} and p.trial_days > 0 then clock.now + p.trial_days * interval '24 hours' end
            )
          from app_plans p, (select date_trunc('milliseconds', statement_timestamp()) as now offset 0) as clock
          where p.id = ${plan} and p.app_id = ${app} and p.retired_at is null
          returning *
        )
        select ${SUBSCRIPTION} from s
      `)
      if (Option.isNone(row)) return yield* new AppPlanNotFound({ id: plan })
      const subscription = toSubscription(row.value)
      yield* unitOfWork.add(sql`
        update installations set subscription_id = ${subscription.id} where store_id = ${store} and id = ${installation}
      `)
      return subscription
    })

    return {
      /** Returns the last subscription of an installation, which may have ended. */
      findLast,

      subscribe: Effect.fn("Billing.subscribe")(function* (
        store: StoreId,
        installation: InstallationId,
        plan: AppPlanId
      ) {
        const app = yield* lockInstallation(store, installation)
        const last = Option.getOrUndefined(yield* findLast(store, installation))
        if (last !== undefined && isActive(last)) return yield* new AlreadySubscribed({ planName: last.planName })
        // The paid rest of a cancelled subscription ends when the new one begins.
        if (last !== undefined && last.endsAt !== null && last.endsAt > last.now) {
          yield* end(store, last, last.cancelledAt, last.now)
        }
        const trial = { until: null, isAllowed: last === undefined }
        const subscription = yield* begin(store, installation, app, plan, trial)
        yield* recordAdministered(store, "subscription", subscription.id, null, subscription)
        return subscription
      }, orDefect),

      change: Effect.fn("Billing.change")(function* (store: StoreId, installation: InstallationId, plan: AppPlanId) {
        const app = yield* lockInstallation(store, installation)
        const active = yield* requireActive(store, installation)
        const isTrialing = subscriptionStateAt(active, active.now).state === "trialing"
        yield* end(store, active, active.now, active.now)
        const trial = { until: isTrialing ? active.trialEndsAt : null, isAllowed: false }
        const subscription = yield* begin(store, installation, app, plan, trial)
        yield* recordAdministered(store, "subscription", subscription.id, toSubscription(active), subscription)
        return subscription
      }, orDefect),

      cancel: Effect.fn("Billing.cancel")(function* (store: StoreId, installation: InstallationId) {
        yield* lockInstallation(store, installation)
        const active = yield* requireActive(store, installation)
        const cancelled = yield* cancelAtPeriodEnd(store, active)
        yield* recordAdministered(store, "subscription", active.id, toSubscription(active), null)
        return cancelled
      }, orDefect),

      /** Cancels the subscription of an installation that is uninstalled, if it has an active one. */
      cancelActive: Effect.fn("Subscriptions.cancelActive")(function* (store: StoreId, installation: InstallationId) {
        const active = yield* findActive(store, installation)
        if (Option.isSome(active)) yield* cancelAtPeriodEnd(store, active.value)
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
