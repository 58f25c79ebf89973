import { Config, Effect, Option, Redacted, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Pg from "pg"
import { embeddedPostgres } from "../../src/layers/postgres/EmbeddedPostgres.ts"

/** A connection for as long as the scope lives. */
export const connection = (url: string): Effect.Effect<Pg.Client, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** From now on plans are made for what is in the tables, by sessions that have planned before too. */
export const analyze = (db: Pg.Client): Effect.Effect<void> => Effect.promise(() => db.query("vacuum (analyze)"))

/** The database as it is when it has rested. */
export const settle = (db: Pg.Client): Effect.Effect<void> =>
  Effect.andThen(
    analyze(db),
    Effect.promise(() => db.query("checkpoint"))
  )

/** One statement on a connection of its own. */
const onServer = (url: string, statement: string) =>
  Effect.scoped(Effect.flatMap(connection(url), (client) => Effect.promise(() => client.query(statement))))

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The server that both databases are made on: the one of `BENCH_DATABASE_URL`, else one of our own for this run. */
export const databaseServer = Effect.gen(function* () {
  const given = yield* Config.option(Config.NonEmptyString("BENCH_DATABASE_URL"))
  if (Option.isSome(given)) return given.value
  return Redacted.value(yield* embeddedPostgres({ dataDir: yield* temporaryDirectory }))
})

/** An empty database, dropped when the scope ends. */
export const freshDatabase = (server: string, purpose: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = `bench_${purpose}_${process.pid}_${Date.now().toString(36)}`
    yield* Effect.acquireRelease(onServer(server, `create database ${name}`), () =>
      onServer(server, `drop database if exists ${name} with (force)`)
    )
    const url = new URL(server)
    url.pathname = `/${name}`
    return url.href
  })
