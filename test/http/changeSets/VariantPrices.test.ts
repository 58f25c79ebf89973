import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Client, freshClient, pageOf } from "../../support/http/Api.ts"
import { applied, JobsTest, previewed, resultsOf, undone } from "../../support/http/ChangeSets.ts"

const ALL = { rules: [] }

/** Applies a change to all products. */
const change = Effect.fn(function* (client: Client, change: object) {
  const { id } = yield* previewed(client, { mode: "each", where: ALL, change })
  return yield* applied(client, id)
})

const listOf = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))

layer(JobsTest, { excludeTestServices: true, timeout: "120 seconds" })("Prices of variants of a selection", (it) => {
  it.effect("prices of variants change with those of their product, unless `variants` is false", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      for (const product of [
        {
          name: "A",
          price: 10,
          variants: [
            { title: "S", price: 10, stock: 3 },
            { title: "M" },
            { title: "L", price: 20, discountedPrice: 15 }
          ]
        },
        { name: "B", price: 10, variants: [{ title: "Mini", price: 1 }] }
      ]) {
        yield* client.post("/products", product)
      }
      /** Amounts of the product and of its variants. */
      const amounts = (member: string) =>
        Effect.map(client.get("/products?limit=200"), (answer) =>
          pageOf(answer).items.map((product) => [
            product[member],
            ...listOf(product["variants"]).map((variant) => variant[member])
          ])
        )
      const ready = yield* previewed(client, { mode: "each", where: ALL, change: { price: { percent: -5 } } })
      assert.deepInclude(ready.preview, { lowestPrice: 0.95, highestPrice: 19 })
      yield* applied(client, ready.id)
      const cheaper = [
        [9.5, 9.5, undefined, 19],
        [9.5, 0.95]
      ]
      assert.deepStrictEqual(yield* amounts("price"), cheaper)
      yield* change(client, { price: { set: 4, variants: false } })
      assert.deepStrictEqual(yield* amounts("price"), [
        [4, 9.5, undefined, 19],
        [4, 0.95]
      ])
      const refusing = yield* change(client, { price: { add: -2 } })
      assert.deepInclude(refusing.counts, { changed: 1, refused: 1 })
      const [, refused] = yield* resultsOf(client, refusing.id)
      assert.match(refused?.error ?? "", /^The price of the variant "Mini" is 0.95; after the change it must be from 0/)
      assert.deepStrictEqual(yield* amounts("price"), [
        [2, 7.5, undefined, 17],
        [4, 0.95]
      ])
      yield* undone(client, refusing.id)
      yield* change(client, { discountedPrice: { percent: -50 } })
      assert.deepStrictEqual(yield* amounts("discountedPrice"), [
        [2, 4.75, undefined, 7.5],
        [2, 0.48]
      ])
      yield* change(client, { discountedPrice: { set: null, variants: false } })
      assert.deepStrictEqual((yield* amounts("discountedPrice"))[1], [null, 0.48])
      yield* change(client, { discountedPrice: { set: null } })
      assert.deepStrictEqual(yield* amounts("discountedPrice"), [
        [null, undefined, undefined, undefined],
        [null, undefined]
      ])
      yield* change(client, { stock: { add: 2 } })
      yield* change(client, { stock: { add: 5, variants: true } })
      assert.deepStrictEqual(yield* amounts("stock"), [
        [2, 8, 5, 5],
        [2, 5]
      ])
    })
  )
})
