import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { countsOf, importScene, linesIn } from "../../support/data/Imports.ts"
import { rowsOf } from "../../support/process/Process.ts"

const Row = Schema.Record(Schema.String, Schema.Unknown)

/** A store, and functions that import rows and read the stored documents. */
const recordScene = Effect.gen(function* () {
  const scene = yield* importScene()
  let files = 0
  /** Imports rows. Returns the counts, and each refused row with its reason. */
  const bringRows = Effect.fn(function* (kind: string, rows: ReadonlyArray<object>) {
    files += 1
    const output = yield* scene.bring(kind, scene.fileOf(`${kind}-${files}`, rows))
    const refused = output.refusedFile === undefined ? [] : linesIn(output.refusedFile)
    return {
      counts: countsOf(output),
      refused: refused.map((line) => {
        const { externalId, reason } = Schema.decodeUnknownSync(Row)(line)
        return [externalId, reason]
      })
    }
  })
  const documents = (table: "orders" | "customers") =>
    Effect.map(
      rowsOf(scene.client, `select (opening || personal)::json as document from ${table} order by id`),
      (rows) => rows.map(({ document }) => Schema.decodeUnknownSync(Row)(document))
    )
  return { ...scene, bringRows, documents }
})

const order = {
  externalId: "1",
  number: "1042",
  placedAt: "2026-01-31T09:12:00.000Z",
  customerExternalId: "ada",
  email: "ada@example.com",
  financialStatus: "paid",
  tax: 19,
  total: 100,
  shippingAddress: { city: "Porto" },
  note: "Ring",
  lineItems: [{ name: "Cup", quantity: 2, unitPrice: 50, productExternalId: "cup" }]
}

it.live("a row of a stored order changes only the fields that it names, and null clears them", () =>
  Effect.gen(function* () {
    const { bringRows, documents } = yield* recordScene
    yield* bringRows("products", [{ externalId: "cup", name: "Cup" }])
    yield* bringRows("customers", [
      { externalId: "ada", name: "Ada", addresses: [{ city: "Porto" }], tags: ["regular"] }
    ])
    yield* bringRows("orders", [order])
    const [before] = yield* documents("orders")
    const [ada] = yield* documents("customers")
    assert.deepInclude(ada, { ordersCount: 1, totalSpent: 100 })

    const cancelled = yield* bringRows("orders", [{ externalId: "1", status: "cancelled" }])
    assert.deepStrictEqual(cancelled, { counts: [0, 1, 0, 0], refused: [] })
    const [after] = yield* documents("orders")
    assert.deepStrictEqual(after, { ...before, status: "cancelled", updatedAt: after?.["updatedAt"] })
    assert.deepInclude((yield* documents("customers"))[0], { ordersCount: 0, totalSpent: 0 })

    const same = yield* bringRows("orders", [{ externalId: "1" }, { externalId: "1", status: "cancelled" }])
    assert.deepStrictEqual(same.counts, [0, 0, 2, 0])
    assert.deepStrictEqual((yield* documents("orders"))[0], after)

    yield* bringRows("orders", [{ externalId: "1", status: "open", shipping: 5, note: null, customerId: null }])
    const [reopened] = yield* documents("orders")
    assert.deepInclude(reopened, { status: "open", shipping: 5, tax: 19, total: 105, note: null, customerId: null })
    assert.deepStrictEqual(reopened?.["lineItems"], before?.["lineItems"])
    assert.deepInclude((yield* documents("customers"))[0], { ordersCount: 0, totalSpent: 0 })
  })
)

it.live("a row of a stored customer changes only the fields that it names, and null clears them", () =>
  Effect.gen(function* () {
    const { bringRows, documents } = yield* recordScene
    const contact = { email: "ada@example.com", phone: "+351", addresses: [{ city: "Porto" }] }
    yield* bringRows("customers", [
      { externalId: "ada", name: "Ada", tags: ["regular"], acceptsMarketing: true, ...contact }
    ])
    const [before] = yield* documents("customers")
    assert.deepStrictEqual((yield* bringRows("customers", [{ externalId: "ada", phone: null }])).counts, [0, 1, 0, 0])
    const [after] = yield* documents("customers")
    assert.deepStrictEqual(after, { ...before, phone: null, updatedAt: after?.["updatedAt"] })
    const cleared = [{ externalId: "ada", addresses: null, tags: [] }]
    assert.deepStrictEqual((yield* bringRows("customers", cleared)).counts, [0, 1, 0, 0])
    assert.deepInclude((yield* documents("customers"))[0], {
      name: "Ada",
      addresses: [],
      tags: [],
      acceptsMarketing: true
    })
    assert.deepStrictEqual((yield* bringRows("customers", cleared)).counts, [0, 0, 1, 0])
  })
)

