import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** Runs statements on the server's own database in one session. */
export const onServer = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)

/** Names of the databases that start with `prefix`. */
export const databasesOf = (url: string, prefix: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly name: string }>`select datname as name from pg_database where starts_with(datname, ${prefix})`
  ).pipe(
    Effect.map((rows) => rows.map(({ name }) => name)),
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.orDie
  )

/** Sets the default isolation level of a database for later sessions. */
export const setDefaultLevel = (url: string, level: string) =>
  onServer(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = '${level}'`)
