import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import * as FastCheck from "fast-check"
import { issuesOf } from "../../../src/domain/json/Decoder.ts"
import { type Order, OrderId, orderOf, PutOrder } from "../../../src/domain/records/Order.ts"

const decode = Schema.decodeUnknownResult(PutOrder, { errors: "all" })

const generated = {
  id: OrderId.make("019c1363-49c0-7e5a-9d07-31c8b2f4a6e0"),
  at: new Date("2026-01-31T09:30:00.000Z"),
  currencyCode: "EUR",
  before: undefined
}

/** Decodes a row and applies it to the stored order, by default none. Fails with the issues. */
const put = (input: object, before?: Order) =>
  Result.flatMap(Result.mapError(decode(input), issuesOf), (input) =>
    Result.mapError(orderOf(input, { ...generated, before }), ({ issues }) => issues)
  )

const makeOrder = (input: object) => Result.getOrThrow(put({ ...minimal, ...input }))

const issuesIn = Result.match({ onFailure: (issues: ReadonlyArray<string>) => issues, onSuccess: () => [] })

const issuesFor = (input: object) => issuesIn(put({ ...minimal, ...input }))

const line = { name: "Cup", quantity: 3, unitPrice: 13.25 }
const minimal = { number: "1", placedAt: "2026-01-31T10:12:00+01:00", lineItems: [line] }

const withLine = (member: object) => ({ lineItems: [{ ...line, ...member }] })

const unheld = (value: string) =>
  `would be ${value}, which a double (IEEE 754) does not hold; round the amounts that it is computed from`

