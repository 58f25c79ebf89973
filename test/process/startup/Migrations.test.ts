import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeClient } from "../../support/http/Api.ts"
import {
  duringWork,
  fetchText,
  freePort,
  makeEmptyDatabase,
  makeMigratedDatabase,
  rowsOf,
  runNode,
  startNode,
  waitUntil
} from "../../support/process/Process.ts"

const statusOf = (url: string) => Effect.map(fetchText(url), ({ status }) => status)

const processes = {
  server: { bundle: "main", args: [] },
  worker: { bundle: "cli", args: ["worker"] }
} as const

for (const [name, { args, bundle }] of Object.entries(processes)) {
  it.live(`with MIGRATE_ON_START=false a ${name} is alive but not ready until "migrate" has run`, () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeEmptyDatabase
      const settings = { DATABASE_URL: url, MIGRATE_ON_START: "false" }
      const management = yield* freePort
      const base = `http://127.0.0.1:${management}`
      const started = yield* startNode(bundle, args, { ...settings, MANAGEMENT_PORT: String(management), PORT: "0" })
      const ended = yield* Effect.forkChild(started.ended)
      const untilStatus = (path: string, expected: number) =>
        duringWork(
          ended,
          waitUntil(statusOf(`${base}${path}`), (status) => status === expected)
        )
      const untilLogged = (text: string) =>
        duringWork(
          ended,
          waitUntil(
            Effect.sync(() => started.output.stdout),
            (stdout) => stdout.includes(text)
          )
        )
      yield* untilLogged("Not ready: the schema lacks migration 0001_baseline. Run: partner-api migrate")
      yield* untilStatus("/livez", 200)
      assert.strictEqual(yield* statusOf(`${base}/readyz`), 503)
      assert.deepStrictEqual(yield* rowsOf(client, "select from pg_tables where schemaname = 'public'"), [])

      const { code, stderr } = yield* runNode("cli", ["migrate"], settings)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      yield* untilStatus("/readyz", 200)
      yield* untilLogged(name === "server" ? "Partner API" : "Delivering webhooks")
      started.kill("SIGTERM")
      const end = yield* started.ended
      assert.deepStrictEqual({ code: end.code, stderr: end.stderr }, { code: 0, stderr: "" })
      assert.notInclude(end.stdout, "failed")
    })
  )
}

it.live("with MIGRATE_ON_START=false a server waits for the last migration of its release, and stops meanwhile", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const [last] = yield* rowsOf(
      client,
      `delete from effect_sql_migrations where migration_id = (select max(migration_id) from effect_sql_migrations)
       returning name`
    )
    const server = yield* startNode("main", [], { DATABASE_URL: url, MIGRATE_ON_START: "false", PORT: "0" })
    const ended = yield* Effect.forkChild(server.ended)
    yield* duringWork(
      ended,
      waitUntil(
        Effect.sync(() => server.output.stdout),
        (stdout) => stdout.includes("Not ready: the schema lacks migration")
      )
    )
    assert.include(server.output.stdout, `_${String(last?.["name"])}. Run`)
    server.kill("SIGTERM")
    const { code, stderr } = yield* server.ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  })
)

it.live("with MIGRATE_ON_START=false a server on a complete schema serves at once", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const port = yield* freePort
    const server = yield* startNode("main", [], { DATABASE_URL: url, MIGRATE_ON_START: "false", PORT: String(port) })
    const base = `http://127.0.0.1:${port}`
    const ended = yield* Effect.forkChild(server.ended)
    yield* duringWork(
      ended,
      waitUntil(statusOf(`${base}/readyz`), (status) => status === 200)
    )
    assert.strictEqual((yield* makeClient(base).get("/products")).status, 401)
    assert.notInclude(server.output.stdout, "Not ready")
  })
)

it.live("with MIGRATE_ON_START=false a command on an incomplete schema fails with the command to run", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeEmptyDatabase
    const { code, stderr } = yield* runNode("cli", ["stores", "list"], { DATABASE_URL: url, MIGRATE_ON_START: "false" })
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /^partner-api: DATABASE_URL: \S+: The schema lacks migration 0001_baseline\. Run: partner-api migrate\n$/
    )
    assert.deepStrictEqual(yield* rowsOf(client, "select from pg_tables where schemaname = 'public'"), [])
  })
)

it.live(
  "a database of a build before the first release is refused by every start, with the way to move its stores",
  () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeEmptyDatabase
      yield* rowsOf(
        client,
        `create table effect_sql_migrations (
         migration_id integer primary key, created_at timestamptz not null default now(), name text not null
       )`
      )
      yield* rowsOf(
        client,
        "insert into effect_sql_migrations (migration_id, name) values (1, 'baseline'), (2, 'wait_for_change_clock')"
      )
      const starts = [
        runNode("cli", ["migrate"], { DATABASE_URL: url }),
        runNode("cli", ["stores", "list"], { DATABASE_URL: url, MIGRATE_ON_START: "false" }),
        runNode("main", [], { DATABASE_URL: url, PORT: "0" }),
        runNode("main", [], { DATABASE_URL: url, MIGRATE_ON_START: "false", PORT: "0" })
      ]
      for (const { code, stderr, stdout } of yield* Effect.all(starts, { concurrency: 2 })) {
        assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
        assert.match(
          stderr,
          /^partner-api: DATABASE_URL: \S+: The schema is of a build before release 0\.2\.0 \(its newest migration is 0002_wait_for_change_clock\), which cannot be upgraded\. Export its stores with the build that made it \(partner-api export\), and import them into an empty database \(partner-api import\)\n$/
        )
      }
      assert.lengthOf(yield* rowsOf(client, "select from pg_tables where schemaname = 'public'"), 1)
    })
)
