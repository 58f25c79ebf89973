import { Config, Context, Deferred, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
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
import { listen } from "../../../src/http/server/HttpListener.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { MigrationsLive } from "../../../src/layers/Migrations.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { ServerLive } from "../../../src/Server.ts"
import { freshDatabase, migratedDatabase } from "../postgres/Postgres.ts"
import { portOf } from "../webhooks/Receiver.ts"
import { SECRET_KEY } from "../SecretKey.ts"
import { installing } from "../data/Writes.ts"

/** A plain connection of the test's own, beside the pools of the service. */
export const connection = (url: string): Effect.Effect<pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url, application_name: "test" })
      // A session that the test itself ended is reported here, and would otherwise end the run.
      client.on("error", () => undefined)
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

type Row = Record<string, unknown>

/** The rows of a statement on {@link connection}. */
export const rowsOf = (client: pg.Client, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.promise(async () => (await client.query<Row>(text, [...values])).rows)

/** URL of the server's own database, from which others can be closed and opened. */
export const serverUrl = Effect.sync(() => inject("databaseServer"))

/** URL of the database that the surrounding layer works on. */
export const databaseUrl = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
  const url = new URL(yield* serverUrl)
  url.pathname = `/${row?.name ?? ""}`
  return url.href
})

/**
 * The domain services on the database at `url`, with few connections and beside those of any server. Fresh, since a layer
 * that the surrounding ones have built would be theirs.
 */
export const servicesOn = (url: string) =>
  DomainLive.pipe(
    Layer.provideMerge(MigrationsLive),
    Layer.provideMerge(postgres({ url: Redacted.make(url), maxConnections: 6 })),
    Layer.fresh
  )

/** One more server of the whole service on the database of the surrounding layer, with a pool of its own. */
export const neighbour = Effect.gen(function* () {
  const server = ServerLive.pipe(
    Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
    Layer.provide(servicesOn(yield* databaseUrl))
  )
  return HttpServer.formatAddress(Context.get(yield* Layer.build(Layer.fresh(server)), HttpServer.HttpServer).address)
})

/** Looks again and again, until what it sees is what is waited for. The run's own time limit is the limit. */
export const watch = <A, E, R>(look: Effect.Effect<A, E, R>, isIt: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (seen) =>
    isIt(seen) ? Effect.succeed(seen) : Effect.andThen(Effect.sleep("10 millis"), watch(look, isIt))
  )

/** Waits for what must happen while `work` is under way, and fails with the work, or when that is done too early. */
export const duringWork = <A, B, E>(work: Fiber.Fiber<B, E>, wait: Effect.Effect<A>): Effect.Effect<A, E> =>
  Effect.raceFirst(wait, Effect.andThen(Fiber.join(work), Effect.die(new Error("The work was done too early"))))

/** Until `n` sessions of the service wait for a lock in the database of `client`; their pids, the first to wait first. */
export const waiting = (client: pg.Client, n: number) =>
  rowsOf(
    client,
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'
     order by state_change`
  ).pipe(
    (look) => watch(look, (rows) => rows.length >= n),
    Effect.map((rows) => rows.map(({ pid }) => Number(pid)))
  )

/** Keeps the row of a store locked until it is released: writes to the store that come meanwhile are in flight. */
export const holdStore = Effect.fn(function* (url: string, storeId: string) {
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "begin")
  yield* rowsOf(holder, "select 1 from stores where id = $1 for update", [storeId])
  return { watcher, release: rowsOf(holder, "commit") }
})

/** A folder that goes with the scope. Accounts other than ours may enter it, as the embedded server's must. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "partner-api-process-"))
    chmodSync(path, 0o755)
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const execute = promisify(execFile)

/** The bundles of what is in `src` now. Of several workers one builds, while the others wait for a lock of the run. */
export const built = Effect.runSync(
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

/** How a process ended, and what it had said. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** What a database of the operator's own asks for. */
export const keyed = (given: Variables): Variables => ("DATABASE_URL" in given ? { SECRET_KEY, ...given } : given)

/**
 * Starts `node dist/<bundle>.js` with nothing in its environment but what is given and a key for secrets, and on its
 * standard input. Killed with the scope.
 */
export const startNode = Effect.fn(function* (
  bundle: "main" | "cli",
  args: ReadonlyArray<string>,
  given: Variables,
  input = ""
) {
  yield* built
  const ended = yield* Deferred.make<Ended>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", ...keyed(given) }
      return spawn(process.execPath, [`dist/${bundle}.js`, ...args], { env, stdio: ["pipe", "pipe", "pipe"] })
    }),
    (started) =>
      Effect.andThen(
        Effect.sync(() => started.kill("SIGKILL")),
        Deferred.await(ended)
      )
  )
  // It may end before it has read anything.
  child.stdin.on("error", () => {}).end(input)
  const said = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (said.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (said.stderr += text))
  child.once("close", (code, signal) => Deferred.doneUnsafe(ended, Effect.succeed({ code, signal, ...said })))
  return { child, said, ended: Deferred.await(ended), kill: (signal: NodeJS.Signals) => child.kill(signal) }
})

/** Runs `node dist/<bundle>.js` to its end. */
export const runNode = (bundle: "main" | "cli", args: ReadonlyArray<string>, given: Variables) =>
  Effect.scoped(Effect.flatMap(startNode(bundle, args, given), ({ ended }) => ended))

const isReady = (base: string) =>
  Effect.promise(() =>
    fetch(`${base}/readyz`).then(
      async (response) => (await response.text()) !== "" && response.ok,
      () => false
    )
  )

/** The port that a server says it listens on. */
const portIn = (stdout: string) => /Partner API {2}http:\/\/\S+:(\d+)\//.exec(stdout)?.[1]

/**
 * Starts `node dist/main.js` and waits until it says that it is ready. It takes a free port itself, unless `PORT` is
 * given: one that was found free before could be another's by then.
 */
export const startServer = Effect.fn(function* (given: Variables) {
  const server = yield* startNode("main", [], { PORT: "0", ...given })
  const early = Effect.flatMap(server.ended, (end) => Effect.die(new Error(`The server ended: ${end.stderr}`)))
  const listening = watch(
    Effect.sync(() => portIn(server.said.stdout)),
    (port) => port !== undefined
  )
  const port = Number(yield* Effect.raceFirst(listening, early))
  const base = `http://127.0.0.1:${port}`
  yield* Effect.raceFirst(watch(isReady(base), Boolean), early)
  /** Until a demo store, where one is wanted, is there and said to be. */
  const greeted = watch(
    Effect.sync(() => server.said.stdout),
    (stdout) => stdout.includes("Try it:")
  )
  return { ...server, port, base, greeted }
})

/** A new store with `n` apps of every scope on the migrated database at `url`; their access tokens. */
export const enroll = (url: string, n = 1, plan = "scale") =>
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

/** A migrated database of its own, and a connection to it. */
export const ownDatabase = connected(migratedDatabase)

/** The same, empty: who starts on it makes the schema. */
export const emptyDatabase = connected(freshDatabase)
