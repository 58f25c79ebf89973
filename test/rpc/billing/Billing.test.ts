import { assert, layer } from "@effect/vitest"
import { Array, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Ids.ts"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { type AppPlan, type AppPlanId, Billing } from "../../../src/domain/billing/Billing.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ApiTest, dataOf, makeApp } from "../../support/http/Api.ts"
import { freshMember, memberOf, newKey } from "../../support/rpc/Rpc.ts"
import { installApp } from "../../support/webhooks/Webhooks.ts"
import { installing } from "../../support/data/Writes.ts"

const BASIC = { name: "Basic", price: 9.9, currencyCode: "EUR", period: "month", trialDays: 0 } as const

const setPlan = (app: AppId, plan: Partial<Omit<AppPlan, "id">> = {}) =>
  Effect.flatMap(Billing, ({ setPlan }) => setPlan(app, { ...BASIC, ...plan }))

/** An owner, an app that is installed on their store, and a plan of it. */
const scene = Effect.fn(function* (plan: Partial<Omit<AppPlan, "id">> = {}) {
  const member = yield* freshMember()
  const appId = yield* makeApp()
  const { client: app, installation } = yield* installApp(member.storeId, appId)
  const planId = yield* setPlan(appId, plan)
  const newRequest = () => ({ storeId: member.storeId, idempotencyKey: newKey(), installationId: installation.id })
  return { ...member, app, appId, installation, planId, newRequest }
})

const DAY = 86_400_000

