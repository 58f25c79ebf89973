import { assert, describe, it } from "@effect/vitest"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { EventId, type Changed } from "../../src/rpc/Client.ts"
import {
  parseView,
  presetOf,
  STATUSES,
  STOCKS,
  toggleSelection,
  withPreset,
  withView
} from "../../src/web/features/products/list/listView.ts"
import { reconcile } from "../../src/web/features/products/list/useProducts.ts"

const productOf = (millis: number, version = 1): Product => ({
  ...newProduct(
    { name: `Product ${millis}`, stock: millis },
    { id: ProductId.make(uuidV7(millis)), slug: "", at: new Date(millis), currencyCode: "EUR" }
  ),
  version
})

const changeOf = ({ id }: Product, kind: Changed["kind"], version: number): readonly [string, Changed] => [
  id,
  {
    _tag: "Changed",
    id: EventId.make(uuidV7(1)),
    kind,
    occurredAt: "2026-01-31T09:30:00.000Z",
    actor: { type: "merchant", id: uuidV7(1) },
    surface: "rpc",
    resource: "product",
    resourceId: id,
    version,
    members: []
  }
]

const list = [0, 1, 5, 6].map((millis) => productOf(millis))
const [first, second, third, fourth] = list

describe("Product list", () => {
  it("deleted rows are dropped, and outdated rows are refetched", () => {
    assert.isDefined(first && second && third && fourth)
    if (!first || !second || !third || !fourth) return
    const latest = new Map([
      changeOf(first, "deleted", 1),
      changeOf(second, "updated", 2),
      changeOf(third, "updated", 1)
    ])
    const { outdated, rows } = reconcile(list, latest)
    assert.deepStrictEqual([rows, [...outdated]], [[second, third, fourth], [second.id]])
    assert.strictEqual(reconcile(list, new Map()).rows, list)
  })

  it("quick filters are rules that replace those of their field and keep the others", () => {
    const oak = { field: "tags", relation: "equals", value: "oak" }
    const low = withPreset(STOCKS, { rules: [oak] }, "low")
    assert.deepStrictEqual(low, { rules: [oak, ...STOCKS.low] })
    assert.strictEqual(presetOf(STOCKS, low), "low")
    assert.deepStrictEqual(withPreset(STOCKS, low, "out"), { rules: [oak, ...STOCKS.out] })
    assert.deepStrictEqual(withPreset(STOCKS, low, ""), { rules: [oak] })
    const other = { rules: [{ field: "isActive", relation: "not_equals", value: true }] }
    assert.deepStrictEqual([presetOf(STATUSES, other), presetOf(STOCKS, other)], ["custom", ""])
  })

  it("the URL keeps a view without its defaults, and an invalid one is ignored", () => {
    const view = parseView({ search: " oak ", sort: "-price", rules: STATUSES.active, page: 2 })
    assert.deepStrictEqual(view, { search: "oak", sort: "-price", rules: [...STATUSES.active] })
    assert.deepStrictEqual(withView(view, { search: "", rules: [], sort: "-createdAt" }), {})
    assert.deepStrictEqual(parseView({ rules: [{ field: "color", relation: "equals", value: "red" }] }), {})
  })

  it("a selection extends over a range", () => {
    assert.deepStrictEqual([...toggleSelection(new Set([3]), [0, 1, 2, 3], 2, 0, true)], [3, 0, 1, 2])
    assert.deepStrictEqual([...toggleSelection(new Set([0, 3]), [0, 1, 2, 3], 0, 3, false)], [0])
  })
})
