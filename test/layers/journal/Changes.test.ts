import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CreateProduct } from "../../../src/domain/catalog/Product.ts"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { ExternalId } from "../../../src/domain/imports/Put.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { ApiTest, dataOf, freshClient } from "../../support/http/Api.ts"
import { contextOf } from "../../support/data/Writes.ts"

const toProduct = Schema.decodeUnknownSync(CreateProduct)

const put = (price: number) => [{ externalId: ExternalId.make("a"), input: toProduct({ name: "Cup", price }) }]

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Every write that the journal tells of", (it) => {
  it.effect("says that it is under way before its id is made, so that who follows waits for it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        create function refuse_unsaid() returns trigger language plpgsql as $$
          begin
            if not exists (
              select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and classid = 72101
                and objid = (uuid_hash(new.store_id)::bigint & 4294967295)::oid
            ) then
              raise 'A change was made that was not said to be under way';
            end if;
            return new;
          end
        $$
      `
      yield* sql`create trigger refuse_unsaid before insert on journal for each row execute function refuse_unsaid()`
      const { client, storeId } = yield* freshClient()
      const statuses: Array<number> = []
      const done = <A extends { readonly status: number }, E, R>(write: Effect.Effect<A, E, R>) =>
        Effect.tap(write, ({ status }) => Effect.sync(() => statuses.push(status)))
      const product = `/products/${String(dataOf(yield* done(client.post("/products", { name: "Cup" })))["id"])}`
      yield* done(client.patch(product, { price: 3 }))
      yield* done(client.patch(product, { slug: "a-cup" }))
      yield* done(client.patch(`${product}/inventory`, { adjust: 1 }))
      const made = yield* done(client.post("/collections", { title: "Cups" }))
      const collection = `/collections/${String(dataOf(made)["id"])}`
      yield* done(client.patch(collection, { title: "Mugs" }))
      yield* done(client.delete(collection))
      yield* done(client.delete(product))
      assert.deepStrictEqual(statuses, [201, 200, 200, 200, 201, 200, 200, 200])

      const { perform } = yield* Writes
      const { putProducts } = yield* Imports
      for (const price of [1, 2]) {
        yield* perform({ ...contextOf(storeId), surface: "import" }, putProducts(storeId, put(price), 0))
      }
      const [{ n } = {}] = yield* sql<{ readonly n: number }>`
        select count(*)::integer as n from journal where store_id = ${storeId} and version is not null
      `
      assert.strictEqual(n, 10)
    })
  )
})
