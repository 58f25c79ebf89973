import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Answer, ApiTest, type Client, dataOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { startSecondServer } from "../../support/process/Process.ts"

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"

/** A request to the store. `at` selects an existing product or an idempotency key. */
type Step =
  | { readonly kind: "create" | "createInvalid" | "createDuplicateSlug" | "deleteUnknown" }
  | { readonly kind: "createOnce" | "delete" | "deleteStale"; readonly at: number }

const PLAIN_KINDS = ["createInvalid", "createDuplicateSlug", "deleteUnknown"] as const
const INDEXED_KINDS = ["createOnce", "delete", "deleteStale"] as const

const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  FastCheck.constant({ kind: "create" as const }),
  FastCheck.record({ kind: FastCheck.constantFrom(...PLAIN_KINDS) }),
  FastCheck.record({ kind: FastCheck.constantFrom(...INDEXED_KINDS), at: FastCheck.nat({ max: 4 }) })
)

const send = (client: Client, step: Step, productIds: ReadonlyArray<string>): Effect.Effect<Answer> => {
  switch (step.kind) {
    case "create":
      return client.post("/products", { name: "Cup" })
    case "createOnce":
      return client.post("/products", { name: "Mug" }, { key: `mug-${step.at}` })
    case "createInvalid":
      return client.post("/products", { name: "Cup", price: -1 })
    case "createDuplicateSlug":
      return client.post("/products", { name: "Cup", slug: "a" })
    case "delete":
      return client.delete(`/products/${productIds[step.at] ?? UNKNOWN}`)
    case "deleteStale":
      return client.delete(`/products/${productIds[step.at] ?? UNKNOWN}`, { headers: { "if-match": '"9"' } })
    case "deleteUnknown":
      return client.delete(`/products/${UNKNOWN}`)
  }
}

/** Returns the number of product rows, the stored count and the count in the API. */
const counts = (client: Client, storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly stored: number; readonly counted: number }>`
      select
        (select count(*)::integer from products where store_id = ${storeId}) as stored,
        (select product_count from stores where id = ${storeId}) as counted
    `
    return { ...row, reported: dataOf(yield* client.get("/store"))["productCount"] }
  })

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("Product count of a store", (it) => {
  it.effect("the product count is correct after concurrent writes, rejections and replays on two servers", () =>
    Effect.gen(function* () {
      const second = yield* startSecondServer
      const stores = yield* Stores
      yield* stores.createPlan(Plan.make({ name: "dozen", productLimit: 12, collectionLimit: 0 }))
      const assertCounts = (steps: ReadonlyArray<Step>) =>
        Effect.gen(function* () {
          const { client, storeId } = yield* freshClient({ plan: "dozen" })
          const servers = [client, makeClient(second, client.token)]
          const first = yield* Effect.forEach(["a", "b", "c", "d", "e"], (slug) =>
            client.post("/products", { name: "Jug", slug })
          )
          const productIds = first.map((answer) => String(dataOf(answer)["id"]))
          const answers = yield* Effect.forEach(
            steps,
            (step, index) => send(servers[index % 2] ?? client, step, productIds),
            { concurrency: "unbounded" }
          )
          const unexpected = answers.filter(({ status }) => ![200, 201, 400, 403, 404, 412, 422].includes(status))
          assert.deepStrictEqual(unexpected, [])
          const created = new Set(answers.filter(({ status }) => status === 201).map((answer) => dataOf(answer)["id"]))
          const deleted = answers.filter(({ status }) => status === 200)
          const expected = 5 + created.size - deleted.length
          assert.deepStrictEqual(yield* counts(client, storeId), {
            stored: expected,
            counted: expected,
            reported: expected
          })
          assert.isAtMost(expected, 12)
        })
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof assertCounts>>>()
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(FastCheck.array(step, { minLength: 10, maxLength: 60 }), (steps) =>
            Effect.runPromise(Effect.provide(assertCounts(steps), runtime))
          ),
          { numRuns: 15, endOnFailure: true }
        )
      )
    })
  )
})
