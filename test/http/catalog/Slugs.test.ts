import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { ApiTest, type Client, dataOf, errorOf, freshClient, install, pageOf } from "../../support/http/Api.ts"

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const slugOf = (client: Client, body: unknown) =>
  Effect.map(client.post("/products", body), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return dataOf(answer)["slug"]
  })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Product slugs", (it) => {
  it.effect.each([
    ["Café Crème", "cafe-creme"],
    ["Größe & Maß", "grosse-mass"],
    ["Привет, мир", "privet-mir"],
    ["北京 茶", "bei-jing-cha"],
    ["Ελληνικά", "ellinika"],
    ["Ærøskøbing", "aeroskobing"],
    ["  --A__b..C!  ", "a-b-c"],
    ["100% Łódź", "100-lodz"],
    ["Null", "null"]
  ] as const)("the slug of %s is its transliteration", ([name, slug]) =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual(yield* slugOf(client, { name }), slug)
    })
  )

  it.effect("a name without usable characters gets the slug `product-` plus part of the id", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const slugs = []
      for (const name of ["🎉🎉", "!!!", "🎉🎉"]) {
        const { id, slug } = dataOf(yield* client.post("/products", { name }))
        const [, idPart = "none"] = /^product-([0-9a-f]{4,})$/.exec(String(slug)) ?? []
        assert.include(String(id), idPart)
        slugs.push(slug)
      }
      assert.strictEqual(new Set(slugs).size, 3)
    })
  )

  it.effect("duplicate slugs get -2, -3, …, and the number of a deleted product is not generated again", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const slugs = []
      for (let n = 0; n < 12; n++) slugs.push(yield* slugOf(client, { name: n % 2 === 0 ? "Cup" : "  CÚP " }))
      assert.deepStrictEqual(slugs, ["cup", ...Array.from({ length: 11 }, (_, n) => `cup-${n + 2}`)])
      const third = pageOf(yield* client.get("/products")).items[2]
      yield* client.delete(`/products/${third?.["id"]}`)
      assert.strictEqual(yield* slugOf(client, { name: "Cup" }), "cup-13")
      assert.strictEqual(yield* slugOf(client, { name: "Other", slug: "cup-3" }), "cup-3")
    })
  )

  it.effect("a generated slug skips numbers that explicit slugs use", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      assert.strictEqual(yield* slugOf(client, { name: "Any", slug: "cup-2" }), "cup-2")
      assert.strictEqual(yield* slugOf(client, { name: "Cup" }), "cup")
      assert.strictEqual(yield* slugOf(client, { name: "Cup" }), "cup-3")
      assert.strictEqual(yield* slugOf(client, { name: "Cup 2" }), "cup-2-2")
    })
  )

  it.effect("slugs of the longest names leave space for a number within 255 characters", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      // Transliteration makes these 255 characters four times as long.
      for (const name of ["x".repeat(255), "щ".repeat(255), "x".repeat(239) + " y"]) {
        const [one, two] = [yield* slugOf(client, { name }), yield* slugOf(client, { name })].map(String)
        for (const slug of [one, two]) assert.match(slug ?? "", SLUG)
        assert.strictEqual(two, `${one}-2`)
        assert.isAtMost(two?.length ?? 999, 255)
      }
    })
  )

  it.effect("an explicit slug of another product is rejected with 422 on create and update", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const cup = dataOf(yield* client.post("/products", { name: "Cup" }))
      const mug = dataOf(yield* client.post("/products", { name: "Mug" }))
      for (const answer of [
        yield* client.post("/products", { name: "Other", slug: "cup" }),
        yield* client.patch(`/products/${mug["id"]}`, { slug: "cup", price: 5 })
      ]) {
        assert.strictEqual(answer.status, 422)
        assert.match(errorOf(answer).issues?.join("\n") ?? "", /^slug: .*cup/)
      }
      assert.deepStrictEqual(pageOf(yield* client.get("/products")).items, [cup, mug])
      const sameSlug = yield* client.patch(`/products/${mug["id"]}`, { slug: "mug", price: 5 })
      assert.deepInclude(dataOf(sameSlug), { slug: "mug", price: 5 })
    })
  )

  it.effect("slugs are unique per store and resource type", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      assert.strictEqual(yield* slugOf(client, { name: "Cup" }), "cup")
      assert.strictEqual(yield* slugOf(other.client, { name: "Cup" }), "cup")
      assert.strictEqual(dataOf(yield* client.post("/collections", { title: "Cup" }))["slug"], "cup")
    })
  )

  it.effect("every name produces a valid, unique slug", () =>
    Effect.gen(function* () {
      const { storeId } = yield* freshClient()
      const seen = new Set<unknown>()
      const name = FastCheck.string({ unit: "binary", minLength: 1, maxLength: 255 }).filter(
        (text) =>
          /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(text) && !text.includes("\u0000") && text.isWellFormed()
      )
      const names = FastCheck.sample(name, 300)
      for (let start = 0; start < names.length; start += 75) {
        const { client } = yield* install(storeId)
        for (const name of names.slice(start, start + 75)) {
          const slug = String(yield* slugOf(client, { name }))
          assert.match(slug, SLUG)
          assert.isAtMost(slug.length, 255)
          assert.isFalse(seen.has(slug))
          seen.add(slug)
        }
      }
    })
  )
})
