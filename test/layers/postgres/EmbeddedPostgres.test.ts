import { assert, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Option, Redacted } from "effect"
import { build } from "esbuild"
import { spawn } from "node:child_process"
import { readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { Client } from "pg"
import { embeddedPostgres, EmbeddedPostgresFailed } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { findServer } from "../../../src/layers/postgres/Postmaster.ts"
import { dataFolder } from "../../support/postgres/DataFolder.ts"
import { temporaryFolder } from "../../support/process/Process.ts"

const query = (url: Redacted.Redacted | string, text: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: typeof url === "string" ? url : Redacted.value(url) })
    await client.connect()
    try {
      const { rows } = await client.query<Record<string, unknown>>({ text })
      return rows
    } finally {
      await client.end()
    }
  })

/** Process id of the running server. */
const serverOf = (dataDir: string) =>
  Effect.map(findServer(dataDir), (server) => Option.getOrUndefined(Option.map(server, ({ pid }) => pid)))

/** Program that uses the server until its standard input ends, and prints the URL of the server. */
const holder = `
  import { Effect, Redacted } from "effect"
  import { embeddedPostgres } from "./src/layers/postgres/EmbeddedPostgres.ts"
  const ended = Effect.callback((resume) => { process.stdin.resume().once("end", () => resume(Effect.void)) })
  const program = Effect.gen(function* () {
    const url = yield* embeddedPostgres({ dataDir: process.argv[2] })
    console.log(Redacted.value(url))
    yield* ended
  })
  await Effect.runPromise(Effect.scoped(program))
`

/** Starts `holder` in a new process. It is bundled because Node 20 does not run TypeScript. */
const startHolder = (dataDir: string) =>
  Effect.gen(function* () {
    const base = yield* temporaryFolder
    const outfile = join(base, "holder.mjs")
    const entry = { contents: holder, resolveDir: process.cwd(), loader: "ts" as const }
    yield* Effect.promise(() =>
      build({ stdin: entry, outfile, bundle: true, platform: "node", format: "esm", packages: "external" })
    )
    symlinkSync(resolve("node_modules"), join(base, "node_modules"))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [outfile, dataDir], { stdio: ["pipe", "pipe", "inherit"] })),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const url = yield* Deferred.make<string>()
    const exit = yield* Deferred.make<number | null>()
    createInterface(child.stdout).once("line", (line) => Deferred.doneUnsafe(url, Effect.succeed(line)))
    child.once("exit", (code) => Deferred.doneUnsafe(exit, Effect.succeed(code)))
    return { child, exit: Deferred.await(exit), url: yield* Deferred.await(url) }
  })

/** A data folder for several tests, because creating a cluster takes seconds. Each test stops its server. */
class SharedFolder extends Context.Service<SharedFolder, string>()("test/SharedFolder") {}

layer(Layer.effect(SharedFolder, dataFolder), { excludeTestServices: true, timeout: "60 seconds" })(
  "One cluster",
  (it) => {
    it.effect("the server starts, stops cleanly with its scope, and keeps its data", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const first = Effect.gen(function* () {
          const url = yield* embeddedPostgres({ dataDir })
          yield* query(url, "create table words (word text)")
          yield* query(url, "insert into words values ('čaj')")
          const settings = yield* query(
            url,
            `select current_setting('server_version_num')::int / 10000 as version, current_setting('fsync') as fsync,
            current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens,
            current_setting('unix_socket_directories') as sockets, current_setting('password_encryption') as passwords`
          )
          const listens = "127.0.0.1"
          const passwords = "scram-sha-256"
          assert.deepStrictEqual(settings, [
            { version: 18, fsync: "on", encoding: "UTF8", listens, sockets: "", passwords }
          ])
          assert.isDefined(yield* serverOf(dataDir))
        })
        yield* Effect.scoped(first)
        assert.isUndefined(yield* serverOf(dataDir))
        assert.match(readFileSync(join(dataDir, "postgres.log"), "utf8"), /database system is shut down\n$/)

        const url = yield* embeddedPostgres({ dataDir })
        assert.deepStrictEqual(yield* query(url, "select word from words"), [{ word: "čaj" }])
      })
    )

    it.effect("the server rejects a wrong password", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const guessed = new URL(Redacted.value(yield* embeddedPostgres({ dataDir, isDurable: false })))
        guessed.password = "guessed"
        const error = yield* Effect.flip(Effect.sandbox(query(guessed.href, "select 1")))
        assert.include(String(error), "password authentication failed")
      })
    )

    it.effect("a second process shares the running server and leaves it running", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const other = yield* startHolder(dataDir)
        const pid = yield* serverOf(dataDir)

        const url = yield* Effect.scoped(embeddedPostgres({ dataDir, isDurable: false }))
        assert.strictEqual(Redacted.value(url), other.url)
        assert.strictEqual(yield* serverOf(dataDir), pid)
        yield* query(other.url, "select 1")

        other.child.stdin.end()
        assert.strictEqual(yield* other.exit, 0)
        assert.isUndefined(yield* serverOf(dataDir))
      })
    )

    it.effect("the last process that uses the server stops it", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const stayed = Effect.gen(function* () {
          const other = yield* startHolder(dataDir)
          const url = yield* embeddedPostgres({ dataDir, isDurable: false })
          other.child.stdin.end()
          assert.strictEqual(yield* other.exit, 0)
          yield* query(url, "select 1")
        })
        yield* Effect.scoped(stayed)
        assert.isUndefined(yield* serverOf(dataDir))
      })
    )

    it.effect("a new process takes over the server of a killed process with its data", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const killed = yield* startHolder(dataDir)
        yield* query(killed.url, "create table stored_data as select 42 as answer")
        killed.child.kill("SIGKILL")
        yield* killed.exit
        assert.isDefined(yield* serverOf(dataDir))

        const takeOver = Effect.flatMap(embeddedPostgres({ dataDir }), (url) =>
          query(url, "select answer from stored_data")
        )
        assert.deepStrictEqual(yield* Effect.scoped(takeOver), [{ answer: 42 }])
        assert.isUndefined(yield* serverOf(dataDir))
      })
    )

    it.effect("a new process recovers the data after process and server were killed", () =>
      Effect.gen(function* () {
        const dataDir = yield* SharedFolder
        const killed = yield* startHolder(dataDir)
        yield* query(killed.url, "create table recovered_data as select 42 as answer")
        killed.child.kill("SIGKILL")
        process.kill((yield* serverOf(dataDir)) ?? assert.fail("the server went with its process"), "SIGKILL")
        yield* killed.exit

        const url = yield* embeddedPostgres({ dataDir, isDurable: false })
        assert.deepStrictEqual(yield* query(url, "select answer from recovered_data"), [{ answer: 42 }])
      })
    )
  }
)

it.live("concurrent starts share one server", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const start = embeddedPostgres({ dataDir, isDurable: false })
    const urls = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
    assert.strictEqual(new Set(urls.map(Redacted.value)).size, 1)
  })
)

it.live("a failed start returns a one-line error that names DATABASE_URL and DATA_DIR", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "file")
    const failure = yield* Effect.flip(embeddedPostgres({ dataDir: join("/dev/null", file) }))
    assert.instanceOf(failure, EmbeddedPostgresFailed)
    assert.match(
      failure.message,
      /^The embedded PostgreSQL is not available: creating .*Set DATABASE_URL .*DATA_DIR .*\.$/
    )
  })
)
