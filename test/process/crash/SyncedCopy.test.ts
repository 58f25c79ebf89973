import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createClient, type SyncBatch } from "../../../src/http/client/Client.ts"
import { createTokens, freePort, makeMigratedDatabase, startServer } from "../../support/process/Process.ts"

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)

it.live(
  "a copy whose server is killed during writes is complete after the next sync, without a list of everything",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const port = yield* freePort
      const { tokens } = yield* createTokens(url)
      const variables = { DATABASE_URL: url, PORT: String(port) }
      const paths: Array<string> = []
      const clientOptions = { url: `http://127.0.0.1:${port}`, tokens: tokens[0] ?? "" }
      const client = createClient(clientOptions)
      const rows = new Map<string, { readonly id: string; readonly version: number }>()
      let position: string | undefined
      const copy = {
        load: async () => position,
        save: async (batch: SyncBatch) => {
          for (const { document, id, version } of batch.upserts) rows.set(id, { ...document, id, version })
          for (const { id } of batch.deletions) rows.delete(id)
          position = batch.position
        },
        versions: async () => rows.values()
      }
      const syncing = createClient({
        ...clientOptions,
        fetch: (input, init) => {
          paths.push(input)
          return fetch(input, init)
        }
      })
      const sync = Effect.promise(() => syncing.sync(copy, { resources: ["products"] }))

      const first = yield* startServer(variables)
      const created = yield* Effect.promise(() => client.products.create({ name: "Cup" }))
      yield* sync
      paths.length = 0
      const writes = Array.from({ length: 20 }, (_, price) =>
        client.products.create({ name: `Mug ${price}`, price }).catch(() => undefined)
      )
      yield* Effect.promise(() => Promise.race(writes))
      first.kill("SIGKILL")
      yield* first.ended
      yield* startServer(variables)
      yield* Effect.promise(() => Promise.all(writes))
      yield* Effect.promise(() => client.products.delete(created.data.id))
      yield* sync
      const listed = yield* Effect.promise(async () => {
        const all = []
        for await (const product of client.products.list({ limit: 200 })) all.push(product)
        return all
      })
      assert.deepStrictEqual([...rows.values()].toSorted(byId), listed.toSorted(byId))
      assert.isFalse(paths.some((path) => path.includes("/products")))
    })
)
