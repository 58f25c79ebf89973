import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as FastCheck from "fast-check"
import { Plan, Stores } from "../../../src/domain/access/Stores.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Answer, ApiTest, type Client, dataOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { neighbour } from "../../support/process/Process.ts"

const UNKNOWN = "019c1363-49c0-7fff-8000-000000000000"

/** What is asked of the store; `at` chooses a product that was there before, or a key. */
type Step =
  | { readonly ask: "create" | "createUnreadable" | "createTaken" | "deleteUnknown" }
  | { readonly ask: "createOnce" | "delete" | "deleteStale"; readonly at: number }

const others = ["createUnreadable", "createTaken", "deleteUnknown"] as const
const chosen = ["createOnce", "delete", "deleteStale"] as const

const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  FastCheck.constant({ ask: "create" as const }),
  FastCheck.record({ ask: FastCheck.constantFrom(...others) }),
  FastCheck.record({ ask: FastCheck.constantFrom(...chosen), at: FastCheck.nat({ max: 4 }) })
)

const send = (client: Client, step: Step, held: ReadonlyArray<string>): Effect.Effect<Answer> => {
  switch (step.ask) {
    case "create":
      return client.post("/products", { name: "Cup" })
    case "createOnce":
      return client.post("/products", { name: "Mug" }, { key: `mug-${step.at}` })
    case "createUnreadable":
      return client.post("/products", { name: "Cup", price: -1 })
    case "createTaken":
      return client.post("/products", { name: "Cup", slug: "a" })
    case "delete":
      return client.delete(`/products/${held[step.at] ?? UNKNOWN}`)
    case "deleteStale":
      return client.delete(`/products/${held[step.at] ?? UNKNOWN}`, { headers: { "if-match": '"9"' } })
    case "deleteUnknown":
      return client.delete(`/products/${UNKNOWN}`)
  }
}

/** How many products there are, in each place that says so. */
const counts = (client: Client, storeId: StoreId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly held: number; readonly counted: number }>`
      select
        (select count(*)::integer from products where store_id = ${storeId}) as held,
        (select product_count from stores where id = ${storeId}) as counted
    `
    return { ...row, told: dataOf(yield* client.get("/store"))["productCount"] }
  })

layer(ApiTest, { excludeTestServices: true, timeout: "120 seconds" })("The count of a store's products", (it) => {
  it.effect("is right whatever is made, deleted, refused and sent again at once, on two servers", () =>
    Effect.gen(function* () {
      const second = yield* neighbour
      const stores = yield* Stores
      yield* stores.createPlan(Plan.make({ name: "dozen", productLimit: 12, collectionLimit: 0 }))
      const holds = (steps: ReadonlyArray<Step>) =>
        Effect.gen(function* () {
          const { client, storeId } = yield* freshClient({ plan: "dozen" })
          const servers = [client, makeClient(second, client.token)]
          const first = yield* Effect.forEach(["a", "b", "c", "d", "e"], (slug) =>
            client.post("/products", { name: "Jug", slug })
          )
          const held = first.map((answer) => String(dataOf(answer)["id"]))
          const answers = yield* Effect.forEach(
            steps,
            (step, index) => send(servers[index % 2] ?? client, step, held),
            { concurrency: "unbounded" }
          )
          const unexpected = answers.filter(({ status }) => ![200, 201, 400, 403, 404, 412, 422].includes(status))
          assert.deepStrictEqual(unexpected, [])
          const made = new Set(answers.filter(({ status }) => status === 201).map((answer) => dataOf(answer)["id"]))
          const deleted = answers.filter(({ status }) => status === 200)
          const expected = 5 + made.size - deleted.length
          assert.deepStrictEqual(yield* counts(client, storeId), { held: expected, counted: expected, told: expected })
          assert.isAtMost(expected, 12)
        })
      const runtime = yield* Effect.context<Effect.Services<ReturnType<typeof holds>>>()
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(FastCheck.array(step, { minLength: 10, maxLength: 60 }), (steps) =>
            Effect.runPromise(Effect.provide(holds(steps), runtime))
          ),
          { numRuns: 15, endOnFailure: true }
        )
      )
    })
  )
})
