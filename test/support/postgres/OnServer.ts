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

/** Drops a subscription of a database and leaves its slot. */
export const dropSubscription = (url: string, name: string) =>
  onServer(
    url,
    `alter subscription ${name} disable`,
    `alter subscription ${name} set (slot_name = none)`,
    `drop subscription ${name}`
  )

/** Drops databases of a server with what replicates between them, which PostgreSQL would refuse. */
export const dropDatabases = Effect.fnUntraced(function* (url: string, names: ReadonlyArray<string>) {
  const rows = yield* Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly name: string; readonly database: string }>`
      select s.subname as name, d.datname as database from pg_subscription s join pg_database d on d.oid = s.subdbid
    `
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)
  for (const { database, name } of rows.filter(({ database }) => names.includes(database))) {
    const of = new URL(url)
    of.pathname = `/${database}`
    yield* dropSubscription(of.href, name)
  }
  const list = names.map((name) => `'${name}'`).join(", ")
  if (names.length === 0) return
  yield* onServer(
    url,
    `select pg_terminate_backend(active_pid) from pg_replication_slots where database in (${list}) and active`,
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database in (${list}) and not active`,
    ...names.map((name) => `drop database ${name} with (force)`)
  )
})
