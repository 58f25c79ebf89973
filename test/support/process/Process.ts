import { Console, Context, Deferred, Effect, Exit, Fiber, Layer, Redacted, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import pg from "pg"
import { inject } from "vitest"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Apps } from "../../../src/domain/access/Apps.ts"
import { Stores } from "../../../src/domain/access/Stores.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { GlobalDatabase, postgres } from "../../../src/layers/sql/Postgres.ts"
import { CellVariables, installationOn } from "../http/Installation.ts"
import { freshDatabase, migratedDatabase } from "../postgres/Postgres.ts"
import { portOf } from "../webhooks/Receiver.ts"
import { SECRET_KEY } from "../SecretKey.ts"
import { installing } from "../data/Writes.ts"

/** A connection outside the pools of the service. */
export const connection = (url: string): Effect.Effect<pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url, application_name: "test" })
      // A session that the test ended emits an error, which would end the process.
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

type Row = Record<string, unknown>

/** Runs a statement on {@link connection} and returns its rows. */
export const rowsOf = (client: pg.Client, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.promise(async () => (await client.query<Row>(text, [...values])).rows)

/** URL of the server's own database, from which a test closes and opens others. */
export const serverUrl = Effect.sync(() => inject("databaseServer"))

/** URL of the database of the surrounding layer. */
export const databaseUrl = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
  const url = new URL(yield* serverUrl)
  url.pathname = `/${row?.name ?? ""}`
  return url.href
})

/**
 * Domain services on the database at `url` with a small pool. Fresh, because shared layers would use another database.
 */
export const servicesOn = (url: string) =>
  DomainLive.pipe(
    Layer.provideMerge(MigrationsLive),
    Layer.provideMerge(postgres({ url: Redacted.make(url), maxConnections: 6 })),
    Layer.fresh
  )

/** URL of the global database, which is that of the surrounding layer without cells. */
export const globalDatabaseUrl = Effect.flatMap(GlobalDatabase, ({ sql }) =>
  Effect.provideService(databaseUrl, SqlClient.SqlClient, sql)
)

/** Starts another server on the databases of the surrounding layer, with its own pool, and returns its URL. */
export const startSecondServer = Effect.gen(function* () {
  const server = installationOn({ main: Redacted.make(yield* globalDatabaseUrl), settings: yield* CellVariables })
  return HttpServer.formatAddress(Context.get(yield* Layer.build(Layer.fresh(server)), HttpServer.HttpServer).address)
})

/** Polls until the value satisfies the condition. The time limit of the test applies. */
export const waitUntil = <A, E, R>(look: Effect.Effect<A, E, R>, isIt: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (seen) =>
    isIt(seen) ? Effect.succeed(seen) : Effect.andThen(Effect.sleep("10 millis"), waitUntil(look, isIt))
  )

/** Waits for an event that happens during `work`. Fails if the work fails or ends before it. */
export const duringWork = <A, B, E>(work: Fiber.Fiber<B, E>, wait: Effect.Effect<A>): Effect.Effect<A, E> =>
  Effect.raceFirst(wait, Effect.andThen(Fiber.join(work), Effect.die(new Error("The work was done too early"))))

/**
 * Waits until `n` sessions of the service wait for a lock in the database of `client`. Returns their pids in order of
 * waiting.
 */
