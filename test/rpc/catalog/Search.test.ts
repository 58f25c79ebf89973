import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateProduct, UpdateProduct } from "../../../src/domain/catalog/Product.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { SearchResult, SearchCursor } from "../../../src/domain/catalog/Search.ts"
import { performed } from "../../../src/rpc/Client.ts"
import { ApiTest, install } from "../../support/http/Api.ts"
import { callLine, errorOf, freshMember, newKey, post } from "../../support/rpc/Rpc.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)
const toPatch = Schema.decodeUnknownSync(UpdateProduct)

const keyedIn = (storeId: StoreId) => ({ storeId, idempotencyKey: newKey() })

type Member = Effect.Success<ReturnType<typeof freshMember>>

const createProduct = ({ client, storeId }: Member, product: object) =>
  client.products.create({ ...keyedIn(storeId), product: toProduct(product) }).pipe(performed)

/** The names of the found products, with the kind of their match. */
const search = ({ client, storeId }: Member, query: string) =>
  Effect.map(client.products.search({ storeId, query }), ({ items }) => items.map(({ found, name }) => [name, found]))

const DESK = {
  name: "Walnut desk",
  sku: "DESK-WAL-160",
  barcode: "4006381333931",
  vendorName: "Northern Joinery",
  category: "Furniture",
  tags: ["Office", "solid wood"]
}

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Product search", (it) => {
  it.effect("compatibility characters are found by their plain forms and by themselves", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const names = {
        "Heater 3㎾": ["3kw", "3KW", "3㎾"],
        "Zqkleen™": ["zqkleentm", "Zqkleen™"],
        "𝐙𝐪𝐛𝐨𝐥𝐝": ["zqbold", "𝐙𝐪𝐛𝐨𝐥𝐝"]
      }
      for (const name of Object.keys(names)) yield* createProduct(member, { name })
      yield* createProduct(member, { name: "Vendor", vendorName: "Ａcme", sku: "𝐀-𝟏" })
      for (const [name, queries] of Object.entries(names)) {
        for (const query of queries) assert.deepStrictEqual(yield* search(member, query), [[name, "words"]], query)
      }
      assert.deepStrictEqual(yield* search(member, "acme"), [["Vendor", "words"]])
      for (const query of ["a-1", "𝐀-𝟏"]) assert.deepStrictEqual(yield* search(member, query), [["Vendor", "code"]])
    })
  )

  it.effect("search matches words, word prefixes and codes, in any case", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      yield* createProduct(member, DESK)
      yield* createProduct(member, { name: "Lamp" })
      for (const query of [
        "walnut",
        "WAL",
        "d",
        "desk walnut",
        " northern ",
        "joi",
        "furniture",
        "office",
        "wood",
        "solid wal nor off",
        "“Walnut”, desk!"
      ]) {
        assert.deepStrictEqual(yield* search(member, query), [["Walnut desk", "words"]], query)
      }
      for (const code of ["desk-wal-160", " DESK-WAL-160 ", "4006381333931"]) {
        assert.deepStrictEqual(yield* search(member, code), [["Walnut desk", "code"]], code)
      }
      for (const code of ["desk-wal", "4006381"]) {
        assert.deepStrictEqual(yield* search(member, code), [["Walnut desk", "code_beginning"]], code)
      }
      for (const query of ["alnut", "walnut lamp", "esk", "160", "!!", "xyz"]) {
        assert.deepStrictEqual(yield* search(member, query), [], query)
      }
    })
  )

  it.effect("search accepts one typo in a word of at least four letters if no word has that prefix", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      yield* createProduct(member, DESK)
      for (const query of [
        "wlanut",
        "awlnut",
        "walnat",
        "wallnut",
        "wanut",
        "wlnut",
        "walnur",
        "furnitrue",
        "offcie",
        "walnat desk"
      ]) {
        assert.deepStrictEqual(yield* search(member, query), [["Walnut desk", "similar"]], query)
      }
      for (const query of ["xalnut", "wlanat", "dsk", "4006381333932", "walnat lamp"]) {
        assert.deepStrictEqual(yield* search(member, query), [], query)
      }
    })
  )

  it.effect("search returns exact codes, words, code prefixes and similar words, in this order and in pages", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = member
      const names = ["Oaks table", "Oask stool", "Begins", "Oaks desk", "Code", "Oaks lamp"]
      const skus: Readonly<Record<string, string>> = { Code: "OAKS", Begins: "OAKS-1", "Oaks lamp": "oaks-2" }
      for (const name of names) yield* createProduct(member, { name, sku: skus[name] ?? null })
      const expected = [
        ["Code", "code"],
        ["Oaks table", "words"],
        ["Oaks desk", "words"],
        ["Oaks lamp", "words"],
        ["Begins", "code_beginning"],
        ["Oask stool", "similar"]
      ]
      assert.deepStrictEqual(yield* search(member, "oaks"), expected)
      for (const limit of [1, 2, 3, 5]) {
        const results: Array<ReadonlyArray<string>> = []
        let cursor: SearchCursor | null = null
        do {
          const request = { storeId, query: "oaks", limit, ...(cursor === null ? {} : { cursor }) }
          const page: { items: ReadonlyArray<typeof SearchResult.Type>; nextCursor: SearchCursor | null } =
            yield* client.products.search(request)
          results.push(...page.items.map(({ found, name }) => [name, found]))
          cursor = page.nextCursor
        } while (cursor !== null)
        assert.deepStrictEqual(results, expected)
      }
    })
  )

  it.effect("search reflects creates, updates and deletes at once", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { client, storeId } = member
      const app = yield* install(storeId)
      const { id } = yield* createProduct(member, DESK)
      assert.lengthOf(yield* search(member, "walnut"), 1)
      const patch = toPatch({ name: "Oak bench", sku: "BENCH", tags: ["garden"] })
      yield* client.products.update({ ...keyedIn(storeId), id, patch }).pipe(performed)
      for (const query of ["oak", "bench", "garden", "northern"])
        assert.lengthOf(yield* search(member, query), 1, query)
      for (const query of ["walnut", "desk-wal-160", "office"]) assert.lengthOf(yield* search(member, query), 0, query)
      yield* app.client.patch(`/products/${id}`, { vendorName: "Southern" })
      assert.lengthOf(yield* search(member, "southern"), 1)
      assert.lengthOf(yield* search(member, "northern"), 0)
      yield* client.products.update({ ...keyedIn(storeId), id, patch: toPatch({ price: 3 }) }).pipe(performed)
      assert.lengthOf(yield* search(member, "southern"), 1)
      yield* client.products.delete({ ...keyedIn(storeId), id })
      assert.lengthOf(yield* search(member, "southern"), 0)
    })
  )

  it.effect("search returns summaries with exact prices, and only products of the store", () =>
    Effect.gen(function* () {
      const [member, stranger] = [yield* freshMember(), yield* freshMember()]
      const { cookie, storeId } = member
      const created = yield* createProduct(member, { ...DESK, price: 12.5, description: "Long ".repeat(1000) })
      yield* createProduct(stranger, { ...DESK, name: "Walnut of a stranger" })
      const { text } = yield* post(callLine("products.search", { storeId, query: "walnut" }), { cookie })
      const { currencyCode, id, imageUrl, isActive, name, price, sku, slug, stock } = created
      const expected = { id, name, slug, sku, price, currencyCode, stock, isActive, imageUrl, found: "words" }
      assert.include(text, `{"items":[${JSON.stringify(expected)}],"nextCursor":null}`)
    })
  )

  it.effect("search ignores accents and hyphens and supports every script", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      for (const name of ["Café Übermaß", "ΟΔΟΣ", "日本茶", "T-shirt"]) yield* createProduct(member, { name })
      const queries = [
        ["cafe", "Café Übermaß"],
        ["CAFÉ ubermass", undefined],
        ["übermaß", "Café Übermaß"],
        ["οδος", "ΟΔΟΣ"],
        ["日本", "日本茶"],
        ["shirt", "T-shirt"],
        ["t-shirt", "T-shirt"],
        ["tshirt", "T-shirt"]
      ] as const
      for (const [query, name] of queries) {
        assert.deepStrictEqual(
          (yield* search(member, query)).map(([name]) => name),
          name === undefined ? [] : [name],
          query
        )
      }
    })
  )

  it.effect("search reports every invalid or unknown field", () =>
    Effect.gen(function* () {
      const { cookie, storeId } = yield* freshMember()
      const payload = { storeId, query: " ", limit: 51, cursor: "words.1", name: "x" }
      const error = errorOf((yield* post(callLine("products.search", payload), { cookie })).text)
      assert.deepStrictEqual(error?.["issues"], [
        "name: is not a field that can be set",
        "query: must be text of 1 to 255 characters",
        "cursor: must be the `nextCursor` of a page",
        "limit: must be an integer from 1 to 50"
      ])
    })
  )
})
