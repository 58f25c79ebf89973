import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Client, dataOf, freshClient, pageOf } from "../../support/http/Api.ts"
import {
  applied,
  createProduct,
  createSet,
  JobsTest,
  outcomesOf,
  previewed,
  undone,
  valuesOf,
  waitForState
} from "../../support/http/ChangeSets.ts"

interface Listed {
  readonly id: string
  readonly variants: ReadonlyArray<string>
}

type Change = object | ((product: Listed) => object)

interface Case {
  readonly title: string
  /** Change of another, between the preview and the application. */
  readonly theirs: Change
  readonly outcome: "updated" | "refused" | "deleted"
}

/** Patch of one of two variants, which keeps the other one. */
const variant =
  (at: number, patch: object) =>
  ({ variants }: Listed) => ({
    variants: variants.map((id, index) => (index === at ? { id, ...patch } : { id }))
  })

const addVariant = ({ variants }: Listed) => ({ variants: [...variants.map((id) => ({ id })), { title: "L" }] })

/** Patches of one set, with what another changes meanwhile. */
const PATCHES: ReadonlyArray<Case & { readonly patch: Change }> = [
  { title: "price and stock", patch: { price: 12 }, theirs: { stock: 4 }, outcome: "updated" },
  { title: "price and price", patch: { price: 12 }, theirs: { price: 11 }, outcome: "refused" },
  {
    title: "price of a variant and its stock",
    patch: variant(0, { price: 7 }),
    theirs: variant(0, { stock: 2 }),
    outcome: "updated"
  },
  {
    title: "price of a variant and its price",
    patch: variant(0, { price: 7 }),
    theirs: variant(0, { price: 8 }),
    outcome: "refused"
  },
  {
    title: "price of a variant and that of another",
    patch: variant(0, { price: 7 }),
    theirs: variant(1, { price: 8 }),
    outcome: "updated"
  },
  { title: "price of a variant and a new one", patch: variant(0, { price: 7 }), theirs: addVariant, outcome: "refused" }
]

/** Changes of selections, with what another changes meanwhile. */
const SELECTED: ReadonlyArray<Case & { readonly change: object }> = [
  { title: "a percentage of the price", change: { price: { percent: 10 } }, theirs: { price: 11 }, outcome: "refused" },
  {
    title: "a discount from the price",
    change: { discountedPrice: { percent: -10 } },
    theirs: { price: 11 },
    outcome: "refused"
  },
  { title: "a set discount", change: { discountedPrice: { set: 9 } }, theirs: { price: 11 }, outcome: "updated" },
  { title: "added stock", change: { stock: { add: 1 } }, theirs: { stock: 4 }, outcome: "updated" },
  { title: "set stock", change: { stock: { set: 1 } }, theirs: { stock: 4 }, outcome: "refused" },
  { title: "tags", change: { tags: { add: ["sale"] } }, theirs: { tags: ["old"] }, outcome: "updated" },
  { title: "a deletion", change: { delete: true }, theirs: { stock: 4 }, outcome: "refused" }
]

/** Creates products with two variants. */
const makeProducts = Effect.fn(function* (client: Client, count: number) {
  const product = {
    name: "A",
    price: 10,
    stock: 5,
    tags: ["new"],
    variants: [{ title: "S", stock: 3 }, { title: "M" }]
  }
  const set = { mode: "each", operations: Array.from({ length: count }, () => ({ op: "product.create", product })) }
  yield* applied(client, (yield* previewed(client, set)).id)
  return pageOf(yield* client.get("/products")).items.map(({ id, variants }): Listed => ({
    id: String(id),
    variants: Array.isArray(variants) ? variants.map((one) => String(one.id)) : []
  }))
})

const of = (change: Change, product: Listed) => (typeof change === "function" ? change(product) : change)

