import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inspect } from "node:util"
import { onServer } from "../../support/postgres/OnServer.ts"
import { CELLS, CellsTest, NORTH, storeInEachCell, Databases, inCell, storeIn } from "../../support/cells/CellsTest.ts"
import { memberEverywhere } from "../../support/cells/Members.ts"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { agentOf, newKey } from "../../support/rpc/Rpc.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { installing } from "../../support/data/Writes.ts"
import { AppId } from "../../../src/domain/access/Ids.ts"
import { MAIN } from "../../../src/domain/cells/Cells.ts"
import { listCells } from "../../../src/layers/cells/Administration.ts"
import { assertUnavailable, baseUrl, dataOf, makeClient, pageOf } from "../../support/http/Api.ts"
import { connection, rowsOf } from "../../support/process/Process.ts"
import { exchange, lines } from "../../support/http/RawHttp.ts"

const countProducts = (cell: (typeof CELLS)[number]) =>
  inCell(
    cell,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly store: string }>`select store_id as store from products`
      return rows.map(({ store }) => store)
    })
  )

/** Makes a database refuse connections until the returned effect runs, or the scope ends. */
const closeDatabase = Effect.fn(function* (of: Redacted.Redacted) {
  const server = new URL(Redacted.value(of))
  const name = server.pathname.slice(1)
  server.pathname = "/postgres"
  const allow = (isAllowed: boolean) => `alter database ${name} with allow_connections ${isAllowed}`
  const terminate = `select pg_terminate_backend(pid)::text from pg_stat_activity where datname = '${name}' and backend_type = 'client backend'`
  const open = onServer(server.href, allow(true))
  yield* Effect.acquireRelease(onServer(server.href, allow(false), terminate), () => open)
  return open
})

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("Cells", (it) => {
  // The first test, because the services of a cell are built once.
  it.effect("a cell with the schema of another build is not used", () =>
    Effect.gen(function* () {
      const { cells } = yield* Databases
      const client = yield* connection(Redacted.value(cells[0]?.url ?? assert.fail()))
      const reverse = rowsOf(client, "update effect_sql_migrations set hash = reverse(hash)")
      yield* Effect.acquireRelease(reverse, () => reverse)
      const defect = yield* Effect.catchDefect(inCell(NORTH, Effect.void), Effect.succeed)
      assert.match(
        inspect(defect),
        /CELL_NORTH_URL[^]*The schema is of another build: its migration 0001_baseline has another content/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("each store is served from the database of its cell, and from no other", () =>
    Effect.gen(function* () {
      const stores = yield* storeInEachCell
      for (const { cell, client } of stores) {
        assert.strictEqual((yield* client.post("/products", { name: `Made in ${cell}` })).status, 201)
      }
      for (const { cell, client, storeId } of stores) {
        const { items } = pageOf(yield* client.get("/products"))
        assert.deepStrictEqual(
          items.map(({ name }) => name),
          [`Made in ${cell}`]
        )
        const kept = yield* countProducts(cell)
        assert.deepStrictEqual(
          stores.filter((one) => kept.includes(one.storeId)).map((one) => one.storeId),
          [storeId]
        )
        const absolute = "GET http://a:80/api/platform/v1/products HTTP/1.1"
        const sent = lines(absolute, "host: a", `authorization: Bearer ${client.token}`, "connection: close")
        assert.include(yield* exchange(yield* baseUrl, sent), `Made in ${cell}`)
      }
    })
  )

  it.effect("a write is replayed by its key in the cell of the store", () =>
    Effect.gen(function* () {
      const { client } = yield* storeIn(NORTH)
      const key = newKey()
      const first = yield* client.post("/products", { name: "Once" }, { key })
      const second = yield* client.post("/products", { name: "Once" }, { key })
      assert.deepStrictEqual(dataOf(second), dataOf(first))
      assert.lengthOf(pageOf(yield* client.get("/products")).items, 1)
    })
  )

  it.effect("a token that names another store of another cell is refused with 401", () =>
    Effect.gen(function* () {
      const [, north, south] = yield* storeInEachCell
      const moved = (south.client.token ?? "").slice(0, 20) + (north.client.token ?? "").slice(20)
      assert.strictEqual((yield* makeClient(yield* baseUrl, moved).get("/products")).status, 401)
    })
  )

  it.effect("a member has all their stores with one session, and a body may hold calls for several cells", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      const account = yield* client.account.get({})
      assert.sameMembers(
        account.stores.map(({ storeId }) => storeId),
        stores.map(({ storeId }) => storeId)
      )
      const names = yield* Effect.forEach(
        stores,
        ({ cell, storeId }) =>
          Effect.andThen(
            client.products.create({ storeId, idempotencyKey: newKey(), product: { name: `By a member of ${cell}` } }),
            client.store.get({ storeId })
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        names.map(({ id }) => id),
        stores.map(({ storeId }) => storeId)
      )
    })
  )

  it.effect("an agent of a cell uses /rpc and /mcp with a token of that cell", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      const base = yield* baseUrl
      for (const { storeId } of stores) {
        const agent = yield* agentOf({ client, storeId })
        assert.strictEqual((yield* agent.client.store.get({ storeId })).id, storeId)
        const answer = yield* Effect.promise(async () => {
          const response = await fetch(`${base}/mcp`, {
            method: "POST",
            headers: {
              authorization: agent.authorization,
              "content-type": "application/json",
              accept: "application/json, text/event-stream"
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: { name: "store_get", arguments: {} }
            })
          })
          return response.text()
        })
        assert.include(answer, storeId)
      }
    })
  )

  it.effect("a member who left has no access any more", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      const { storeId } = stores[1] ?? assert.fail()
      const { merchantId } = yield* client.account.get({})
      const other = yield* makeMerchant()
      yield* client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "owner" })
      yield* client.members.leave({ storeId, idempotencyKey: newKey(), merchantId })
      assert.strictEqual((yield* Effect.flip(client.store.get({ storeId })))._tag, "StoreNotFound")
      assert.lengthOf((yield* client.account.get({})).stores, stores.length - 1)
    })
  )

  it.effect("an owner cannot reset the password of a member who may open stores of other cells", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      const other = yield* makeMerchant()
      for (const { storeId } of stores) {
        yield* client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "staff" })
      }
      for (const { storeId } of stores) {
        const refused = yield* Effect.flip(
          client.members.createResetLink({ storeId, idempotencyKey: newKey(), merchantId: other.id })
        )
        assert.strictEqual(refused._tag, "ResetRefused")
      }
    })
  )

  it.effect("another installation on the same server may have cells of the same names", () =>
    Effect.gen(function* () {
      const { cells } = yield* cellDatabases([NORTH])
      assert.lengthOf(cells, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("a cell that is out of reach answers 503 with Retry-After; the others go on", () =>
    Effect.gen(function* () {
      const [main, north, south] = yield* storeInEachCell
      const { cells } = yield* Databases
      const open = yield* closeDatabase(cells[0]?.url ?? assert.fail())
      assertUnavailable(yield* north.client.get("/products"))
      assert.strictEqual((yield* south.client.get("/products")).status, 200)
      assert.strictEqual((yield* main.client.get("/products")).status, 200)
      yield* open
      assert.strictEqual((yield* north.client.get("/products")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("cells serve known stores while main is out of reach", () =>
    Effect.gen(function* () {
      const [main, north] = yield* storeInEachCell
      assert.strictEqual((yield* north.client.post("/products", { name: "Before" })).status, 201)
      const databases = yield* Databases
      const open = yield* closeDatabase(databases.main)
      assertUnavailable(yield* main.client.get("/products"))
      assert.strictEqual((yield* north.client.post("/products", { name: "Meanwhile" })).status, 201)
      yield* open
      assert.strictEqual((yield* main.client.get("/products")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("a developer sees the installations and deliveries of an app in all cells", () =>
    Effect.gen(function* () {
      const { client } = yield* memberEverywhere
      const app = {
        name: "Everywhere",
        scopes: ["read_products", "write_products"] as const,
        redirectUris: ["https://app.example.com/callback"],
        type: "confidential" as const
      }
      const { id } = yield* client.apps.create({ idempotencyKey: newKey(), app })
      yield* client.appWebhooks.set({
        idempotencyKey: newKey(),
        id,
        url: "https://app.example.com/events",
        kinds: ["catalog.product.updated.v1"]
      })
      const stores = yield* Effect.forEach(CELLS, (cell) =>
        Effect.gen(function* () {
          const store = yield* storeIn(cell)
          const { install } = yield* inCell(cell, installing)
          const installation = yield* install({
            storeId: store.storeId,
            appId: AppId.make(id),
            scopes: app.scopes,
            capabilities: []
          })
          return { ...store, installation }
        })
      )
      for (const { client } of stores) {
        assert.strictEqual((yield* client.post("/products", { name: "Lamp" })).status, 201)
      }
      assert.strictEqual((yield* client.apps.get({ id })).installations, 3)
      const installed = yield* client.apps.installations({ id, limit: 2 })
      const rest = yield* client.apps.installations({ id, limit: 2, cursor: installed.nextCursor ?? assert.fail() })
      assert.sameMembers(
        [...installed.items, ...rest.items].map((one) => one.id),
        stores.map(({ installation }) => installation.id)
      )
      assert.isNull(rest.nextCursor)
      const { items } = yield* client.appDeliveries.list({ id })
      assert.lengthOf(items, 3)
      assert.deepStrictEqual(
        items.map(({ eventId }) => eventId),
        items
          .map(({ eventId }) => eventId)
          .toSorted()
          .toReversed()
      )
      assert.deepInclude(yield* client.appWebhooks.get({ id }), { pending: 3, dead: 0 })
      for (const { eventId } of items) {
        const again = yield* client.appDeliveries.redeliver({ idempotencyKey: newKey(), id, eventId })
        assert.strictEqual(again.eventId, eventId)
      }

      // A store that has moved away leaves its rows until they are cleaned.
      const sql = yield* SqlClient.SqlClient
      const countStores = Effect.map(listCells, (cells) => cells.find(({ cell }) => cell === MAIN)?.stores)
      const before = yield* countStores
      yield* sql`update stores set moved_at = clock_timestamp() where id = ${stores[0]?.storeId ?? ""}`
      assert.strictEqual((yield* client.apps.get({ id })).installations, 2)
      assert.lengthOf((yield* client.apps.installations({ id })).items, 2)
      assert.strictEqual(yield* countStores, Number(before) - 1)
    })
  )

  it.effect("a plan or an account of main arrives in the cells", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      for (const { storeId } of stores) {
        const members = yield* client.members.list({ storeId })
        assert.deepStrictEqual(
          members.map(({ name }) => name),
          ["Ada"]
        )
      }
    })
  )
})