it.live("a row of a stored collection changes only the fields that it names, and a new one needs a title", () =>
  Effect.gen(function* () {
    const { bringRows, client } = yield* recordScene
    yield* bringRows("products", [
      { externalId: "cup", name: "Cup" },
      { externalId: "jug", name: "Jug" }
    ])
    const first = yield* bringRows("collections", [
      { externalId: "a", productIds: ["cup"] },
      { externalId: "a", title: "Table", description: "Set", productIds: ["cup", "jug"] },
      { externalId: "a", isActive: false },
      { externalId: "b", title: "Cheap", rules: [{ field: "price", relation: "less_than", value: 3 }] }
    ])
    assert.deepStrictEqual(first, { counts: [2, 1, 0, 1], refused: [["a", "title: is missing"]] })
    const stored = rowsOf(
      client,
      `select document ->> 'title' as title, document ->> 'type' as type, document ->> 'description' as description,
         document ->> 'isActive' as active,
         (select count(*)::int from collection_members m where m.collection_id = c.id) as members
       from collections c order by id`
    )
    const [table, cheap] = [
      { title: "Table", type: "manual", description: "Set", active: "false", members: 2 },
      { title: "Cheap", type: "automated", description: null, active: "true", members: 0 }
    ]
    assert.deepStrictEqual(yield* stored, [table, cheap])
    const second = yield* bringRows("collections", [
      { externalId: "a", description: null, productIds: ["jug"], rules: [] },
      { externalId: "b", productIds: ["unknown"] },
      { externalId: "b", title: null }
    ])
    assert.deepStrictEqual(second, {
      counts: [0, 1, 1, 1],
      refused: [["b", "title: must be text of 1 to 255 characters"]]
    })
    assert.deepStrictEqual(yield* stored, [{ ...table, description: null, members: 1 }, cheap])
    // The rules of a row do not make a stored collection automated, so its products still count.
    const rules = [{ field: "price", relation: "less_than", value: 3 }]
    const third = yield* bringRows("collections", [{ externalId: "a", productIds: ["cup", "unknown"], rules }])
    assert.deepStrictEqual(third.refused, [["a", "productIds.1: unknown is not in this store; import it first"]])
  })
)

it.live("a row that cannot be combined with the stored order, or is not understood, is refused with its reason", () =>
  Effect.gen(function* () {
    const { bringRows, documents } = yield* recordScene
    yield* bringRows("customers", [{ externalId: "ada", name: "Ada" }])
    const created = yield* bringRows("orders", [
      { externalId: "1", status: "cancelled" },
      { ...order, lineItems: [{ name: "Cup", quantity: 2, unitPrice: 50 }] },
      { externalId: "1", note: "Later in the file" },
      { externalId: "2", number: "2", placedAt: "2026-01-31T09:12:00Z" }
    ])
    assert.deepStrictEqual(created, {
      counts: [1, 1, 0, 2],
      refused: [
        ["1", "number: is missing; placedAt: is missing; lineItems: is missing"],
        ["2", "lineItems: is missing"]
      ]
    })
    const before = yield* documents("orders")
    const rows: ReadonlyArray<readonly [row: object, reason: string]> = [
      [{ total: 1 }, "total: must be 119, or 100 with tax included: subtotal less discount, plus shipping and tax"],
      [{ subtotal: 1 }, "subtotal: must be 100, the sum of the line totals"],
      [{ discount: 101 }, "discount: must be at most the subtotal, 100"],
      [{ number: null }, "number: must be text of 1 to 255 characters"],
      [{ status: null }, "status: must be open, completed or cancelled"],
      [{ shipping: null }, "shipping: must be a number from 0 to 999999999999999"],
      [{ lineItems: null }, "lineItems: must be a list"],
      [{ lineItems: ["Cup"] }, "lineItems.0: must be an object"],
      [{ lineItems: [{ name: "Cup" }] }, "lineItems.0.quantity: is missing; lineItems.0.unitPrice: is missing"],
      [{ customerExternalId: "bob" }, "customerId: bob is not in this store; import it first"],
      [{ customerExternalId: 7 }, "customerExternalId: must be text or null"]
    ]
    for (const [row, reason] of rows) {
      assert.deepStrictEqual(yield* bringRows("orders", [{ externalId: "1", ...row }]), {
        counts: [0, 0, 0, 1],
        refused: [["1", reason]]
      })
    }
    assert.deepStrictEqual(yield* documents("orders"), before)
  })
)