/** Changes each product as another does. */
const changeMeanwhile = (client: Client, cases: ReadonlyArray<Case>, products: ReadonlyArray<Listed>) =>
  Effect.forEach(cases.entries(), ([at, { theirs }]) => {
    const product = products[at] ?? assert.fail("There are as many products")
    return client.patch(`/products/${product.id}`, of(theirs, product))
  })

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })(
  "Members with which change sets conflict",
  (it) => {
    it.effect(
      "the scheduled end of a sale is applied to products that sold a unit, not to those with another price",
      () =>
        Effect.gen(function* () {
          const { client, storeId } = yield* freshClient()
          const sql = yield* SqlClient.SqlClient
          const ids = yield* Effect.forEach("abcd", (name) =>
            Effect.map(createProduct(client, { name, price: 100, stock: 5, discountedPrice: 80 }), ({ id }) =>
              String(id)
            )
          )
          const [sold, priced, renamed] = ids
          const applyAt = "2999-01-01T00:00:00Z"
          const end = yield* previewed(client, {
            mode: "each",
            applyAt,
            where: { ids },
            change: { discountedPrice: { percent: 25 } }
          })
          assert.deepInclude(end.counts, { changed: 4 })
          yield* client.post(`/change-sets/${end.id}/apply`, {})
          yield* client.patch(`/products/${sold}/inventory`, { adjust: -1 })
          yield* client.patch(`/products/${priced}`, { discountedPrice: 70 })
          yield* client.patch(`/products/${renamed}`, { name: "Renamed", price: 120 })
          yield* sql`update jobs set next_at = now() where store_id = ${storeId} and subject_id = ${end.id}`
          yield* waitForState(end.id, "applied")
          assert.deepStrictEqual(yield* outcomesOf(client, end.id), ["updated", "refused", "updated", "updated"])
          assert.deepStrictEqual(yield* valuesOf(client, "discountedPrice", "stock"), [
            [100, 4],
            [70, 5],
            [100, 5],
            [100, 5]
          ])
        })
    )

    it.effect("a patch conflicts with changes of the members that it names, variants by their ids", () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const products = yield* makeProducts(client, PATCHES.length)
        const operations = products.flatMap((product, at) => {
          const patch = PATCHES[at]?.patch ?? assert.fail("There are as many patches")
          return { op: "product.update", id: product.id, patch: of(patch, product) }
        })
        const set = yield* previewed(client, { mode: "each", operations })
        yield* changeMeanwhile(client, PATCHES, products)
        yield* applied(client, set.id)
        assert.deepStrictEqual(
          (yield* outcomesOf(client, set.id)).map((outcome, at) => [PATCHES[at]?.title, outcome]),
          PATCHES.map(({ outcome, title }) => [title, outcome])
        )
        const firstVariant = Effect.map(valuesOf(client, "variants"), (values) => {
          const [variants] = values[2] ?? []
          return Array.isArray(variants) ? variants[0] : {}
        })
        assert.deepInclude(yield* firstVariant, { price: 7, stock: 2 })
        yield* undone(client, set.id)
        assert.deepStrictEqual(yield* firstVariant, { id: products[2]?.variants[0], title: "S", stock: 2 })
      })
    )

    it.effect("the change of a selection conflicts with changes of the members that it computes from", () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const products = yield* makeProducts(client, SELECTED.length)
        const sets = yield* Effect.forEach(SELECTED.entries(), ([at, { change }]) =>
          createSet(client, { mode: "each", where: { ids: [products[at]?.id] }, change })
        )
        yield* Effect.forEach(sets, ({ id }) => waitForState(id, "ready"))
        yield* changeMeanwhile(client, SELECTED, products)
        yield* Effect.forEach(sets, ({ id }) => client.post(`/change-sets/${id}/apply`, {}))
        yield* Effect.forEach(sets, ({ id }) => waitForState(id, "applied"))
        assert.deepStrictEqual(
          (yield* Effect.forEach(sets, ({ id }) => outcomesOf(client, id))).map(([outcome], at) => [
            SELECTED[at]?.title,
            outcome
          ]),
          SELECTED.map(({ outcome, title }) => [title, outcome])
        )
      })
    )

    it.effect("patches of a collection conflict by member, and its products are added whatever else has changed", () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const product = yield* createProduct(client, { name: "A" })
        const { id } = dataOf(yield* client.post("/collections", { title: "All" }))
        const operations = [
          { op: "collection.update", id, patch: { description: "New" } },
          { op: "collection.update", id, patch: { title: "Mine" } },
          { op: "collection.members", id, add: [product.id] }
        ]
        const set = yield* previewed(client, { mode: "each", operations })
        yield* client.patch(`/collections/${String(id)}`, { title: "Theirs" })
        yield* applied(client, set.id)
        assert.deepStrictEqual(yield* outcomesOf(client, set.id), ["updated", "refused", "updated"])
        const after = dataOf(yield* client.get(`/collections/${String(id)}`))
        assert.deepInclude(after, { title: "Theirs", description: "New", productIds: [product.id] })
      })
    )
  }
)
