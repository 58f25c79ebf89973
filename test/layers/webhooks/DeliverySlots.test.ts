import { assert, it } from "@effect/vitest"
import { AppId, InstallationId } from "../../../src/domain/access/Ids.ts"
import { EventId } from "../../../src/domain/Events.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import type { ClaimedDelivery } from "../../../src/layers/webhooks/Claims.ts"
import { makeDeliverySlots } from "../../../src/layers/webhooks/DeliverySlots.ts"

const ID = "01900000-0000-7000-8000-00000000000"

const claimed = (endpoint: number, limit: number): ClaimedDelivery => ({
  storeId: StoreId.make(`${ID}0`),
  eventId: EventId.make(`${ID}0`),
  installationId: InstallationId.make(`${ID}0`),
  appId: AppId.make(`${ID}${endpoint}`),
  lease: "",
  attempt: 1,
  failures: 0,
  createdAt: 0,
  traceParent: null,
  now: 0,
  url: "",
  secret: "",
  previousSecret: null,
  payload: "",
  isDeveloped: false,
  isActive: true,
  limit,
  share: limit,
  isMore: false
})

const times = <A>(n: number, f: () => A) => Array.from({ length: n }, f)

it("release of an endpoint at its limit schedules a claim soon, and now at half of the limit", () => {
  const slots = makeDeliverySlots(100)
  const one = claimed(1, 4)
  times(4, () => slots.take(one))
  assert.strictEqual(slots.busy.get(one.appId), 4)
  const whens = times(4, () => slots.release(one))
  assert.deepStrictEqual(whens, ["soon", "now", "later", "later"])
  assert.isFalse(slots.busy.has(one.appId))
})

it("an endpoint below its limit does not trigger a claim", () => {
  const slots = makeDeliverySlots(100)
  const one = claimed(1, 4)
  times(3, () => slots.take(one))
  const whens = times(3, () => slots.release(one))
  assert.deepStrictEqual(whens, ["later", "later", "later"])
})

it("release in a full process schedules a claim soon, and now when half of the slots are free", () => {
  const slots = makeDeliverySlots(4)
  const endpoints = [1, 2, 3, 4].map((endpoint) => claimed(endpoint, 32))
  for (const one of endpoints) slots.take(one)
  assert.strictEqual(slots.free(), 0)
  const whens = endpoints.map(slots.release)
  assert.deepStrictEqual(whens, ["soon", "now", "later", "later"])
  assert.strictEqual(slots.free(), 4)
})

it("finished deliveries free their slots at once, until too many results are unrecorded", () => {
  const slots = makeDeliverySlots(2)
  const one = claimed(1, 32)
  assert.isTrue(slots.isEmpty())
  const freeBefore = times(502, () => {
    const before = slots.free()
    slots.take(one)
    slots.release(one)
    return before
  })
  assert.isTrue(freeBefore.every((free) => free > 0))
  assert.strictEqual(slots.free(), 0)
  assert.isFalse(slots.isEmpty())
  assert.strictEqual(slots.recorded(500), "now")
  assert.strictEqual(slots.free(), 2)
  assert.strictEqual(slots.recorded(2), "later")
  assert.isTrue(slots.isEmpty())
})
