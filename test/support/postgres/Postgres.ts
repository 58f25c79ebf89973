import { Effect, Redacted, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { onServer } from "./OnServer.ts"

/**
 * Creates a database and returns its URL, so that files run in parallel and need no cleanup. Dropped with the scope.
 */
const databaseFrom = Effect.fnUntraced(function* (template: string) {
  const url = inject("databaseServer")
  const name = `${inject("databasePrefix")}${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(onServer(url, `create database ${name} template ${template} strategy file_copy`), () =>
    onServer(url, `drop database ${name} with (force)`)
  )
  const database = new URL(url)
  database.pathname = `/${name}`
  return Redacted.make(database.href)
})

/** An empty database. */
export const freshDatabase: Effect.Effect<Redacted.Redacted, never, Scope.Scope> = databaseFrom("template1")

/** A migrated database. It is a copy, which takes a tenth of the time of migrations. */
export const migratedDatabase: Effect.Effect<Redacted.Redacted, never, Scope.Scope> = Effect.suspend(() =>
  databaseFrom(inject("migratedTemplate"))
)
