import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { mover } from "../../support/cells/Mover.ts"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { readAfter, startOf } from "../../support/http/Feed.ts"
import {
  connection,
  createTokens,
  rowsOf,
  startServer,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { listeners } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"

it.live("a move goes on after an abort that broke off, and no delete, change or delivery is lost", () =>
  Effect.gen(function* () {
    const databases = yield* cellDatabases(["c2", "c3"])
    const url = Redacted.value(databases.main)
    const [main, second, third] = yield* Effect.forEach(
      [databases.main, ...databases.cells.map(({ url }) => url)],
      (of) => connection(Redacted.value(of))
    )
    if (main === undefined || second === undefined || third === undefined) return
    const endpoint = yield* receiver()
    const { storeId, tokens } = yield* createTokens(url)
    yield* listeners(url, storeId, [endpoint.url])
    const variables = { DATABASE_URL: url, WEBHOOK_ALLOW_HOSTS: "127.0.0.1", ...databases.settings }
    const { base } = yield* startServer(variables)
    const client = makeClient(base, tokens[0])
    /** Repeats a request while a write that had begun meets the fence. */
    const until = (request: ReturnType<typeof client.get>) => waitUntil(request, ({ status }) => status !== 503)
    const create = (key: string) =>
      Effect.map(until(client.post("/products", { name: key }, { key })), (answer) => {
        assert.strictEqual(answer.status, 201, answer.text)
        return String(dataOf(answer)["id"])
      })

    const { killAt, run, start } = mover(variables, storeId)
    const killWhileComparing = (cell: string) => killAt("copying: comparing", "--cell", cell)
    /** Moves during `work`. The server reads then, so that it learns of the move before the source is emptied. */
    const moveTo = (cell: string, work: Effect.Effect<void>) =>
      Effect.raceFirst(
        run("--cell", cell, "--clean-after", "3"),
        work.pipe(
          Effect.andThen(Effect.repeat(client.get("/store"), Schedule.spaced("1 second"))),
          Effect.andThen(Effect.never)
        )
      )
    /** A command that was killed before it froze the store. */
    const markFrozen = rowsOf(main, "update store_moves set state = 'frozen' where store_id = $1", [storeId])
    const productsIn = (of: typeof main) =>
      Effect.map(rowsOf(of, "select id from products where store_id = $1 order by id", [storeId]), (rows) =>
        rows.map(({ id }) => String(id))
      )

    const kept = yield* create("kept")
    const position = yield* startOf(client)

    // The abort of a frozen move breaks off before its last statement.
    yield* killWhileComparing("c2")
    yield* markFrozen
    yield* rowsOf(main, "create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$")
    yield* rowsOf(main, "create trigger refuse before delete on store_moves for each row execute function refuse()")
    assert.strictEqual((yield* run("--abort")).code, 1)
    yield* rowsOf(main, "drop trigger refuse on store_moves")
    const resumed = yield* moveTo("c2", Effect.void)
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    assert.deepStrictEqual([yield* productsIn(main), yield* productsIn(second)], [[], [kept]])

    // An abort breaks off after it has dropped the slot: the changes since are missing in the target.
    yield* killWhileComparing("c3")
    const name = `store_move_${storeId.replaceAll("-", "")}`
    yield* rowsOf(third, `alter subscription ${name} disable`)
    yield* waitUntil(
      rowsOf(second, "select 1 from pg_replication_slots where slot_name = $1 and not active", [name]),
      (rows) => rows.length === 1
    )
    yield* rowsOf(second, "select pg_drop_replication_slot($1)", [name])
    const gone: Array<string> = []
    let n = 0
    const writing: Effect.Effect<void> = Effect.gen(function* () {
      const id = yield* create(`gone-${n++}`)
      const deleted = yield* until(client.delete(`/products/${id}`, { key: `delete-${n}` }))
      assert.strictEqual(deleted.status, 200, deleted.text)
      gone.push(id)
    })
    // As many as the window of the installation allows.
    const again = yield* moveTo("c3", Effect.repeat(writing, { times: 19 }))
    assert.strictEqual(again.code, 0, again.stderr)
    assert.deepStrictEqual(yield* productsIn(second), [])
    assert.includeMembers(yield* productsIn(third), [kept])
    assert.isAbove(gone.length, 0)
    const { changes } = yield* waitUntil(readAfter(client, position, "&limit=1000"), ({ changes }) =>
      changes.some(({ deleted, id }) => deleted && id === gone.at(-1))
    )
    const seen = changes.filter(({ id }) => gone.includes(id))
    assert.deepStrictEqual(
      seen.map(({ deleted, id }) => `${id} ${deleted}`),
      gone.flatMap((id) => [`${id} false`, `${id} true`])
    )
    yield* waitUntil(
      rowsOf(third, "select 1 from deliveries where store_id = $1 and finished_at is null", [storeId]),
      (rows) => rows.length === 0
    )
    const events = yield* rowsOf(third, "select id from events where store_id = $1 order by id", [storeId])
    const received = new Set(endpoint.received.map(({ headers }) => headers["webhook-id"]))
    assert.deepStrictEqual(
      [...received].toSorted(),
      events.map(({ id }) => String(id))
    )

    // An abort waits for the transaction of a killed command that opens the target.
    yield* killWhileComparing("main")
    yield* markFrozen
    yield* rowsOf(main, "begin")
    yield* rowsOf(main, "delete from store_fences where store_id = $1", [storeId])
    const aborting = yield* Effect.forkChild(run("--abort"))
    const watcher = yield* connection(url)
    yield* waitForLockWaits(watcher, 1)
    yield* rowsOf(main, "commit")
    assert.include((yield* Fiber.join(aborting)).stderr, "has taken over the store")

    // The other cells keep the lock of a command whose session in `main` has ended.
    yield* rowsOf(third, "select pg_advisory_lock(72104, uuid_hash($1::uuid))", [storeId])
    const refused = yield* Effect.scoped(Effect.flatMap(start("--abort"), ({ ended }) => ended))
    assert.include(refused.stderr, "Another command moves store")
    yield* rowsOf(third, "select pg_advisory_unlock_all()")
    const last = yield* run("--cell", "main", "--clean-after", "0")
    assert.strictEqual(last.code, 0, last.stderr)
    assert.deepStrictEqual([yield* productsIn(third), yield* productsIn(main)], [[], [kept]])
  })
)
