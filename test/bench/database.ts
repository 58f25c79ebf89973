import { Config, Effect, Option, Redacted, type Scope } from "effect"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import { findCluster, removeFolder } from "../../src/layers/postgres/Cluster.ts"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"

/** Opens a connection until the scope ends. */
export const openConnection = (url: string): Effect.Effect<Pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Updates the statistics. Existing sessions replan their statements too. */
export const analyze = (db: Pg.Client): Effect.Effect<void> => Effect.promise(() => db.query("vacuum (analyze)"))

/** Brings the database into a quiet state: vacuumed, analyzed, and after a checkpoint. */
export const vacuumAndCheckpoint = (db: Pg.Client): Effect.Effect<void> =>
  Effect.andThen(
    analyze(db),
    Effect.promise(() => db.query("checkpoint"))
  )

/** Runs one statement on a new connection. */
const onServer = (url: string, statement: string) =>
  Effect.scoped(Effect.flatMap(openConnection(url), (client) => Effect.promise(() => client.query(statement))))

/** Data folder of an embedded server, which is deleted with the scope. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-bench-"))),
  (path) =>
    Effect.sync(() => {
      // The cluster is outside the folder if the account of the server cannot enter it.
      removeFolder(findCluster(path).home)
      removeFolder(path)
    })
)

/** PostgreSQL server for all databases: that of `BENCH_DATABASE_URL`, or else an embedded server for this run. */
export const databaseServer = Effect.gen(function* () {
  const url = yield* Config.option(Config.NonEmptyString("BENCH_DATABASE_URL"))
  if (Option.isSome(url)) return url.value
  return Redacted.value(yield* embeddedPostgres({ dataDir: yield* temporaryDirectory }))
})

/**
 * PostgreSQL server whose databases replicate to each other: that of `BENCH_DATABASE_URL`, or else an embedded server of its
 * own, without durability.
 */
export const replicatingServer = Effect.gen(function* () {
  const url = yield* Config.option(Config.NonEmptyString("BENCH_DATABASE_URL"))
  if (Option.isSome(url)) return url.value
  return Redacted.value(yield* embeddedPostgres({ dataDir: yield* temporaryDirectory, isDurable: false }))
})

/** Creates an empty database, and drops it when the scope ends. */
export const createDatabase = (server: string, purpose: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = `bench_${purpose}_${process.pid}_${Date.now().toString(36)}`
    yield* Effect.acquireRelease(onServer(server, `create database ${name}`), () =>
      onServer(server, `drop database if exists ${name} with (force)`)
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    return url.href
  })
