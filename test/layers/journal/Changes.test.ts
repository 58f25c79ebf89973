import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Imports } from "../../../src/domain/imports/Imports.ts"
import { Writes } from "../../../src/domain/Write.ts"
import { IsolatedApiTest, dataOf, freshClient } from "../../support/http/Api.ts"
import { importItem } from "../../support/data/Imports.ts"
import { contextOf } from "../../support/data/Writes.ts"

const put = (price: number) => [importItem("a", { name: "Cup", price })]

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Changes in the journal", (it) => {
  it.effect("every write holds the store's advisory lock when it inserts a journal entry", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        create function reject_unlocked() returns trigger language plpgsql as $$
          begin
            if not exists (
              select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and classid = 72101
                and objid = (uuid_hash(new.store_id)::bigint & 4294967295)::oid
            ) then
              raise 'A journal entry was inserted without the advisory lock of its store';
            end if;
            return new;
          end
        $$
      `
      yield* sql`create trigger reject_unlocked before insert on journal for each row execute function reject_unlocked()`
      const { client, storeId } = yield* freshClient()
      const statuses: Array<number> = []
      const recordStatus = <A extends { readonly status: number }, E, R>(write: Effect.Effect<A, E, R>) =>
        Effect.tap(write, ({ status }) => Effect.sync(() => statuses.push(status)))
      const product = `/products/${String(dataOf(yield* recordStatus(client.post("/products", { name: "Cup" })))["id"])}`
      yield* recordStatus(client.patch(product, { price: 3 }))
      yield* recordStatus(client.patch(product, { slug: "a-cup" }))
      yield* recordStatus(client.patch(`${product}/inventory`, { adjust: 1 }))
      const created = yield* recordStatus(client.post("/collections", { title: "Cups" }))
      const collection = `/collections/${String(dataOf(created)["id"])}`
      yield* recordStatus(client.patch(collection, { title: "Mugs" }))
      yield* recordStatus(client.delete(collection))
      yield* recordStatus(client.delete(product))
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