describe("Imported orders", () => {
  it("an order may be in a currency that was current at its time", () => {
    for (const currencyCode of ["BGN", "HRK", "EUR"]) {
      assert.strictEqual(makeOrder({ currencyCode: currencyCode.toLowerCase() }).currencyCode, currencyCode)
    }
    assert.deepStrictEqual(issuesFor({ currencyCode: "ABC" }), [
      "currencyCode: must be a currency code of ISO 4217, as in EUR"
    ])
  })

  it("an order requires number, placedAt and lineItems, and the other fields have defaults", () => {
    const { createdAt, lineItems, updatedAt, ...order } = makeOrder({})
    assert.deepStrictEqual(order, {
      id: generated.id,
      number: "1",
      status: "open",
      financialStatus: null,
      fulfillmentStatus: null,
      currencyCode: "EUR",
      subtotal: 39.75,
      discount: 0,
      shipping: 0,
      tax: 0,
      total: 39.75,
      customerId: null,
      email: null,
      shippingAddress: null,
      billingAddress: null,
      note: null,
      placedAt: "2026-01-31T09:12:00.000Z"
    })
    const [{ id: _, ...first } = { id: "" }] = lineItems
    assert.deepStrictEqual(first, {
      productId: null,
      variantId: null,
      name: "Cup",
      sku: null,
      quantity: 3,
      unitPrice: 13.25,
      discount: 0,
      total: 39.75
    })
    assert.deepStrictEqual([createdAt, updatedAt], ["2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00.000Z"])
    for (const member of ["number", "placedAt", "lineItems"] as const) {
      assert.deepStrictEqual(issuesIn(put(Struct.omit(minimal, [member]))), [`${member}: is missing`])
    }
  })

  it("an order with shippedAt defaults to completed and fulfilled", () => {
    const shippedAt = "2026-02-01T00:00:00Z"
    const { fulfillmentStatus, status } = makeOrder({ shippedAt })
    assert.deepStrictEqual([status, fulfillmentStatus], ["completed", "fulfilled"])
    assert.strictEqual(makeOrder({ shippedAt, status: "cancelled" }).status, "cancelled")
    assert.strictEqual(makeOrder({ shippedAt: null }).status, "open")
  })

  it("absent fields of a stored order keep their values, and null clears", () => {
    const before = makeOrder({ shippedAt: "2026-02-01T00:00:00Z", email: "a@example.com", note: "Ring", tax: 2 })
    assert.deepStrictEqual(Result.getOrThrow(put({}, before)), before)
    assert.deepStrictEqual(Result.getOrThrow(put({ note: null }, before)), { ...before, note: null })
    const returned = { ...before, status: "open", fulfillmentStatus: null }
    assert.deepStrictEqual<unknown>(Result.getOrThrow(put({ shippedAt: null }, before)), returned)
    const lost = Result.getOrThrow(put({ shippedAt: null, status: "cancelled", fulfillmentStatus: "lost" }, before))
    assert.deepStrictEqual<unknown>(lost, { ...before, status: "cancelled", fulfillmentStatus: "lost" })
  })

  it("an amount or a line of a row recomputes the others from the stored order", () => {
    const before = makeOrder({ discount: 9.75, shipping: 5, tax: 2 })
    const amountsAfter = (input: object, stored = before) => {
      const { discount, shipping, subtotal, tax, total } = Result.getOrThrow(put(input, stored))
      return [subtotal, discount, shipping, tax, total]
    }
    assert.deepStrictEqual(amountsAfter({ shipping: 0 }), [39.75, 9.75, 0, 2, 32])
    assert.deepStrictEqual(amountsAfter({ discount: 0, total: 46.75 }), [39.75, 0, 5, 2, 46.75])
    assert.deepStrictEqual(amountsAfter({ lineItems: [{ ...line, quantity: 1 }] }), [13.25, 9.75, 5, 2, 10.5])
    assert.deepStrictEqual(issuesIn(put({ lineItems: [] }, before)), ["discount: must be at most the subtotal, 0"])
    assert.deepStrictEqual(issuesIn(put({ total: 37.01 }, before)), [
      "total: must be 37, or 35 with tax included: subtotal less discount, plus shipping and tax"
    ])
  })

  it("prices of a stored order keep including the tax unless the row gives a total", () => {
    const before = makeOrder({ tax: 2, total: 39.75 })
    const totalAfter = (input: object, stored = before) => Result.getOrThrow(put(input, stored)).total
    assert.strictEqual(totalAfter({ shipping: 5 }), 44.75)
    assert.strictEqual(totalAfter({ tax: 3 }), 39.75)
    assert.strictEqual(totalAfter({ total: 41.75 }), 41.75)
    assert.strictEqual(totalAfter({ tax: 2 }, makeOrder({})), 41.75)
  })

  it("amounts are exact to the last digit, also with discount rates", () => {
    const { lineItems, subtotal, total } = makeOrder({
      lineItems: [
        { ...line, discountRate: 0.15 },
        { name: "Pin", quantity: 3, unitPrice: 0.1 }
      ],
      shipping: 0.2
    })
    assert.deepStrictEqual(
      lineItems.map(({ discount, total }) => [discount, total]),
      [
        [5.9625, 33.7875],
        [0, 0.3]
      ]
    )
    assert.deepStrictEqual([subtotal, total], [34.0875, 34.2875])
  })

  it("an order with an amount that a double does not hold is refused", () => {
    assert.deepStrictEqual(
      issuesFor({ lineItems: [{ ...line, discountRate: 0.333333333333333 }] }).map((issue) => issue.split(":")[0]),
      ["lineItems.0.discount", "lineItems.0.total"]
    )
    const pin = { name: "Pin", quantity: 1 }
    const far = [
      { ...pin, unitPrice: 1000 },
      { ...pin, unitPrice: 0.00000000000001 }
    ]
    assert.deepStrictEqual(issuesFor({ lineItems: far }), [
      `subtotal: ${unheld("1000.00000000000001")}`,
      `total: ${unheld("1000.00000000000001")}`
    ])
    assert.deepStrictEqual(issuesFor({ lineItems: far.slice(0, 1), tax: 0.00000000000001 }), [
      `total: ${unheld("1000.00000000000001")}`
    ])
  })

  it("amounts that agree with the lines are accepted, and others are computed", () => {
    const cents = FastCheck.integer({ min: 0, max: 10_000_00 })
    const item = FastCheck.record({
      quantity: FastCheck.integer({ min: 1, max: 1000 }),
      price: cents,
      off: FastCheck.float({ min: 0, max: 1, noNaN: true })
    })
    const arbitrary = FastCheck.record({
      items: FastCheck.array(item, { maxLength: 8 }),
      shipping: cents,
      tax: cents,
      isWithin: FastCheck.boolean(),
      givenAmounts: FastCheck.array(FastCheck.constantFrom("total", "subtotal", "lines"))
    })
    FastCheck.assert(
      FastCheck.property(arbitrary, ({ isWithin, items, givenAmounts, shipping, tax }) => {
        const full = items.map(({ price, quantity }) => price * quantity)
        const off = items.map(({ off }, index) => Math.floor((full[index] ?? 0) * off))
        const subtotal = full.reduce((sum, cents, index) => sum + cents - (off[index] ?? 0), 0)
        const total = subtotal + shipping + (isWithin ? 0 : tax)
        const order = {
          shipping: shipping / 100,
          tax: tax / 100,
          ...(givenAmounts.includes("subtotal") ? { subtotal: subtotal / 100 } : {}),
          ...(givenAmounts.includes("total") || isWithin ? { total: total / 100 } : {}),
          lineItems: items.map(({ price, quantity }, index) => ({
            name: "Cup",
            quantity,
            unitPrice: price / 100,
            discount: (off[index] ?? 0) / 100,
            ...(givenAmounts.includes("lines") ? { total: ((full[index] ?? 0) - (off[index] ?? 0)) / 100 } : {})
          }))
        }
        assert.deepStrictEqual(issuesFor(order), [])
        const computed = makeOrder(order)
        assert.deepStrictEqual([computed.subtotal, computed.total], [subtotal / 100, total / 100])
        // Computed amounts are accepted when an export is imported again.
        assert.deepStrictEqual(issuesFor(computed), [])
        // A total of one cent more does not match the lines.
        const oneCentMore = { ...order, total: (subtotal + shipping + tax + 1) / 100 }
        assert.lengthOf(issuesFor(oneCentMore), 1)
      })
    )
  })

  it("inconsistent amounts are rejected with the correct amount", () => {
    assert.deepStrictEqual(issuesFor({ subtotal: 39.7 }), ["subtotal: must be 39.75, the sum of the line totals"])
    assert.deepStrictEqual(issuesFor({ discount: 40 }), ["discount: must be at most the subtotal, 39.75"])
    assert.deepStrictEqual(issuesFor({ total: 39, tax: 2 }), [
      "total: must be 41.75, or 39.75 with tax included: subtotal less discount, plus shipping and tax"
    ])
    assert.deepStrictEqual(issuesFor({ total: 39 }), [
      "total: must be 39.75: subtotal less discount, plus shipping and tax"
    ])
    assert.deepStrictEqual(issuesFor(withLine({ total: 39 })), [
      "lineItems.0.total: must be 39.75, quantity times unitPrice less discount"
    ])
    assert.deepStrictEqual(issuesFor(withLine({ discount: 40 })), [
      "lineItems.0.discount: must be at most the line's price, 39.75"
    ])
    assert.deepStrictEqual(issuesFor(withLine({ discount: 1, discountRate: 0.1 })), [
      "lineItems.0.discountRate: must not be given together with discount"
    ])
    assert.deepStrictEqual(issuesFor(withLine({ quantity: 1_000_000_000, unitPrice: 999_999_999_999_999 })), [
      "lineItems.0.total: must be a number from 0 to 999999999999999"
    ])
  })

  it("fields with invalid values are rejected", () => {
    for (const [input, issue] of [
      [{ status: "done" }, "status: must be open, completed or cancelled"],
      [{ placedAt: "yesterday" }, "placedAt: must be a time of RFC 3339, as in 2026-01-31T09:30:00Z"],
      [{ shipping: -1 }, "shipping: must be a number from 0 to 999999999999999"],
      [{ total: "12" }, "total: must be a number from 0 to 999999999999999"],
      [withLine({ quantity: 0 }), "lineItems.0.quantity: must be a whole number from 1 to 1,000,000,000"],
      [withLine({ quantity: 1.5 }), "lineItems.0.quantity: must be a whole number from 1 to 1,000,000,000"],
      [withLine({ discountRate: 1.1 }), "lineItems.0.discountRate: must be a number from 0 to 1"],
      [{ email: "a".repeat(256) }, "email: must be text of at most 255 characters"],
      [{ customerId: "7" }, "customerId: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057"],
      [{ shippingAddress: [] }, "shippingAddress: must be an object"]
    ] as const) {
      assert.deepStrictEqual(issuesFor(input), [issue])
    }
  })

  it("a replaced order keeps its line ids and createdAt", () => {
    const before = makeOrder({ lineItems: [line, line] })
    const { lineItems } = before
    const later = new Date("2026-03-01T00:00:00.000Z")
    const input = Result.getOrThrow(decode({ ...minimal, number: "2", lineItems: [line, line, line] }))
    const after = Result.getOrThrow(orderOf(input, { ...generated, at: later, before }))
    assert.deepStrictEqual(
      after.lineItems.slice(0, 2).map(({ id }) => id),
      lineItems.map(({ id }) => id)
    )
    assert.strictEqual(new Set(after.lineItems.map(({ id }) => id)).size, 3)
    assert.deepStrictEqual([after.createdAt, after.updatedAt], [before.createdAt, later.toISOString()])
  })
})
