import { assert, describe, it as test, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { OrderId } from "../../../src/domain/records/Order.ts"
import { periodsOf } from "../../../src/domain/records/OrderSummary.ts"
import { SummaryTimeout } from "../../../src/layers/records/OrderSummary.ts"
import { Orders } from "../../../src/domain/records/Order.ts"
import { putOrders } from "../../support/data/Records.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

const DAY = 86_400_000

/** Kiritimati is 14 hours ahead of UTC all year. */
const OFFSET = 14 * 3_600_000

/** A store in Kiritimati, and the start of its day `ago` days before today, plus milliseconds. */
const scene = Effect.gen(function* () {
  const member = yield* freshMember()
  const { client, storeId } = member
  yield* client.settings.update({ storeId, idempotencyKey: newKey(), settings: { timezone: "Pacific/Kiritimati" } })
  const today = Math.floor((Date.now() + OFFSET) / DAY) * DAY
  const localDay = (ago: number, millis = 0) => new Date(today - OFFSET - ago * DAY + millis).toISOString()
  const dateOf = (ago: number) => new Date(today - ago * DAY).toISOString().slice(0, 10)
  const put = (orders: ReadonlyArray<{ readonly id?: OrderId; readonly [field: string]: unknown }>) =>
    putOrders(storeId, orders)
  const summary = (days: 7 | 30 | 90 = 7) => client.orders.summary({ storeId, days })
  return { ...member, dateOf, localDay, put, summary }
})

const line = (unitPrice: number, quantity = 1, fields: object = {}) => ({ name: "Cup", unitPrice, quantity, ...fields })

const [CUP, MUG] = ["019c1363-49c0-7d21-9a53-5b1c6e2f8a90", "019c1363-49c0-7d21-9a53-5b1c6e2f8a91"]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Summary of orders", (it) => {
  it.effect("an order belongs to the day that its time has in the time zone of the store", () =>
    Effect.gen(function* () {
      const { dateOf, localDay, put, summary } = yield* scene
      yield* put([
        { placedAt: localDay(2, -1), lineItems: [line(1)] },
        { placedAt: localDay(2), lineItems: [line(10)] },
        { placedAt: localDay(1, -1), lineItems: [line(100)] },
        { placedAt: localDay(1), lineItems: [line(1000)] }
      ])
      const { days, timezone } = yield* summary()
      assert.strictEqual(timezone, "Pacific/Kiritimati")
      assert.deepStrictEqual(
        days.map(({ date }) => date),
        [6, 5, 4, 3, 2, 1, 0].map(dateOf)
      )
      assert.deepStrictEqual(days.slice(3, 6), [
        { date: dateOf(3), orders: 1, sales: 1 },
        { date: dateOf(2), orders: 2, sales: 110 },
        { date: dateOf(1), orders: 1, sales: 1000 }
      ])
    })
  )

  it.effect("the period before ends at the same time of day, and both sum decimals exactly", () =>
    Effect.gen(function* () {
      const { localDay, put, summary } = yield* scene
      const sevenDaysAgo = Date.now() - 7 * DAY
      yield* put([
        { placedAt: localDay(6), lineItems: [line(0.1)] },
        { placedAt: localDay(5), lineItems: [line(0.2)] },
        { placedAt: localDay(6, -1), lineItems: [line(5)] },
        { placedAt: localDay(13), lineItems: [line(7)] },
        { placedAt: localDay(13, -1), lineItems: [line(9)] },
        { placedAt: new Date(sevenDaysAgo - 1000).toISOString(), lineItems: [line(11)] }
      ])
      const { current, previous } = yield* summary()
      assert.deepStrictEqual(current, { orders: 2, sales: 0.3 })
      // The last millisecond of the seventh day before today has not come at this time of that day.
      assert.deepStrictEqual(previous, { orders: 2, sales: 18 })
      assert.deepStrictEqual((yield* summary(30)).current, { orders: 6, sales: 32.3 })
    })
  )

  it.effect("cancelled orders do not count, refunded ones do, and other currencies are only counted", () =>
    Effect.gen(function* () {
      const { localDay, put, summary } = yield* scene
      const placedAt = localDay(1)
      yield* put([
        { placedAt, lineItems: [line(10)], status: "cancelled" },
        { placedAt, lineItems: [line(20)], financialStatus: "refunded" },
        { placedAt, lineItems: [line(40, 1, { productId: CUP })], currencyCode: "JPY" },
        { placedAt, lineItems: [line(80)], currencyCode: "SEK" },
        { placedAt, lineItems: [line(80)], currencyCode: "SEK" },
        { placedAt, lineItems: [line(80)], currencyCode: "SEK", status: "cancelled" }
      ])
      const { bestSellers, current, currencyCode, otherCurrencies } = yield* summary()
      assert.strictEqual(currencyCode, "EUR")
      assert.deepStrictEqual(current, { orders: 1, sales: 20 })
      assert.deepStrictEqual(otherCurrencies, [
        { currencyCode: "SEK", orders: 2 },
        { currencyCode: "JPY", orders: 1 }
      ])
      assert.deepStrictEqual(bestSellers, [])
    })
  )

  it.effect("best sellers are the products with the highest quantity in the period, by the newest name", () =>
    Effect.gen(function* () {
      const { localDay, put, summary } = yield* scene
      yield* put([
        { placedAt: localDay(20), lineItems: [line(1, 100, { productId: MUG })] },
        { placedAt: localDay(3), lineItems: [line(2, 3, { productId: CUP, name: "Old cup" }), line(5, 90)] },
        {
          placedAt: localDay(2),
          lineItems: [line(2, 1, { productId: CUP, discount: 0.5 }), line(9, 2, { productId: MUG })]
        }
      ])
      const sold = (yield* summary()).bestSellers.map(({ name, productId, quantity, sales }) => [
        productId,
        name,
        quantity,
        sales
      ])
      assert.deepStrictEqual(sold, [
        [CUP, "Cup", 4, 7.5],
        [MUG, "Cup", 2, 18]
      ])
      assert.strictEqual((yield* summary(30)).bestSellers[0]?.productId, MUG)
    })
  )

  it.effect("an agent needs the scope read_orders", () =>
    Effect.gen(function* () {
      const member = yield* scene
      const { storeId } = member
      const reader = yield* agentOf(member, { scopes: ["read_orders"] })
      const { days } = yield* reader.client.orders.summary({ storeId, days: 90 })
      assert.strictEqual(days.length, 90)
      const other = yield* agentOf(member, { scopes: ["read_products"] })
      const refused = yield* Effect.flip(other.client.orders.summary({ storeId, days: 90 }))
      assert.strictEqual(refused._tag, "AgentScopeMissing")
    })
  )

  it.effect("a summary that takes too long fails with the advice to choose a shorter period", () =>
    Effect.gen(function* () {
      const { storeId } = yield* scene
      const { summarize } = yield* Orders
      const failed = yield* summarize(storeId, 90).pipe(Effect.provideService(SummaryTimeout, 0), Effect.flip)
      assert.include(failed.message, "choose a shorter period")
    })
  )
})

describe("periods", () => {
  test("days start at local midnight, also when the clocks change", () => {
    const now = DateTime.toUtc(DateTime.makeUnsafe("2026-03-31T10:00:00Z"))
    const { dates, end, previousEnd, starts } = periodsOf(7, now, "Europe/Berlin")
    assert.strictEqual(dates.length, 14)
    assert.deepStrictEqual([dates[0], dates[7], dates.at(-1)], ["2026-03-18", "2026-03-25", "2026-03-31"])
    assert.deepStrictEqual(starts.slice(-3), [
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
      "2026-03-30T22:00:00.000Z"
    ])
    assert.strictEqual(end, "2026-03-31T10:00:00.000Z")
    assert.strictEqual(previousEnd, "2026-03-24T11:00:00.000Z")
  })
})
