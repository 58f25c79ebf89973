import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Ref } from "effect"
import { partnerApi } from "../../../src/cli/Program.ts"
import { CellName } from "../../../src/domain/cells/Cells.ts"
import { subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"
import { TIMEOUTS } from "../../../src/layers/sql/Session.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { removeSubscription } from "../../support/cells/Subscriptions.ts"
import { dropSubscription } from "../../support/postgres/OnServer.ts"
import { migratedDatabase } from "../../support/postgres/Postgres.ts"
import { runInProcess } from "../../support/process/Cli.ts"
import { diagnose, linesOf } from "../../support/process/Doctor.ts"
import { connection, duringWork, rowsOf, waitUntil } from "../../support/process/Process.ts"

const NORTH = CellName.make("north")

it.live("a cell whose slot is gone gets what it missed when it is added again, and has all apps meanwhile", () =>
  Effect.gen(function* () {
    const { cells, main, settings } = yield* cellDatabases([NORTH])
    const variables = { DATABASE_URL: Redacted.value(main), ...settings }
    const northUrl = Redacted.value(cells[0]?.url ?? assert.fail())
    const [onMain, onNorth] = [yield* connection(variables.DATABASE_URL), yield* connection(northUrl)]
    const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const { code, stderr } = yield* runInProcess(partnerApi(args), variables)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    })
    const appsIn = (database: typeof onMain) =>
      Effect.map(rowsOf(database, "select name from apps order by name"), (rows) => rows.map(({ name }) => name))
    const createApp = (name: string) => run("apps", "create", "--name", name, "--scope", "read_products")
    const arrived = (names: ReadonlyArray<string>) =>
      waitUntil(appsIn(onNorth), (found) => found.join() === names.join())

    yield* createApp("A deleted app")
    yield* createApp("An app")
    yield* run("stores", "create", "--name", "A store", "--plan", "scale", "--currency", "EUR", "--cell", NORTH)
    yield* arrived(["A deleted app", "An app"])

    yield* rowsOf(onNorth, `alter subscription ${subscriptionOf(NORTH)} disable`)
    const drop =
      "select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = current_database()"
    yield* waitUntil(
      rowsOf(onMain, "select active from pg_replication_slots where database = current_database()"),
      ([slot]) => slot?.["active"] === false
    )
    yield* rowsOf(onMain, drop)
    yield* rowsOf(onNorth, `alter subscription ${subscriptionOf(NORTH)} enable`)
    yield* createApp("B app")
    yield* rowsOf(onMain, "delete from apps where name = 'A deleted app'")
    yield* rowsOf(onMain, "update plans set product_limit = 77 where name = 'scale'")
    assert.match(
      linesOf(yield* diagnose(variables), "cell north"),
      /^problem: main keeps no changes for it\. Run: partner-api cells add north\n/
    )

    const isAdded = yield* Ref.make(false)
    const reader = yield* Effect.forkChild(
      Effect.gen(function* () {
        const seen = new Set<string>()
        while (!(yield* Ref.get(isAdded))) {
          seen.add((yield* appsIn(onNorth)).join())
          yield* Effect.sleep("2 millis")
        }
        return [...seen]
      })
    )
    yield* run("cells", "add", NORTH)
    yield* Ref.set(isAdded, true)
    assert.deepStrictEqual(yield* Fiber.join(reader), ["A deleted app,An app", "An app,B app"])
    assert.deepStrictEqual(yield* appsIn(onNorth), ["An app", "B app"])
    const plan = "select product_limit from plans where name = 'scale'"
    assert.deepStrictEqual(yield* rowsOf(onNorth, plan), [{ product_limit: 77 }])
    yield* createApp("C app")
    yield* arrived(["An app", "B app", "C app"])
    assert.lengthOf(yield* rowsOf(onNorth, "select from stores"), 1)

    // As after a run that was stopped before its last step.
    yield* rowsOf(onNorth, `alter subscription ${subscriptionOf(NORTH)} disable`)
    yield* createApp("D app")
    yield* run("cells", "add", NORTH)
    yield* arrived(["An app", "B app", "C app", "D app"])

    yield* dropSubscription(northUrl, subscriptionOf(NORTH))
    yield* createApp("E app")
    yield* rowsOf(onMain, "update directory set cell = 'main'")
    const { code, stderr } = yield* runInProcess(partnerApi(["cells", "add", NORTH]), variables)
    assert.strictEqual(code, 1)
    assert.include(stderr, "The database has stores that are not in the cell north; use an empty database")
    yield* rowsOf(onMain, "update directory set cell = 'north'")
    yield* run("cells", "add", NORTH)
    yield* arrived(["An app", "B app", "C app", "D app", "E app"])
    assert.notInclude(linesOf(yield* diagnose(variables), "cell north"), "problem")
  }).pipe(Effect.scoped)
)

it.live("cells add waits for a transaction of main, also beyond the timeouts of the service", () =>
  Effect.gen(function* () {
    const [main, north] = [yield* migratedDatabase, yield* migratedDatabase]
    const variables = {
      DATABASE_URL: Redacted.value(main),
      CELLS: NORTH,
      CELL_NORTH_URL: Redacted.value(north)
    }
    const [writer, watcher] = [yield* connection(variables.DATABASE_URL), yield* connection(variables.DATABASE_URL)]
    yield* rowsOf(writer, "begin")
    yield* rowsOf(writer, "select pg_current_xact_id()")
    yield* Effect.addFinalizer(() =>
      Effect.orDie(Effect.provide(removeSubscription(NORTH), postgres({ url: north, maxConnections: 2 })))
    )

    const adding = yield* Effect.forkChild(runInProcess(partnerApi(["cells", "add", NORTH]), variables))
    const lasting = rowsOf(
      watcher,
      `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and clock_timestamp() - query_start > $1 * interval '1 millisecond'`,
      [TIMEOUTS.lock_timeout + 500]
    )
    yield* duringWork(
      adding,
      waitUntil(lasting, ({ length }) => length > 0)
    )
    yield* rowsOf(writer, "commit")
    const { code, stderr } = yield* Fiber.join(adding)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  }).pipe(Effect.scoped)
)
