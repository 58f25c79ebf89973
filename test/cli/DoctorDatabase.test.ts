import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { partnerApi } from "../../src/cli/Program.ts"
import { runInProcess } from "../support/process/Cli.ts"
import { diagnose, resultOf } from "../support/process/Doctor.ts"
import { freePort, makeEmptyDatabase, makeMigratedDatabase, rowsOf } from "../support/process/Process.ts"
import { isMissing } from "../support/process/Programs.ts"
import { pooler } from "../support/postgres/Pgbouncer.ts"

/** URL of the database for a new role without rights, dropped with the scope. */
const roleWithoutRights = Effect.fn(function* (url: string, client: Parameters<typeof rowsOf>[0]) {
  const role = `doctor_${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(rowsOf(client, `create role ${role} login password 'hunter2'`), () =>
    Effect.andThen(rowsOf(client, `drop owned by ${role}`), rowsOf(client, `drop role ${role}`))
  )
  const own = new URL(url)
  own.username = role
  own.password = "hunter2"
  return { role, url: own.href }
})

it.live("a database out of reach is the only problem of the database", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const checks = yield* diagnose({ DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${port}/db` })
    assert.match(resultOf(checks, "database"), /^problem: DATABASE_URL: .*ECONNREFUSED.*Start the database, or correct/)
    assert.notInclude(
      checks.map(({ check }) => check),
      "schema"
    )
  })
)

it.live("a direct address out of reach is a problem", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const port = yield* freePort
    const checks = yield* diagnose({
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: `postgres://user:hunter2@127.0.0.1:${port}/db`
    })
    for (const check of ["notifications", "schema"]) {
      assert.match(resultOf(checks, check), /^problem: DATABASE_DIRECT_URL: .*ECONNREFUSED.*Start the database/)
    }
  })
)

it.live("a server that only reads is a problem", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    yield* rowsOf(client, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: url }), "database"),
      /^problem: DATABASE_URL: the server is read-only\. Use the URL of the primary server/
    )
  })
)

it.live("a database whose encoding is not UTF-8 is refused by doctor, migrate and a start", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeEmptyDatabase
    const name = `latin_${randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(
      rowsOf(client, `create database ${name} encoding 'LATIN1' locale 'C' template template0`),
      () => rowsOf(client, `drop database ${name} with (force)`)
    )
    const latin = new URL(url)
    latin.pathname = `/${name}`
    const advice =
      /The database has the encoding LATIN1, which .* characters\. Create a database with the encoding UTF8/
    const settings = { DATABASE_URL: latin.href }
    assert.match(resultOf(yield* diagnose(settings), "database"), advice)
    for (const [args, variables] of [
      [["migrate"], settings],
      [["plans", "list"], { ...settings, MIGRATE_ON_START: "false" }]
    ] as const) {
      const { code, stderr } = yield* runInProcess(partnerApi(args), variables)
      assert.strictEqual(code, 1)
      assert.match(stderr, advice)
    }
  })
)

it.live("messages that do not arrive are a problem", () =>
  Effect.gen(function* () {
    const [{ url }, other] = [yield* makeMigratedDatabase, yield* makeMigratedDatabase]
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: url, DATABASE_DIRECT_URL: other.url }), "notifications"),
      /^problem: LISTEN receives no message\. Set DATABASE_DIRECT_URL/
    )
  })
)

it.live("missing migrations, later ones and those of another build are told apart", () =>
  Effect.gen(function* () {
    const empty = yield* makeEmptyDatabase
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: empty.url }), "schema"),
      /^warning: \d+ migrations are missing\. Run: partner-api migrate$/
    )
    const { client, url } = yield* makeMigratedDatabase
    yield* rowsOf(client, "insert into effect_sql_migrations (migration_id, name, hash) values (9999, 'later', '')")
    assert.match(resultOf(yield* diagnose({ DATABASE_URL: url }), "schema"), /^warning: .* 1 migrations ahead/)
    yield* rowsOf(client, "update effect_sql_migrations set hash = 'other' where migration_id = 1")
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: url }), "schema"),
      /^problem: The schema is of another build: its migration 0001_baseline has another content\. Start the release/
    )
    yield* rowsOf(client, "alter table effect_sql_migrations drop column hash")
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: url }), "schema"),
      /^problem: The schema is of a build before release 0\.2\.0 .*9999_later.*\(partner-api export\)/
    )
  })
)

it.live("a role that cannot write or migrate is a problem with the tables; createdb is not needed", () =>
  Effect.gen(function* () {
    const empty = yield* makeEmptyDatabase
    const migrating = yield* roleWithoutRights(empty.url, empty.client)
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: migrating.url }), "schema"),
      /^problem: \d+ migrations are missing, and the role cannot create tables\. Make it the owner/
    )
    const { client, url } = yield* makeMigratedDatabase
    const { role, url: own } = yield* roleWithoutRights(url, client)
    yield* rowsOf(client, `grant select on all tables in schema public to ${role}`)
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: own }), "rights"),
      /^problem: The role may not read or write .*\bproducts\b.*\. Grant it select, insert, update and delete$/
    )
    yield* rowsOf(client, `grant insert, update, delete on all tables in schema public to ${role}`)
    assert.match(
      resultOf(yield* diagnose({ DATABASE_URL: own }), "rights"),
      /^warning: The role cannot create tables, which later releases do\. Make it the owner of the database$/
    )
    yield* rowsOf(client, `grant create on schema public to ${role}`)
    assert.match(resultOf(yield* diagnose({ DATABASE_URL: own }), "rights"), /^ok: /)
  })
)

it.live("clocks that differ by a second are a warning, by a minute a problem", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const clock = yield* Clock.Clock
    const withShift = (millis: number) =>
      Effect.provideService(diagnose({ DATABASE_URL: url }), Clock.Clock, {
        ...clock,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
        currentTimeNanos: clock.currentTimeNanos,
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        sleep: (duration) => clock.sleep(duration)
      })
    assert.match(resultOf(yield* withShift(-5_000), "clock"), /^warning: .* differ by [45]\d{3} ms\. Set both by NTP$/)
    assert.match(resultOf(yield* withShift(90_000), "clock"), /^problem: .* Set both by NTP$/)
  })
)

it.live.skipIf(isMissing("pgbouncer"))(
  "a pooler that drops timeouts, LISTEN or prepared statements is a problem for each",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const pooled = yield* pooler(url, isMissing("pgbouncer 1.21") ? {} : { max_prepared_statements: 0 }, false)
      const without = yield* diagnose({ DATABASE_URL: pooled })
      assert.match(resultOf(without, "database"), /^problem: .*The server is a pooler: set DATABASE_DIRECT_URL too/)
      const checks = yield* diagnose({
        DATABASE_URL: pooled,
        DATABASE_DIRECT_URL: url,
        DATABASE_PREPARE: "true"
      })
      assert.match(resultOf(checks, "session"), /^problem: .*timeout.*Set it in the pooler, or for the role/)
      assert.match(resultOf(checks, "prepared statements"), /^problem: .*set DATABASE_PREPARE=false/)
      const through = yield* diagnose({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: pooled })
      assert.match(resultOf(through, "notifications"), /^problem: .*Set DATABASE_DIRECT_URL/)
      assert.strictEqual(resultOf(through, "prepared statements"), "ok: Not used")
    })
)
