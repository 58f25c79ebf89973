import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { ApiTest, type Client, dataOf, errorOf, freshClient, pageOf } from "../../support/http/Api.ts"
import { validationErrors } from "../../support/http/OpenApi.ts"

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)
const Variant = Schema.StructWithRest(Schema.Struct({ id: Schema.String.check(Schema.isUUID()) }), [AnyObject])
const variantsOf = Schema.decodeUnknownSync(Schema.Array(Variant))

const create = (client: Client, body: unknown) => Effect.map(client.post("/products", body), dataOf)

const patch = Effect.fn(function* (client: Client, id: unknown, body: unknown) {
  const answer = yield* client.patch(`/products/${id}`, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return dataOf(answer)
})

/** Creates a product with three variants and returns it with their ids. */
const withVariants = Effect.fn(function* (client: Client) {
  const variants = [
    { title: "S", sku: "A-S", price: 1, stock: 10, options: { Size: "S" }, shelf: { row: 1 } },
    { title: "M", price: 2 },
    { title: "L", price: 3 }
  ]
  const product = yield* create(client, { name: "Shirt", variants })
  const returned = variantsOf(product["variants"])
  const [s, m, l] = returned.map(({ id }) => id)
  return { product, returned, s, m, l }
})

const STRICT = { headers: { prefer: "handling=strict" } }

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Product patches", (it) => {
  it.effect("a patch changes only the given fields, and null clears a field", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const before = yield* create(client, { name: "Cup", sku: "A", vendorName: "V", weight: 2, tags: ["a"] })
      const after = yield* patch(client, before["id"], { sku: null, weight: null, price: 7 })
      const expected = { ...before, sku: null, weight: null, price: 7, version: 2, updatedAt: after["updatedAt"] }
      assert.deepStrictEqual(after, expected)
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [after])
    })
  )

  it.effect("a patch replaces nested objects and lists instead of merging them", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const first = {
        dimensions: { length: 1, width: 2 },
        metafields: { a: { b: 1 }, c: 2 },
        customFields: [{ a: 1 }, { b: 2 }],
        tags: ["a", "b"],
        media: [{ url: "https://a.example/1", alt: "One" }],
        options: [{ name: "Size", values: ["S"] }],
        faqs: [{ question: "Q", answer: "A" }]
      }
      const second = {
        dimensions: { height: 3 },
        metafields: { a: { d: 4 } },
        customFields: [{ e: null }],
        tags: ["c"],
        media: [{ url: "https://a.example/1" }],
        options: [],
        faqs: []
      }
      const { id } = yield* create(client, { name: "Cup", ...first })
      assert.deepInclude(yield* patch(client, id, second), second)
    })
  )

  it.effect("a patch without a change returns the product at the same version", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { product } = yield* withVariants(client)
      const { id, variants } = product
      const full = yield* patch(client, id, {
        currencyCode: "USD",
        tags: ["Oak"],
        metafields: { a: 1, b: [{ c: 2 }] },
        dimensions: { width: 1, unit: "cm" }
      })
      const unchanged = [
        "{}",
        { name: "Shirt" },
        { name: "  Shirt " },
        { price: 0, sku: null },
        { currencyCode: "usd" },
        { tags: [" Oak", "OAK "] },
        '{"metafields":{"b":[{"c":2}],"a":1}}',
        { dimensions: { unit: "cm", width: 1 } },
        { variants },
        { variants: variantsOf(variants).map(({ id }) => ({ id })) },
        { unknown: 1, id: "x", version: 9, createdAt: null, updatedAt: 0 },
        full
      ]
      for (const body of unchanged) {
        const answer = yield* client.patch(`/products/${id}`, body)
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(dataOf(answer), full, JSON.stringify(body))
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [full])
    })
  )

  it.effect("a variant with a known id keeps its omitted fields", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { l, m, product, returned, s } = yield* withVariants(client)
      const after = yield* patch(client, product["id"], {
        variants: [{ id: s, price: 9, shelf: { row: 2 } }, { id: m, stock: 0 }, { id: String(l).toUpperCase() }]
      })
      assert.deepStrictEqual(after["variants"], [
        { ...returned[0], price: 9, shelf: { row: 2 } },
        { ...returned[1], stock: 0 },
        returned[2]
      ])
      assert.strictEqual(after["version"], 2)
    })
  )

  it.effect("a patch removes omitted variants and sets the order of the others", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { l, product, returned, s } = yield* withVariants(client)
      const after = yield* patch(client, product["id"], { variants: [{ id: l }, { id: s }] })
      assert.deepStrictEqual(after["variants"], [returned[2], returned[0]])
      assert.deepStrictEqual((yield* patch(client, product["id"], { variants: [] }))["variants"], [])
    })
  )

  it.effect("a variant without an id, or with an unknown id, is created with a new id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { product, returned, s } = yield* withVariants(client)
      const other = yield* withVariants(client)
      const unknownIds = ["01890a5d-ac96-774b-bcce-b302099a8057", other.s, "x", 5, null, {}, ["a"]]
      const sent = [{ title: "XL" }, { id: s }, ...unknownIds.map((id) => ({ id, title: "New" }))]
      const after = variantsOf((yield* patch(client, product["id"], { variants: sent }))["variants"])
      assert.deepStrictEqual(after[1], returned[0])
      const rest = [after[0], ...after.slice(2)]
      assert.deepStrictEqual(
        rest.map((variant) => variant?.["title"]),
        ["XL", ...unknownIds.map(() => "New")]
      )
      for (const variant of rest) assert.deepStrictEqual(Object.keys(variant ?? {}).toSorted(), ["id", "title"])
      const ids = after.map(({ id }) => id)
      assert.strictEqual(
        new Set([...ids, ...unknownIds, ...returned.map(({ id }) => id)]).size,
        ids.length + unknownIds.length + 2
      )
    })
  )

  it.effect("an id repeated in a patch keeps one variant and creates another", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { product, returned, s } = yield* withVariants(client)
      const after = yield* patch(client, product["id"], { variants: [{ id: s }, { id: s, title: "Copy" }] })
      const [first, second] = variantsOf(after["variants"])
      assert.deepStrictEqual(first, returned[0])
      assert.strictEqual(second?.["title"], "Copy")
      assert.notStrictEqual(second?.id, s)
    })
  )

  it.effect("a variant id of any type is accepted, and an unknown one creates a variant", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { product, s } = yield* withVariants(client)
      const foreign = [44_112_233, "gid://shop/Variant/1", "", null, true, { gid: 1 }, [1], randomUUID()]
      const variants = foreign.map((id) => ({ id, title: "Imported" }))
      assert.deepStrictEqual(validationErrors("#/components/schemas/UpdateProduct", { variants }), [])
      assert.deepStrictEqual(validationErrors("#/components/schemas/CreateProduct", { name: "Copy", variants }), [])
      for (const returned of [
        yield* create(client, { name: "Copy", variants }),
        yield* patch(client, product["id"], { variants: [{ id: s }, ...variants] })
      ]) {
        assert.deepStrictEqual(validationErrors("#/components/schemas/Product", returned), [])
        const added = variantsOf(returned["variants"]).filter(({ id }) => id !== s)
        assert.strictEqual(new Set(added.map(({ id }) => id)).size, foreign.length)
        for (const variant of added) {
          assert.deepStrictEqual(variant, { id: variant.id, title: "Imported" })
          assert.notInclude(foreign, variant.id)
        }
      }
      // In a response, each variant must have a UUID as id.
      for (const variant of [{}, { id: 7 }, { id: null }]) {
        const answer = { ...product, variants: [variant] }
        assert.isNotEmpty(validationErrors("#/components/schemas/Product", answer), JSON.stringify(variant))
      }
    })
  )

  it.effect("onSale is derived on create and changes only explicitly afterwards", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const onSale = (body: object) => Effect.map(create(client, { name: "Cup", ...body }), ({ onSale }) => onSale)
      assert.isTrue(yield* onSale({ price: 10, discountedPrice: 9.99 }))
      assert.isTrue(yield* onSale({ price: 10, discountedPrice: 0 }))
      assert.isFalse(yield* onSale({ price: 10, discountedPrice: 10 }))
      assert.isFalse(yield* onSale({ price: 10, discountedPrice: 11 }))
      assert.isFalse(yield* onSale({ price: 10, discountedPrice: null }))
      assert.isFalse(yield* onSale({ price: 10 }))
      assert.isFalse(yield* onSale({ discountedPrice: 0 }))
      assert.isFalse(yield* onSale({ price: 10, discountedPrice: 9, onSale: false }))
      assert.isTrue(yield* onSale({ price: 10, onSale: true }))

      const { id } = yield* create(client, { name: "Cup", price: 10 })
      assert.isFalse((yield* patch(client, id, { discountedPrice: 5 }))["onSale"])
      assert.isTrue((yield* patch(client, id, { onSale: true }))["onSale"])
      assert.isTrue((yield* patch(client, id, { discountedPrice: null }))["onSale"])
    })
  )

  it.effect("a changed name does not change the slug", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const { id } = yield* create(client, { name: "Cup" })
      assert.strictEqual((yield* patch(client, id, { name: "Mug" }))["slug"], "cup")
      assert.strictEqual((yield* patch(client, id, { slug: "mug" }))["slug"], "mug")
    })
  )

  it.effect("unknown and read-only fields are ignored, so that a client can send a response back", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const extra = { id: "mine", version: 7, createdAt: "then", updatedAt: null, colour: "red", productCount: 3 }
      const created = yield* create(client, { name: "Cup", ...extra })
      assert.deepInclude(created, { name: "Cup", version: 1 })
      for (const key of ["colour", "productCount"]) assert.notProperty(created, key)
      for (const key of ["id", "createdAt", "updatedAt"]) assert.notStrictEqual(created[key], Reflect.get(extra, key))
      const changed = yield* patch(client, created["id"], { ...created, price: 4 })
      assert.deepStrictEqual(changed, { ...created, price: 4, version: 2, updatedAt: changed["updatedAt"] })
    })
  )

  it.effect("Prefer: handling=strict rejects unknown and read-only fields with 400 and one issue each", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = yield* create(client, { name: "Cup" })
      const extra = { id: product["id"], version: 1, createdAt: "", updatedAt: "", colour: "red" }
      for (const answer of [
        yield* client.post("/products", { name: "Mug", ...extra }, STRICT),
        yield* client.patch(`/products/${product["id"]}`, { name: "Mug", ...extra }, STRICT)
      ]) {
        assert.strictEqual(answer.status, 400)
        const lines = errorOf(answer).issues ?? []
        assert.deepStrictEqual(lines.map((line) => line.split(":")[0]).toSorted(), Object.keys(extra).toSorted())
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [product])
    })
  )

  it.effect(
    "handling=strict is recognized in every notation of RFC 7240 and allows known fields and open objects",
    () =>
      Effect.gen(function* () {
        const { client } = yield* freshClient()
        const send = (prefer: string, body: object) =>
          Effect.map(
            client.post("/products", { name: "Cup", ...body }, { headers: { prefer } }),
            ({ status }) => status
          )
        for (const prefer of ["handling=strict", 'handling="strict"', "respond-async, HANDLING=strict; wait=5"]) {
          assert.strictEqual(yield* send(prefer, { colour: "red" }), 400, prefer)
          assert.strictEqual(
            yield* send(prefer, { price: 1, dimensions: { depth: 1 }, variants: [{ x: 1 }] }),
            201,
            prefer
          )
        }
        for (const prefer of ["handling=lenient", "return=minimal", "strict", "x-handling=strict"]) {
          assert.strictEqual(yield* send(prefer, { colour: "red" }), 201, prefer)
        }
      })
  )
})
