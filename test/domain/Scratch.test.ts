import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { ApiTest, dataOf, freshClient, install } from "../support/Api.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("scratch", (it) => {
  it.effect("probes", () =>
    Effect.gen(function* () {
      const { client, storeId } = yield* freshClient()
      const show = (label: string, a: { status: number; text: string }) => console.log(label, a.status, a.text.slice(0, 900))
      show("zero", yield* client.post("/products", '{"name":"x","price":0e-99999}'))
      show("zero2", yield* client.post("/products", '{"name":"x","price":0e99999999999}'))
      show("proto", yield* client.post("/products", '{"name":"x","metafields":{"__proto__":{"a":1},"b":2}, "media":[{"url":"https://a.b/","__proto__":{"q":1}}]}'))
      const p = dataOf(yield* client.post("/products", { name: "ΟΔΟΣΑ" }))
      const c = (rules: unknown, extra: object = {}) => client.post("/collections", { title: "c", rules, ...extra })
      show("sigma", yield* c([{ field: "title", relation: "contains", value: "ΟΔΟΣ" }]))
      show("zero rule", yield* client.post("/collections", '{"title":"x","rules":[{"field":"price","relation":"equals","value":0e-99999}]}'))
      show("zero rule2", yield* client.post("/collections", '{"title":"x","rules":[{"field":"price","relation":"equals","value":0e9999999999999}]}'))
      show("feb30", yield* c([{ field: "createdAt", relation: "equals", value: "2026-02-30T00:00:00Z" }]))
      show("types", yield* c([{ field: 1, relation: 2, value: 1 }, {}, 7, null, { field: "title" }, { field: "nope", relation: "x" }, { field: "price", relation: "contains", value: 1 }, { field: "price", relation: "in", value: 1 }, { field: "title", relation: "equals", value: 1 }, { field: "isActive", relation: "equals", value: "true" }, { field: "isActive", relation: "in", value: [true] }]))
      show("rules null", yield* c(null))
      show("61", yield* c(Array.from({ length: 61 }, () => ({ field: "title", relation: "is_set" }))))
      show("ids bad", yield* client.post("/collections", { title: "  ", productIds: ["x", 1, null], type: "x", disjunctive: "no", isActive: 1, slug: "A", description: 1, imageUrl: "x", seoTitle: "x".repeat(256), metaDescription: "x".repeat(1001) }))
      const other = yield* freshClient()
      const theirs = dataOf(yield* other.client.post("/products", { name: "x" }))
      const u = "01890a5d-ac96-774b-bcce-b302099a8057"
      show("unknown", yield* client.post("/collections", { title: "t", productIds: [p["id"], p["id"], u, theirs["id"], u] }))
      show("auto bad ids", yield* c([], { type: "automated", productIds: ["x"] }))
      show("auto unknown ids", yield* c([], { type: "automated", productIds: [u] }))
      show("no title", yield* client.post("/collections", {}))
      show("strict", yield* client.post("/collections", { title: "t", id: 1, rules: [{ field: "title", relation: "is_set", extra: 1 }] }, { headers: { prefer: "handling=strict" } }))
      const three = [client, (yield* install(storeId)).client, (yield* install(storeId)).client, (yield* install(storeId)).client]
      const rules = Array.from({ length: 60 }, (_, i) => ({ field: ["title", "tags", "variant.sku", "price"][i % 4], relation: "not_in", value: i % 4 === 3 ? [1 + i] : ["z" + i] }))
      console.time("create")
      for (let i = 0; i < 200; i++) {
        const r = yield* (three[i % 4] ?? client).post("/collections", { title: "many", rules })
        if (r.status !== 201) show("r", r)
      }
      console.timeEnd("create")
      for (let k = 0; k < 3; k++) {
        console.time("list")
        const r = yield* client.get("/collections?limit=200")
        console.timeEnd("list")
        console.log(r.status, r.text.length, r.text.slice(0, 300))
      }
    })
  )
})
