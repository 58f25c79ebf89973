import { assert, layer } from "@effect/vitest"
import { Array, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../src/domain/access/Apps.ts"
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

/** An owner, an app on their store, and what it asks for. */
const scene = Effect.fn(function* (plan: Partial<Omit<AppPlan, "id">> = {}) {
  const member = yield* freshMember()
  const appId = yield* makeApp()
  const { client: app, installation } = yield* installApp(member.storeId, appId)
  const planId = yield* setPlan(appId, plan)
  const asked = () => ({ storeId: member.storeId, idempotencyKey: newKey(), installationId: installation.id })
  return { ...member, app, appId, installation, planId, asked }
})

const DAY = 86_400_000

/** Moves what a store agreed to into the past. */
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

layer(ApiTest)("billing", (it) => {
  it.effect("an app's plans are shown with all digits of their prices, and what was agreed to stays as it was", () =>
    Effect.gen(function* () {
      const { app, appId, asked, client, installation, planId, storeId } = yield* scene()
      yield* setPlan(appId, { name: "Pro", price: 99, period: "year", trialDays: 14 })
      const plans = yield* client.billing.plans({ storeId, installationId: installation.id })
      assert.deepStrictEqual(
        plans.map(({ id: _, ...plan }) => plan),
        [BASIC, { name: "Pro", price: 99, currencyCode: "EUR", period: "year", trialDays: 14 }]
      )

      assert.isNull(yield* client.billing.current({ storeId, installationId: installation.id }))
      const agreed = yield* client.billing.subscribe({ ...asked(), planId })
      assert.deepInclude(agreed, { planId, planName: "Basic", price: 9.9, state: "active", trialEndsAt: null })
      assert.approximately(Date.parse(agreed.periodEndsAt) - Date.parse(agreed.startedAt), 29.5 * DAY, 1.6 * DAY)
      assert.strictEqual(yield* setPlan(appId, { price: 12.5 }), planId)
      const { items } = yield* client.billing.subscriptions({ storeId })
      assert.deepStrictEqual(items, [agreed])
      assert.deepStrictEqual(yield* client.billing.current({ storeId, installationId: installation.id }), agreed)
      assert.deepInclude(dataOf(yield* app.get("/store"))["installation"], { subscription: { ...agreed } })

      const again = yield* client.billing.change({ ...asked(), planId })
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

  it.effect("of 64 who subscribe at once one does; a retry of it is answered the same", () =>
    Effect.gen(function* () {
      const { asked, client, planId, storeId } = yield* scene()
      const calls = Array.makeBy(64, () => ({ ...asked(), planId }))
      const answers = yield* Effect.forEach(calls, (call) => Effect.result(client.billing.subscribe(call)), {
        concurrency: "unbounded"
      })
      const [agreed, refused] = Array.separate(answers)
      assert.lengthOf(agreed, 1)
      for (const error of refused) assert.include(["AlreadySubscribed", "StoreBusy"], error._tag)
      assert.lengthOf((yield* client.billing.subscriptions({ storeId })).items, 1)

      const winner = calls[answers.findIndex(Result.isSuccess)]
      const replayed = yield* Effect.replicateEffect(client.billing.subscribe(winner ?? { ...asked(), planId }), 8, {
        concurrency: "unbounded"
      })
      for (const answer of replayed) assert.deepStrictEqual(answer, agreed[0])
    })
  )

  it.effect("a trial is for the first time; what is cancelled ends with what is paid for", () =>
    Effect.gen(function* () {
      const { app, appId, asked, client, planId, storeId } = yield* scene({ trialDays: 14 })
      const other = yield* setPlan(appId, { name: "Pro", price: 20 })
      const told = Effect.map(app.get("/store"), (answer) => JSON.stringify(dataOf(answer)["installation"]))

      const tried = yield* client.billing.subscribe({ ...asked(), planId })
      assert.strictEqual(tried.state, "trialing")
      assert.strictEqual(Date.parse(tried.periodEndsAt) - Date.parse(tried.startedAt), 14 * DAY)
      const changed = yield* client.billing.change({ ...asked(), planId: other })
      assert.deepInclude(changed, { planName: "Pro", state: "trialing", trialEndsAt: tried.trialEndsAt })

      yield* passDays(storeId, 15)
      const [, active] = (yield* client.billing.subscriptions({ storeId })).items
      assert.strictEqual(active?.state, "active")
      const cancelled = yield* client.billing.cancel(asked())
      assert.deepInclude(cancelled, { id: changed.id, state: "cancelled" })
      assert.strictEqual(cancelled.periodEndsAt, active?.periodEndsAt)
      assert.include(yield* told, '"cancelled"')
      assert.strictEqual((yield* Effect.flip(client.billing.cancel(asked())))._tag, "NotSubscribed")
      assert.strictEqual((yield* Effect.flip(client.billing.change({ ...asked(), planId })))._tag, "NotSubscribed")

      yield* passDays(storeId, 31)
      assert.include(yield* told, '"subscription":null')
      const second = yield* client.billing.subscribe({ ...asked(), planId })
      assert.deepInclude(second, { state: "active", trialEndsAt: null })
    })
  )

  it.effect("what is cancelled and paid for still ends where another begins, so that one counts at a time", () =>
    Effect.gen(function* () {
      const { asked, client, planId, storeId } = yield* scene()
      yield* client.billing.subscribe({ ...asked(), planId })
      const cancelled = yield* client.billing.cancel(asked())
      const second = yield* client.billing.subscribe({ ...asked(), planId })
      const [first] = (yield* client.billing.subscriptions({ storeId })).items
      assert.isBelow(Date.parse(first?.periodEndsAt ?? ""), Date.parse(cancelled.periodEndsAt))
      assert.isAtMost(Date.parse(first?.periodEndsAt ?? ""), Date.parse(second.startedAt))
    })
  )

  it.effect("an app that is uninstalled is cancelled with it, and has no second trial when it is installed again", () =>
    Effect.gen(function* () {
      const { appId, asked, client, installation, planId, storeId } = yield* scene({ trialDays: 30 })
      const { periodEndsAt } = yield* client.billing.subscribe({ ...asked(), planId })
      yield* client.installations.uninstall({ storeId, idempotencyKey: newKey(), id: installation.id })
      const [ended] = (yield* client.billing.subscriptions({ storeId })).items
      assert.deepInclude(ended, { state: "cancelled", periodEndsAt })
      assert.strictEqual(
        (yield* Effect.flip(client.billing.subscribe({ ...asked(), planId })))._tag,
        "InstallationNotFound"
      )
      const { install } = yield* installing
      assert.strictEqual((yield* install({ storeId, appId, ...ALL_GRANTS })).id, installation.id)
      assert.strictEqual((yield* client.billing.subscribe({ ...asked(), planId })).state, "active")
    })
  )

  it.effect("is for owners, of their own store, by plans that the app offers", () =>
    Effect.gen(function* () {
      const { appId, asked, client, installation, planId, storeId } = yield* scene()
      const staff = yield* memberOf(storeId, "staff")
      const refusals = yield* Effect.all([
        Effect.flip(Effect.asVoid(staff.client.billing.plans({ storeId, installationId: installation.id }))),
        Effect.flip(Effect.asVoid(staff.client.billing.current({ storeId, installationId: installation.id }))),
        Effect.flip(Effect.asVoid(staff.client.billing.subscriptions({ storeId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.subscribe({ ...asked(), planId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.change({ ...asked(), planId }))),
        Effect.flip(Effect.asVoid(staff.client.billing.cancel(asked())))
      ])
      for (const error of refusals) assert.strictEqual(error._tag, "OwnersOnly")

      const wrong = Effect.fn(function* (plan: AppPlanId) {
        return (yield* Effect.flip(client.billing.subscribe({ ...asked(), planId: plan })))._tag
      })
      assert.strictEqual(yield* wrong((yield* scene()).planId), "AppPlanNotFound")
      const { retirePlan } = yield* Billing
      assert.isTrue(yield* retirePlan(appId, "Basic"))
      assert.isFalse(yield* retirePlan(appId, "Basic"))
      assert.strictEqual(yield* wrong(planId), "AppPlanNotFound")
      assert.deepStrictEqual(yield* client.billing.plans({ storeId, installationId: installation.id }), [])

      const stranger = yield* scene()
      yield* stranger.client.billing.subscribe({ ...stranger.asked(), planId: stranger.planId })
      const foreign = { ...asked(), installationId: stranger.installation.id }
      assert.strictEqual(
        (yield* Effect.flip(client.billing.subscribe({ ...foreign, planId: stranger.planId })))._tag,
        "InstallationNotFound"
      )
      assert.strictEqual((yield* Effect.flip(client.billing.cancel(foreign)))._tag, "InstallationNotFound")
      assert.strictEqual((yield* Effect.flip(client.billing.plans(foreign)))._tag, "InstallationNotFound")
      assert.deepStrictEqual((yield* client.billing.subscriptions({ storeId })).items, [])
    })
  )
})