export const waitForLockWaits = (client: pg.Client, n: number) =>
  rowsOf(
    client,
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'
     order by state_change`
  ).pipe(
    (look) => waitUntil(look, (rows) => rows.length >= n),
    Effect.map((rows) => rows.map(({ pid }) => Number(pid)))
  )

const lockRow = (table: "products" | "stores", strength: "update" | "no key update" = "update") =>
  Effect.fn(function* (url: string, id: string) {
    const [holder, watcher] = [yield* connection(url), yield* connection(url)]
    yield* rowsOf(holder, "begin")
    yield* rowsOf(holder, `select 1 from ${table} where id = $1 for ${strength}`, [id])
    return { watcher, release: rowsOf(holder, "commit") }
  })

/** Locks the row of a store until `release`, so that writes to the store stay in flight. */
export const lockStore = lockRow("stores")

/** Locks the row of a store as a write does that creates a product, until `release`. */
export const writeToStore = lockRow("stores", "no key update")

/** Locks the row of a product until `release`, so that a write that changes it stays in flight. */
export const lockProduct = lockRow("products")

/** A temporary folder that other accounts may enter, because the embedded server runs as one. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "partner-api-process-"))
    chmodSync(path, 0o755)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const execute = promisify(execFile)

/** Builds the bundles of `src` once. An advisory lock makes other workers wait. */
export const buildOnce = Effect.runSync(
  Effect.cached(
    Effect.scoped(
      Effect.gen(function* () {
        const client = yield* Effect.flatMap(serverUrl, connection)
        yield* rowsOf(client, "select pg_advisory_lock(7161)")
        yield* Effect.promise(() => execute(process.execPath, ["scripts/build.mjs", "--if-stale"]))
      })
    )
  )
)

export const freePort = Effect.promise(async () => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const port = portOf(probe)
  probe.close()
  await once(probe, "close")
  return port
})

export type Variables = Record<string, string>

/** Folder whose `dist` the processes run: by default that of the present sources, which is built first. */
export const ReleaseFolder = Context.Reference<string>("test/ReleaseFolder", { defaultValue: () => "." })

/** Exit and output of a process. */
export interface ExitedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Adds `SECRET_KEY`, which an external database requires. */
export const withSecretKey = (given: Variables): Variables =>
  "DATABASE_URL" in given ? { SECRET_KEY, ...given } : given

/**
 * Starts `node dist/<bundle>.js` of {@link ReleaseFolder} with only the given environment and a key for secrets, and with
 * `input` on its standard input. Killed with the scope.
 */
export const startNode = Effect.fn(function* (
  bundle: "main" | "cli",
  args: ReadonlyArray<string>,
  given: Variables,
  input = ""
) {
  const cwd = yield* ReleaseFolder
  if (cwd === ".") yield* buildOnce
  const ended = yield* Deferred.make<ExitedProcess>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", ...withSecretKey(given) }
      // The guardian of the run finds the process by the title.
      const program = [`--title=${tmpdir()}`, `dist/${bundle}.js`]
      return spawn(process.execPath, [...program, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] })
    }),
    (started, exit) =>
      Effect.gen(function* () {
        started.kill("SIGKILL")
        const { stderr, stdout } = yield* Deferred.await(ended)
        // The runner prints it, because the test has failed.
        if (Exit.isFailure(exit)) yield* Console.log(`Output of ${bundle} ${args.join(" ")}:\n${stdout}${stderr}`)
      })
  )
  // The process may end before it reads its input.
  child.stdin.on("error", () => {}).end(input)
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (output.stderr += text))
  child.once("close", (code, signal) => Deferred.doneUnsafe(ended, Effect.succeed({ code, signal, ...output })))
  return { child, output, ended: Deferred.await(ended), kill: (signal: NodeJS.Signals) => child.kill(signal) }
})

/** Runs `node dist/<bundle>.js` until it ends. */
export const runNode = (bundle: "main" | "cli", args: ReadonlyArray<string>, given: Variables) =>
  Effect.scoped(Effect.flatMap(startNode(bundle, args, given), ({ ended }) => ended))

/** Status and body of a response; status 0 without one. */
export const fetchText = (url: string) =>
  Effect.promise(() =>
    fetch(url).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => ({ status: 0, text: "" })
    )
  )

const isReady = (base: string) => Effect.map(fetchText(`${base}/readyz`), ({ status }) => status === 200)

/** Port in the start message of a server. */
const portIn = (stdout: string) => /Partner API {2}http:\/\/\S+:(\d+)\//.exec(stdout)?.[1]

/**
 * Starts `node dist/main.js` and waits until it is ready. The server selects a free port unless `PORT` is given,
 * because a probed port could be taken by another process.
 */
export const startServer = Effect.fn(function* (given: Variables) {
  const server = yield* startNode("main", [], { PORT: "0", ...given })
  const early = Effect.flatMap(server.ended, (end) => Effect.die(new Error(`The server ended: ${end.stderr}`)))
  const listening = waitUntil(
    Effect.sync(() => portIn(server.output.stdout)),
    (port) => port !== undefined
  )
  const port = Number(yield* Effect.raceFirst(listening, early))
  const base = `http://127.0.0.1:${port}`
  yield* Effect.raceFirst(waitUntil(isReady(base), Boolean), early)
  /** Waits until the server has created the demo store and printed its credentials. */
  const greeted = waitUntil(
    Effect.sync(() => server.output.stdout),
    (stdout) => stdout.includes("Try it:")
  )
  return { ...server, port, base, greeted }
})

/** Creates a store with `n` apps of all scopes on the migrated database at `url`, and returns their access tokens. */
export const createTokens = (url: string, n = 1, plan = "scale") =>
  Effect.gen(function* () {
    const stores = yield* Stores
    const apps = yield* Apps
    const { install } = yield* installing
    const tokens = yield* Tokens
    const storeId = yield* stores.create({ name: "A store", plan, currencyCode: "EUR" })
    const one = apps.create({ name: "An app", ...ALL_GRANTS }).pipe(
      Effect.flatMap((appId) => install({ storeId, appId, ...ALL_GRANTS })),
      Effect.flatMap(tokens.issue)
    )
    const issued = yield* Effect.all(Array.from({ length: n }, () => one))
    return { storeId, tokens: issued.map(({ token }) => Redacted.value(token)) }
  }).pipe(Effect.provide(servicesOn(url)))

const connected = (database: typeof freshDatabase) =>
  Effect.gen(function* () {
    const url = Redacted.value(yield* database)
    return { url, client: yield* connection(url) }
  })

/** A migrated database and a connection to it. */
export const makeMigratedDatabase = connected(migratedDatabase)

/** An empty database and a connection to it. */
export const makeEmptyDatabase = connected(freshDatabase)
