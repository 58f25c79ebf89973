import { assert, describe, it } from "@effect/vitest"
import { newProduct, type Product, ProductId } from "../../src/domain/catalog/Product.ts"
import { uuidV7 } from "../../src/domain/Uuid.ts"
import { EventId, type Changed } from "../../src/rpc/Client.ts"
import { toggleSelection, matches, parseView } from "../../src/web/dashboard/products/list/listView.ts"
import { reconcile } from "../../src/web/dashboard/products/list/useProducts.ts"

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

const shown = (view: Parameters<typeof matches>[0]) => list.filter(matches(view)).map(({ stock }) => stock)

describe("Product list", () => {
  it("deleted rows are dropped, outdated rows are refetched, and new products are counted", () => {
    assert.isDefined(first && second && third && fourth)
    if (!first || !second || !third || !fourth) return
    const fresh = productOf(9)
    const latest = new Map([
      changeOf(first, "deleted", 1),
      changeOf(second, "updated", 2),
      changeOf(third, "updated", 1),
      changeOf(fresh, "created", 1)
    ])
    const whole = reconcile(list, latest, true)
    assert.deepStrictEqual([whole.rows, [...whole.outdated], whole.created], [[second, third, fourth], [second.id], 1])
    assert.strictEqual(reconcile(list, latest, false).created, 0)
    assert.strictEqual(reconcile(list, new Map(), true).rows, list)
  })

  it("filters match stock and status, and a selection extends over a range", () => {
    assert.deepStrictEqual(shown({ stock: "out" }), [0])
    assert.deepStrictEqual(shown({ stock: "low" }), [1, 5])
    assert.deepStrictEqual(shown({ stock: "in", status: "inactive" }), [])
    assert.deepStrictEqual(parseView({ status: "nonsense" }), {})
    assert.deepStrictEqual([...toggleSelection(new Set([3]), [0, 1, 2, 3], 2, 0, true)], [3, 0, 1, 2])
    assert.deepStrictEqual([...toggleSelection(new Set([0, 3]), [0, 1, 2, 3], 0, 3, false)], [0])
  })
})
