import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import type pg from "pg"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { mover } from "../../support/cells/Mover.ts"
import { backupScene } from "../../support/data/StoreBackups.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { readAfter, startOf } from "../../support/http/Feed.ts"
import { carelessDataFolder } from "../../support/postgres/DataFolder.ts"
import {
  connection,
  createTokens,
  duringWork,
  rowsOf,
  startServer,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { listeners, startWorker } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

/** Tables that the service changes by itself. */
const CHANGING = new Set(["deliveries", "delivery_attempts", "rate_windows", "recent_requests", "jobs"])

/** All rows of a store, as text of each table. Its table of stores is without the time of the move. */
const rowsIn = Effect.fn(function* (client: pg.Client, storeId: string) {
  const tables = yield* rowsOf(
    client,
    `select distinct table_name as name from information_schema.columns join pg_class on relname = table_name
     where table_schema = 'public' and column_name = 'store_id' and relkind in ('r', 'p') and not relispartition
       and table_name not in ('directory', 'merchant_stores', 'store_moves', 'store_fences', 'store_changes', 'token_stores')`
  )
  const found = new Map<string, ReadonlyArray<unknown>>()
  for (const { name } of [{ name: "stores" }, ...tables]) {
    const rows = yield* rowsOf(
      client,
      `select (to_jsonb(t) - 'moved_at')::text as row from ${String(name)} t
       where ${name === "stores" ? "id" : "store_id"} = $1 order by 1`,
      [storeId]
    )
    if (rows.length > 0)
      found.set(
        String(name),
        rows.map(({ row }) => row)
      )
  }
  return found
})

const LEFT = `
  select tgname as name from pg_trigger where starts_with(tgname, 'store_move')
  union all select store_id::text from store_fences union all select table_name from store_changes
  union all select state from store_moves where state <> 'cleaned'
`

it.live("a store with rows of all kinds moves by copy from a server that does not replicate", () =>
  Effect.gen(function* () {
    const { app, client: main, given, product, storeId, url } = yield* backupScene
    // The default of PostgreSQL is wal_level = replica.
    const server = Effect.flatMap(carelessDataFolder, (dataDir) => embeddedPostgres({ dataDir, isDurable: true }))
    const databases = yield* cellDatabases(["c2"], { main: Redacted.make(url), cell: Effect.orDie(server) })
    const variables = { ...given, ...databases.settings }
    const other = yield* connection(Redacted.value(databases.cells[0]?.url ?? databases.main))
    assert.deepStrictEqual(yield* rowsOf(other, "show wal_level"), [{ wal_level: "replica" }])
    const { run } = mover(variables, storeId)
    // A cell whose servers have run longer has other weeks.
    yield* rowsOf(
      main,
      `create table events_9999 partition of events
         for values from ('ffffff00-0000-7000-8000-000000000000') to ('ffffffff-0000-7000-8000-000000000000')`
    )

    const before = yield* rowsIn(main, storeId)
    assert.isAbove(before.size, 20, [...before.keys()].join(", "))
    const there = yield* run("--cell", "c2", "--copy", "--clean-after", "0")
    assert.strictEqual(there.code, 0, there.stderr)
    const after = yield* rowsIn(other, storeId)
    for (const [table, rows] of before) {
      if (!CHANGING.has(table)) assert.deepStrictEqual(after.get(table), rows, table)
    }
    assert.deepStrictEqual([...(yield* rowsIn(main, storeId)).keys()], [])

    const refused = yield* run("--cell", "main", "--clean-after", "0")
    assert.include(refused.stderr, "wal_level = replica")
    const described = yield* run("--cell", "main", "--copy", "--dry-run", "--json")
    assert.strictEqual(described.code, 0, described.stderr)
    assert.match(described.stdout, /"estimatedPauseSeconds": ?\d+/)
    const back = yield* run("--cell", "main", "--copy", "--clean-after", "0")
    assert.strictEqual(back.code, 0, back.stderr)
    assert.deepStrictEqual((yield* rowsIn(main, storeId)).get("products"), before.get("products"))
    assert.deepStrictEqual([...(yield* rowsIn(other, storeId)).keys()], [])
    const replayed = yield* app.patch(
      `/products/${String(product["id"])}`,
      { price: 0.30000000000000004 },
      { key: "patched" }
    )
    assert.deepStrictEqual([replayed.status, dataOf(replayed)["version"]], [200, 2], replayed.text)
    for (const client of [main, other]) assert.deepStrictEqual(yield* rowsOf(client, LEFT), [])
  })
)

/** Makes copies to a cell wait at the row of the store while a session holds a lock. */
const makeHold = Effect.fn(function* (client: pg.Client) {
  yield* rowsOf(
    client,
    `create function hold() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(4711); return new; end $$`
  )
  yield* rowsOf(client, "create trigger hold before insert on stores for each row execute function hold()")
  yield* rowsOf(client, "alter table stores enable always trigger hold")
  return {
    close: rowsOf(client, "select pg_advisory_lock(4711)"),
    open: rowsOf(client, "select pg_advisory_unlock(4711)")
  }
})

it.live(
  "writes get 503 during a copy, other stores go on, and a killed copy goes on or is undone",
  () =>
    Effect.gen(function* () {
      const databases = yield* cellDatabases(["c2"])
      const url = Redacted.value(databases.main)
      const otherUrl = Redacted.value(databases.cells[0]?.url ?? databases.main)
      const [main, other] = [yield* connection(url), yield* connection(otherUrl)]
      const [mainWatcher, otherWatcher] = [yield* connection(url), yield* connection(otherUrl)]
      const endpoint = yield* receiver()
      const moved = yield* createTokens(url, 2)
      const neighbour = yield* createTokens(url)
      yield* listeners(url, moved.storeId, [endpoint.url])
      const variables = { DATABASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1", ...databases.settings }
      const { base } = yield* startServer({ ...variables, WEBHOOK_WORKERS: "0" })
      const client = makeClient(base, moved.tokens[0])
      const { run, start } = mover(variables, moved.storeId)
      const reader = makeClient(base, moved.tokens[1])
      /** Goes on with a move. The server reads then, so that it learns of the move before the source is emptied. */
      const moveTo = (cell: string, ...args: ReadonlyArray<string>) =>
        Effect.raceFirst(
          run("--cell", cell, "--clean-after", "3", ...args),
          Effect.forever(Effect.delay(reader.get("/store"), "1 second"))
        )
      const post = (key: string, by = client) => by.post("/products", { name: key }, { key })
      const ids: Array<string> = []
      const create = Effect.fn(function* (key: string) {
        const answer = yield* post(key)
        assert.strictEqual(answer.status, 201, answer.text)
        ids.push(String(dataOf(answer)["id"]))
      })
      const productsIn = (of: pg.Client) =>
        Effect.map(rowsOf(of, "select id from products where store_id = $1 order by id", [moved.storeId]), (rows) =>
          rows.map(({ id }) => String(id))
        )
      /** Kills a command that waits at the lock. */
      const killCopy = (cell: string, watcher: pg.Client) =>
        Effect.scoped(
          Effect.gen(function* () {
            const command = yield* start("--cell", cell, "--copy", "--clean-after", "9")
            yield* waitForLockWaits(watcher, 1)
            command.kill("SIGKILL")
            yield* command.ended
          })
        )

      const position = yield* startOf(client)
      yield* create("first")
      const there = yield* makeHold(other)
      yield* there.close
      const moving = yield* Effect.forkChild(moveTo("c2", "--copy"))
      yield* duringWork(moving, waitForLockWaits(otherWatcher, 1))
      const refused = yield* post("second")
      assert.strictEqual(refused.status, 503, refused.text)
      assert.isAbove(Number(refused.headers.get("retry-after")), 0)
      assert.strictEqual((yield* post("neighbour", makeClient(base, neighbour.tokens[0]))).status, 201)
      yield* there.open
      const result = yield* Fiber.join(moving)
      assert.strictEqual(result.code, 0, result.stderr)
      yield* create("second")
      const replayed = yield* post("first")
      assert.deepStrictEqual([replayed.status, dataOf(replayed)["id"]], [201, ids[0]])
      assert.deepStrictEqual([yield* productsIn(main), yield* productsIn(other)], [[], ids])

      // A killed copy leaves the store frozen. The next one thaws it while the database ends the copy.
      const back = yield* makeHold(main)
      yield* back.close
      yield* killCopy("main", mainWatcher)
      assert.strictEqual((yield* post("third")).status, 503)
      const resuming = yield* Effect.forkChild(moveTo("main", "--copy"))
      yield* duringWork(resuming, waitForLockWaits(mainWatcher, 2))
      yield* create("third")
      yield* back.open
      const resumed = yield* Fiber.join(resuming)
      assert.strictEqual(resumed.code, 0, resumed.stderr)
      yield* create("fourth")
      assert.deepStrictEqual([yield* productsIn(main), yield* productsIn(other)], [ids, []])

      // An abort waits for the same.
      yield* there.close
      yield* killCopy("c2", otherWatcher)
      const aborting = yield* Effect.forkChild(run("--abort"))
      yield* duringWork(aborting, waitForLockWaits(otherWatcher, 2))
      yield* create("fifth")
      yield* there.open
      const aborted = yield* Fiber.join(aborting)
      assert.strictEqual(aborted.code, 0, aborted.stderr)
      assert.deepStrictEqual([yield* productsIn(main), yield* productsIn(other)], [ids, []])
      assert.deepStrictEqual(yield* rowsOf(other, "select id from stores where id = $1", [moved.storeId]), [])
      for (const of of [main, other]) assert.deepStrictEqual(yield* rowsOf(of, LEFT), [])

      // A copy that was killed goes on by replication.
      yield* there.close
      yield* killCopy("c2", otherWatcher)
      const replicating = yield* Effect.forkChild(moveTo("c2"))
      yield* duringWork(replicating, waitForLockWaits(otherWatcher, 2))
      yield* there.open
      const replicated = yield* Fiber.join(replicating)
      assert.strictEqual(replicated.code, 0, replicated.stderr)
      assert.deepStrictEqual([yield* productsIn(main), yield* productsIn(other)], [[], ids])

      assert.deepStrictEqual(ids, ids.toSorted())
      const { changes } = yield* waitUntil(readAfter(client, position, "&limit=1000"), (page) =>
        page.changes.some(({ id }) => id === ids.at(-1))
      )
      assert.deepStrictEqual(
        changes.filter(({ id }) => ids.includes(id)).map(({ id }) => id),
        ids
      )
      // Deliveries of all moves are pending, because no worker has run.
      yield* startWorker(variables)
      yield* waitUntil(
        rowsOf(other, "select 1 from deliveries where store_id = $1 and finished_at is null", [moved.storeId]),
        (rows) => rows.length === 0
      )
      const events = yield* rowsOf(other, "select id from events where store_id = $1 order by id", [moved.storeId])
      assert.deepStrictEqual(
        [...new Set(endpoint.received.map(({ headers }) => headers["webhook-id"]))].toSorted(),
        events.map(({ id }) => String(id))
      )
    }),
  240_000
)
