import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"

/** One statement on the server's own database. */
const onServer = (url: string, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.orDie
  )

/** The URL of an empty database of its own, so files run in parallel and never clean up rows. Dropped with the scope. */
export const freshDatabase: Effect.Effect<Redacted.Redacted, never, Scope.Scope> = Effect.gen(function* () {
  const url = inject("databaseServer")
  const name = `test_${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(onServer(url, `create database ${name}`), () =>
    onServer(url, `drop database ${name} with (force)`)
  )
  const database = new URL(url)
  database.pathname = `/${name}`
  return Redacted.make(database.href)
})
