import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, dataOf, errorOf, freshClient } from "../../support/http/Api.ts"

const UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057"
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Each emoji counts as one character, although JavaScript counts two code units. */
const emoji = (count: number) => "😀".repeat(count)
const url = (length: number) => `https://example.com/${"a".repeat(length - "https://example.com/".length)}`

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Collections", (it) => {
  it.effect("a collection created with only a title has the default of every other field", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const created = yield* client.post("/collections", { title: " Oak Desks " })
      assert.strictEqual(created.status, 201)
      assert.match(created.headers.get("etag") ?? "", /^"1\.[0-9a-f]{16}"$/)
      const { createdAt, id, ...rest } = dataOf(created)
      assert.match(String(id), UUID_V7)
      assert.match(String(createdAt), TIME)
      assert.deepStrictEqual(rest, {
        version: 1,
        title: "Oak Desks",
        type: "manual",
        description: null,
        imageUrl: null,
        isActive: true,
        slug: "oak-desks",
        seoTitle: null,
        metaDescription: null,
        disjunctive: false,
        rules: [],
        productIds: [],
        productCount: 0,
        updatedAt: createdAt
      })
      const read = yield* client.get(`/collections/${id}`)
      assert.strictEqual(read.status, 200)
      assert.strictEqual(read.text, created.text)
      assert.strictEqual(read.headers.get("etag"), created.headers.get("etag"))
      const list = yield* client.get("/collections")
      assert.strictEqual(list.status, 200)
      assert.deepStrictEqual(list.json, { collections: [dataOf(created)], nextCursor: null })
    })
  )

  it.effect("every field accepts values up to its bounds and returns them as sent", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const largest = {
        title: emoji(255),
        description: `<b>${emoji(65_528)}</b>`,
        imageUrl: url(2048),
        isActive: false,
        slug: "a".repeat(255),
        seoTitle: emoji(255),
        metaDescription: emoji(1000),
        type: "automated",
        disjunctive: true,
        rules: Array.from({ length: 60 }, (_, index) => ({ field: "title", relation: "equals", value: `t${index}` }))
      }
      const smallest = {
        title: "x",
        description: "",
        imageUrl: "http://a",
        isActive: true,
        slug: "0",
        seoTitle: "",
        metaDescription: "",
        type: "manual",
        disjunctive: false,
        rules: []
      }
      const created = yield* client.post("/collections", largest)
      assert.strictEqual(created.status, 201)
      assert.deepInclude(dataOf(created), largest)
      const patched = yield* client.patch(`/collections/${dataOf(created)["id"]}`, smallest)
      assert.strictEqual(patched.status, 200)
      assert.deepInclude(dataOf(patched), smallest)
      assert.deepStrictEqual(dataOf(yield* client.get(`/collections/${dataOf(created)["id"]}`)), dataOf(patched))
    })
  )

  it.effect("create and update reject each invalid field with 400 and one issue", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const id = dataOf(yield* client.post("/collections", { title: "Desks" }))["id"]
      const reasons = {
        title: "must be text of 1 to 255 characters",
        description: "must be text of at most 65,535 characters",
        imageUrl: "must be an absolute http or https URL of at most 2,048 characters, without spaces or backslashes",
        isActive: "must be true or false",
        slug: "must be 1 to 255 of a-z, 0-9 and single hyphens between them",
        seoTitle: "must be text of at most 255 characters",
        metaDescription: "must be text of at most 1,000 characters",
        type: "must be manual or automated",
        disjunctive: "must be true or false",
        rules: "must be a list",
        productIds: "must be a list of product ids"
      }
      const issues = Object.entries(reasons).map(([field, reason]) => `${field}: ${reason}`)
      const numbers = Object.fromEntries(Object.keys(reasons).map((field) => [field, 1]))
      const tooLong = {
        ...numbers,
        title: emoji(256),
        description: emoji(65_536),
        imageUrl: url(2049),
        slug: "a".repeat(256),
        seoTitle: emoji(256),
        metaDescription: emoji(1001)
      }
      for (const body of [numbers, tooLong]) {
        for (const refused of [
          yield* client.post("/collections", body),
          yield* client.patch(`/collections/${id}`, body)
        ]) {
          assert.strictEqual(refused.status, 400)
          assert.sameMembers([...(errorOf(refused).issues ?? [])], issues)
        }
      }
      for (const [field, values] of [
        ["title", ["", " \t "]],
        ["slug", ["", "Oak", "oak--desk", "-oak", "oak-", "oak desk", "öl", "a_b"]],
        [
          "imageUrl",
          ["", "oak.jpg", "//example.com/a.jpg", "ftp://example.com/a.jpg", "javascript:alert(1)", "http://"]
        ],
        ["type", ["", "Manual", "smart", true]],
        ["isActive", ["true", 0]],
        ["disjunctive", ["false", 1]]
      ] as const) {
        for (const value of values) {
          const refused = yield* client.patch(`/collections/${id}`, { [field]: value })
          assert.strictEqual(refused.status, 400, `${field} ${value}`)
          assert.deepStrictEqual(errorOf(refused).issues, [`${field}: ${reasons[field]}`])
        }
      }
      const missing = yield* client.post("/collections", { description: "No title" })
      assert.strictEqual(missing.status, 400)
      assert.deepStrictEqual(errorOf(missing).issues, ["title: is missing"])
    })
  )

  it.effect("null clears a nullable field and is rejected with 400 for other fields", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const texts = { description: "d", imageUrl: "https://example.com/a.jpg", seoTitle: "s", metaDescription: "m" }
      const nulls = { description: null, imageUrl: null, seoTitle: null, metaDescription: null }
      const created = dataOf(yield* client.post("/collections", { title: "Desks", ...texts }))
      const cleared = yield* client.patch(`/collections/${created["id"]}`, nulls)
      assert.strictEqual(cleared.status, 200)
      assert.deepInclude(dataOf(cleared), nulls)
      assert.deepInclude(dataOf(yield* client.post("/collections", { title: "Desks", ...nulls })), nulls)
      for (const field of ["title", "type", "isActive", "slug", "disjunctive", "rules", "productIds"]) {
        const refused = yield* client.patch(`/collections/${created["id"]}`, { [field]: null })
        assert.strictEqual(refused.status, 400, field)
        assert.match(errorOf(refused).issues?.[0] ?? "", new RegExp(`^${field}: must be `))
      }
    })
  )

  it.effect("the slug is derived from the title and unique among the collections of the store", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const other = yield* freshClient()
      const slug = (title: string, body = {}) =>
        Effect.map(client.post("/collections", { title, ...body }), (created) => dataOf(created)["slug"])
      yield* client.post("/products", { name: "Crème brûlée" })
      assert.strictEqual(yield* slug("Crème Brûlée"), "creme-brulee")
      assert.strictEqual(yield* slug("creme brulee"), "creme-brulee-2")
      assert.strictEqual(yield* slug("CRÈME BRÛLÉE!"), "creme-brulee-3")
      assert.strictEqual(yield* slug("x", { slug: "creme-brulee-4" }), "creme-brulee-4")
      assert.strictEqual(yield* slug("Crème Brûlée"), "creme-brulee-5")
      assert.match(String(yield* slug("!!!")), /^collection-[0-9a-f]+$/)
      assert.match(String(yield* slug("!!!")), /^collection-[0-9a-f]+$/)
      assert.strictEqual(
        dataOf(yield* other.client.post("/collections", { title: "Creme Brulee" }))["slug"],
        "creme-brulee"
      )
    })
  )

  it.effect("a slug in use by another collection is rejected with 422 until it is free again", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* client.post("/products", { name: "Taken among products", slug: "chairs" })
      const desks = dataOf(yield* client.post("/collections", { title: "Desks" }))
      const chairs = dataOf(yield* client.post("/collections", { title: "Chairs" }))
      assert.strictEqual(chairs["slug"], "chairs")
      for (const refused of [
        yield* client.post("/collections", { title: "More desks", slug: "desks" }),
        yield* client.patch(`/collections/${chairs["id"]}`, { slug: "desks" })
      ]) {
        assert.strictEqual(refused.status, 422)
        assert.match(errorOf(refused).issues?.join("|") ?? "", /^slug: desks is taken[^|]*$/)
      }
      const sameSlug = yield* client.patch(`/collections/${desks["id"]}`, { slug: "desks", title: "All desks" })
      assert.deepInclude(dataOf(sameSlug), { slug: "desks", title: "All desks", version: 2 })
      yield* client.delete(`/collections/${desks["id"]}`)
      const renamed = yield* client.patch(`/collections/${chairs["id"]}`, { slug: "desks" })
      assert.deepInclude(dataOf(renamed), { slug: "desks", version: 2 })
    })
  )

  it.effect("type defaults to automated with rules and to manual without", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const rules = [{ field: "title", relation: "is_set" }]
      for (const [fields, type] of [
        [{ rules: [] }, "manual"],
        [{ rules }, "automated"],
        [{ rules, type: "manual" }, "manual"],
        [{ type: "automated" }, "automated"]
      ] as const) {
        assert.strictEqual(dataOf(yield* client.post("/collections", { title: "Desks", ...fields }))["type"], type)
      }
    })
  )

  it.effect("a patch changes only the given fields and increments the version", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const before = dataOf(yield* client.post("/collections", { title: "Desks", description: "All", seoTitle: "Buy" }))
      const patched = yield* client.patch(`/collections/${before["id"]}`, { title: "Tables", isActive: false })
      assert.strictEqual(patched.status, 200)
      assert.match(patched.headers.get("etag") ?? "", /^"2\.[0-9a-f]{16}"$/)
      const after = dataOf(patched)
      assert.isAbove(Date.parse(String(after["updatedAt"])), Date.parse(String(before["updatedAt"])))
      const { updatedAt } = after
      assert.deepStrictEqual(after, { ...before, title: "Tables", isActive: false, version: 2, updatedAt })
    })
  )

  it.effect("a patch without a change returns the same version, entity tag and body", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const product = dataOf(yield* client.post("/products", { name: "Desk" }))
      const rules = [{ field: "title", relation: "equals", value: "Desk" }]
      for (const body of [
        { title: "By rules", rules },
        { title: "By hand", productIds: [product["id"]] }
      ]) {
        const created = yield* client.post("/collections", body)
        const before = dataOf(created)
        for (const patch of [{}, body, { title: ` ${body.title} `, isActive: true }, before, { unknown: 1 }]) {
          const patched = yield* client.patch(`/collections/${before["id"]}`, patch)
          assert.strictEqual(patched.status, 200)
          assert.strictEqual(patched.text, created.text)
          assert.strictEqual(patched.headers.get("etag"), created.headers.get("etag"))
        }
      }
    })
  )

  it.effect("unknown and read-only fields are ignored, and rejected with 400 under handling=strict", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient()
      const readOnly = { id: UNKNOWN, version: 7, productCount: 9, createdAt: "x", updatedAt: "x" }
      const body = { title: "Desks", ...readOnly, nonsense: true }
      const created = dataOf(yield* client.post("/collections", body))
      assert.deepInclude(created, { version: 1, productCount: 0 })
      assert.notStrictEqual(created["id"], UNKNOWN)
      const rules = [{ field: "title", relation: "is_set", note: "extra" }]
      const strict = { headers: { prefer: "handling=strict" } }
      const refused = yield* client.post("/collections", { ...body, rules }, strict)
      assert.strictEqual(refused.status, 400)
      assert.sameMembers(
        [...(errorOf(refused).issues ?? [])],
        [...Object.keys(readOnly), "nonsense", "rules.0.note"].map(
          (field) => `${field}: is not a field that can be set`
        )
      )
      assert.strictEqual((yield* client.patch(`/collections/${created["id"]}`, readOnly, strict)).status, 400)
    })
  )
})