/** Moves the subscriptions of a store into the past. */
const passDays = (store: StoreId, days: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update subscriptions set
        started_at = started_at - ${days} * interval '24 hours', trial_ends_at = trial_ends_at - ${days} * interval '24 hours',
        cancelled_at = cancelled_at - ${days} * interval '24 hours', ends_at = ends_at - ${days} * interval '24 hours'
      where store_id = ${store}
    `
  )

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Billing", (it) => {
  it.effect("plans list their exact prices, and a subscription keeps its price when the plan changes", () =>
    Effect.gen(function* () {
      const { app, appId, newRequest, client, installation, planId, storeId } = yield* scene()
      yield* setPlan(appId, { name: "Pro", price: 99, period: "year", trialDays: 14 })
      const plans = yield* client.billing.plans({ storeId, installationId: installation.id })
      assert.deepStrictEqual(
        plans.map(({ id: _, ...plan }) => plan),
        [BASIC, { name: "Pro", price: 99, currencyCode: "EUR", period: "year", trialDays: 14 }]
      )

      assert.isNull(yield* client.billing.current({ storeId, installationId: installation.id }))
      const agreed = yield* client.billing.subscribe({ ...newRequest(), planId })
      assert.deepInclude(agreed, { planId, planName: "Basic", price: 9.9, state: "active", trialEndsAt: null })
      assert.approximately(Date.parse(agreed.periodEndsAt) - Date.parse(agreed.startedAt), 29.5 * DAY, 1.6 * DAY)
      assert.strictEqual(yield* setPlan(appId, { price: 12.5 }), planId)
      const { items } = yield* client.billing.subscriptions({ storeId })
      assert.deepStrictEqual(items, [agreed])
      assert.deepStrictEqual(yield* client.billing.current({ storeId, installationId: installation.id }), agreed)
      assert.deepInclude(dataOf(yield* app.get("/store"))["installation"], { subscription: { ...agreed } })

      const again = yield* client.billing.change({ ...newRequest(), planId })
      assert.deepInclude(again, { planId, price: 12.5, state: "active" })
      const both = yield* client.billing.subscriptions({ storeId })
      assert.deepStrictEqual(
        both.items.map(({ price, state }) => [price, state]),
        [
          [9.9, "cancelled"],
          [12.5, "active"]
        ]
      )
      const page = yield* client.billing.subscriptions({ storeId, limit: 1 })
      assert.strictEqual(page.nextCursor, agreed.id)
      const rest = yield* client.billing.subscriptions({ storeId, cursor: agreed.id })
      assert.deepStrictEqual(rest, { items: [again], nextCursor: null })
    })
  )

  it.effect("only one of 64 concurrent subscriptions succeeds, and its retries return the same response", () =>
    Effect.gen(function* () {
      const { newRequest, client, planId, storeId } = yield* scene()
      const calls = Array.makeBy(64, () => ({ ...newRequest(), planId }))
      const results = yield* Effect.forEach(calls, (call) => Effect.result(client.billing.subscribe(call)), {
        concurrency: "unbounded"
      })
      const [agreed, refused] = Array.separate(results)
      assert.lengthOf(agreed, 1)
      for (const error of refused) assert.include(["AlreadySubscribed", "StoreBusy"], error._tag)
      assert.lengthOf((yield* client.billing.subscriptions({ storeId })).items, 1)

      const winner = calls[results.findIndex(Result.isSuccess)]
      const replayed = yield* Effect.replicateEffect(
        client.billing.subscribe(winner ?? { ...newRequest(), planId }),
        8,
        {
          concurrency: "unbounded"
        }
      )
      for (const response of replayed) assert.deepStrictEqual(response, agreed[0])
    })
  )

  it.effect("only the first subscription has a trial, and a cancelled one ends with its paid period", () =>
    Effect.gen(function* () {
      const { app, appId, newRequest, client, planId, storeId } = yield* scene({ trialDays: 14 })
      const other = yield* setPlan(appId, { name: "Pro", price: 20 })
      const installationJson = Effect.map(app.get("/store"), (response) =>
        JSON.stringify(dataOf(response)["installation"])
      )

      const trial = yield* client.billing.subscribe({ ...newRequest(), planId })
      assert.strictEqual(trial.state, "trialing")
      assert.strictEqual(Date.parse(trial.periodEndsAt) - Date.parse(trial.startedAt), 14 * DAY)
      const changed = yield* client.billing.change({ ...newRequest(), planId: other })
      assert.deepInclude(changed, { planName: "Pro", state: "trialing", trialEndsAt: trial.trialEndsAt })

      yield* passDays(storeId, 15)
      const [, active] = (yield* client.billing.subscriptions({ storeId })).items
      assert.strictEqual(active?.state, "active")
      const cancelled = yield* client.billing.cancel(newRequest())
      assert.deepInclude(cancelled, { id: changed.id, state: "cancelled" })
      assert.strictEqual(cancelled.periodEndsAt, active?.periodEndsAt)
      assert.include(yield* installationJson, '"cancelled"')
      assert.strictEqual((yield* Effect.flip(client.billing.cancel(newRequest())))._tag, "NotSubscribed")
      assert.strictEqual((yield* Effect.flip(client.billing.change({ ...newRequest(), planId })))._tag, "NotSubscribed")

      yield* passDays(storeId, 31)
      assert.include(yield* installationJson, '"subscription":null')
      const second = yield* client.billing.subscribe({ ...newRequest(), planId })
      assert.deepInclude(second, { state: "active", trialEndsAt: null })
    })
  )

  it.effect("a new subscription ends a cancelled one that is still paid for", () =>
    Effect.gen(function* () {
      const { newRequest, client, planId, storeId } = yield* scene()
      yield* client.billing.subscribe({ ...newRequest(), planId })
      const cancelled = yield* client.billing.cancel(newRequest())
      const second = yield* client.billing.subscribe({ ...newRequest(), planId })
      const [first] = (yield* client.billing.subscriptions({ storeId })).items
      assert.isBelow(Date.parse(first?.periodEndsAt ?? ""), Date.parse(cancelled.periodEndsAt))
      assert.isAtMost(Date.parse(first?.periodEndsAt ?? ""), Date.parse(second.startedAt))
    })
  )

  it.effect("an uninstall cancels the subscription, and a reinstall has no second trial", () =>
    Effect.gen(function* () {
      const { appId, newRequest, client, installation, planId, storeId } = yield* scene({ trialDays: 30 })
      const { periodEndsAt } = yield* client.billing.subscribe({ ...newRequest(), planId })
      yield* client.installations.uninstall({ storeId, idempotencyKey: newKey(), id: installation.id })
      const [ended] = (yield* client.billing.subscriptions({ storeId })).items
      assert.deepInclude(ended, { state: "cancelled", periodEndsAt })
      assert.strictEqual(
        (yield* Effect.flip(client.billing.subscribe({ ...newRequest(), planId })))._tag,
        "InstallationNotFound"
      )
      const { install } = yield* installing
      assert.strictEqual((yield* install({ storeId, appId, ...ALL_GRANTS })).id, installation.id)
      assert.strictEqual((yield* client.billing.subscribe({ ...newRequest(), planId })).state, "active")
    })
  )

  it.effect("only owners use billing, for installations of their store and plans that the app offers", () =>
    Effect.gen(function* () {
      const { appId, newRequest, client, installation, planId, storeId } = yield* scene()
      const staff = yield* memberOf(storeId, "staff")
      const refusals = yield* Effect.all([
        Effect.flip(Effect.asVoid(staff.client.billing.plans({ storeId, installationId: installation.id }))),
        Effect.flip(Effect.asVoid(staff.client.billing.current({ storeId, installationId: installation.id }))),
        Effect.flip(Effect.asVoid(staff.client.billing.subscriptions({ storeId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.subscribe({ ...newRequest(), planId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.change({ ...newRequest(), planId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.cancel(newRequest())))
      ])
      for (const error of refusals) assert.strictEqual(error._tag, "OwnersOnly")

      const errorTagOf = Effect.fn(function* (plan: AppPlanId) {
        return (yield* Effect.flip(client.billing.subscribe({ ...newRequest(), planId: plan })))._tag
      })
      assert.strictEqual(yield* errorTagOf((yield* scene()).planId), "AppPlanNotFound")
      const { retirePlan } = yield* Billing
      assert.isTrue(yield* retirePlan(appId, "Basic"))
      assert.isFalse(yield* retirePlan(appId, "Basic"))
      assert.strictEqual(yield* errorTagOf(planId), "AppPlanNotFound")
      assert.deepStrictEqual(yield* client.billing.plans({ storeId, installationId: installation.id }), [])

      const stranger = yield* scene()
      yield* stranger.client.billing.subscribe({ ...stranger.newRequest(), planId: stranger.planId })
      const foreignRequest = { ...newRequest(), installationId: stranger.installation.id }
      assert.strictEqual(
        (yield* Effect.flip(client.billing.subscribe({ ...foreignRequest, planId: stranger.planId })))._tag,
        "InstallationNotFound"
      )
      assert.strictEqual((yield* Effect.flip(client.billing.cancel(foreignRequest)))._tag, "InstallationNotFound")
      assert.strictEqual((yield* Effect.flip(client.billing.plans(foreignRequest)))._tag, "InstallationNotFound")
      assert.deepStrictEqual((yield* client.billing.subscriptions({ storeId })).items, [])
    })
  )
})
