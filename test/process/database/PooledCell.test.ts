import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { dataOf, makeClient, pageOf } from "../../support/http/Api.ts"
import { pooler } from "../../support/postgres/Pgbouncer.ts"
import { AppMade, Installed, StoreMade } from "../../support/process/Cli.ts"
import { connection, rowsOf, runNode, waitUntil } from "../../support/process/Process.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { startSender } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

const NAMES = ["Cup", "Plate", "Bowl"]

it.live.skipIf(isMissing("pgbouncer"))(
  "a cell behind a pooler takes stores, serves them, delivers their webhooks, and lets them move",
  () =>
    Effect.gen(function* () {
      const { cells, main, settings } = yield* cellDatabases(["north"])
      const [mainUrl, northUrl] = [main, cells[0]?.url ?? assert.fail()].map(Redacted.value)
      const variables = {
        ...settings,
        DATABASE_URL: yield* pooler(mainUrl ?? ""),
        DATABASE_DIRECT_URL: mainUrl ?? "",
        CELL_NORTH_URL: yield* pooler(northUrl ?? ""),
        CELL_NORTH_DIRECT_URL: northUrl ?? "",
        WEBHOOK_ALLOW_HOSTS: "127.0.0.1"
      }
      const run = Effect.fnUntraced(function* <A, I>(schema: Schema.Codec<A, I>, args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* runNode("cli", [...args, "--json"], variables)
        assert.strictEqual(code, 0, stderr)
        return Schema.decodeSync(Schema.fromJsonString(schema))(stdout)
      })
      const north = yield* connection(northUrl ?? "")
      const endpoint = yield* receiver()
      const server = yield* startSender(variables)

      const shop = ["--name", "A store", "--plan", "scale", "--currency", "EUR"]
      const { storeId } = yield* run(StoreMade, ["stores", "create", ...shop, "--cell", "north"])
      const scopes = ["--scope", "read_products", "--scope", "write_products"]
      const install = Effect.fnUntraced(function* (name: string, options: ReadonlyArray<string>) {
        const { appId } = yield* run(AppMade, ["apps", "create", "--name", name, ...scopes, ...options])
        return yield* run(Installed, ["installations", "create", "--store", storeId, "--app", appId, ...scopes])
      })
      // An app receives no events of its own writes.
      yield* install("A listener", ["--webhook-url", endpoint.url, "--event", "catalog.product.updated.v1"])
      const { accessToken } = yield* install("A writer", [])
      const client = makeClient(server.base, accessToken)

      /** Creates a product, reads it, and waits for its webhook. */
      const use = Effect.fnUntraced(function* (name: string | undefined, number: number) {
        const body = { name: name ?? "", price: number }
        const created = yield* client.post("/products", body, { key: `${number}` })
        assert.strictEqual(created.status, 201, created.text)
        const repeated = yield* client.post("/products", body, { key: `${number}` })
        assert.strictEqual(repeated.text, created.text)
        const read = pageOf(yield* client.get("/products"))
        assert.lengthOf(read.items, number)
        assert.deepInclude(read.items, dataOf(created))
        yield* waitUntil(
          Effect.sync(() => endpoint.received.length),
          (count) => count >= number
        )
        assert.include(endpoint.received[number - 1]?.body, String(dataOf(created)["id"]))
      })
      const productsInNorth = Effect.map(
        rowsOf(north, "select 1 from products where store_id = $1", [storeId]),
        (rows) => rows.length
      )
      /**
       * Reads the store while it moves, so that the server learns its new cell before the old one is cleaned. An installation
       * has 100 requests in a minute.
       */
      const move = (cell: string) => {
        const options = ["--store", storeId, "--cell", cell, "--clean-after", "3"]
        return Effect.raceFirst(
          run(Schema.Struct({ cell: Schema.Literal(cell) }), ["stores", "move", ...options]),
          client.get("/products").pipe(
            Effect.tap(({ status, text }) => Effect.sync(() => assert.strictEqual(status, 200, text))),
            Effect.delay("1 second"),
            Effect.forever
          )
        )
      }

      yield* use(NAMES[0], 1)
      assert.strictEqual(yield* productsInNorth, 1)
      // All clients share the two sessions of the pooler.
      const sessions = yield* rowsOf(
        north,
        `select 1 from pg_stat_activity
         where datname = current_database() and application_name = 'partner-api' and query not ilike 'listen%'`
      )
      assert.isAtMost(sessions.length, 2)
      yield* move("main")
      assert.strictEqual(yield* productsInNorth, 0)
      yield* use(NAMES[1], 2)
      yield* move("north")
      assert.strictEqual(yield* productsInNorth, 2)
      yield* use(NAMES[2], 3)
      assert.strictEqual(server.output.stderr, "")
    }).pipe(Effect.scoped)
)
