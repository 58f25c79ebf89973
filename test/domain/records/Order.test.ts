import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, Struct } from "effect"
import { issuesOf } from "../../../src/domain/json/Decoder.ts"
import { OrderId, orderOf, PutOrder } from "../../../src/domain/records/Order.ts"

const decode = Schema.decodeUnknownResult(PutOrder, { errors: "all" })

const generated = {
  id: OrderId.make("019c1363-49c0-7e5a-9d07-31c8b2f4a6e0"),
  at: new Date("2026-01-31T09:30:00.000Z"),
  currencyCode: "EUR",
  before: undefined
}

/** Decodes a row of a new order. Fails with the issues. */
const put = (input: object) =>
  Result.flatMap(Result.mapError(decode(input), issuesOf), (input) =>
    Result.mapError(orderOf(input, generated), ({ issues }) => issues)
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

  it("fields with invalid values and amounts that do not add up are rejected", () => {
    for (const [input, issue] of [
      [{ total: 39 }, "total: must be 39.75: subtotal less discount, plus shipping and tax"],
      [withLine({ total: 39 }), "lineItems.0.total: must be 39.75, quantity times unitPrice less discount"],
      [withLine({ discount: 40 }), "lineItems.0.discount: must be at most the line's price, 39.75"],
      [
        withLine({ discount: 1, discountRate: 0.1 }),
        "lineItems.0.discountRate: must not be given together with discount"
      ],
      [
        withLine({ quantity: 1_000_000_000, unitPrice: 999_999_999_999_999 }),
        "lineItems.0.total: must be a number from 0 to 999999999999999"
      ],
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
})
