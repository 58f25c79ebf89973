import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, type Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { formatReason } from "./EmbeddedPostgresFailed.ts"
import { ServerNotReady } from "./Postmaster.ts"

/** Two arbitrary numbers, the name of the lock that everyone who uses the embedded server holds. */
const lock = "(1886547824, 1701012592)"

const notServing = ({ cause, message }: SqlError.SqlError) =>
  new ServerNotReady({ reason: cause instanceof Error ? `${message}: ${formatReason(cause)}` : message })

const open = (url: Redacted.Redacted): Effect.Effect<PgConnection.PgConnection, ServerNotReady, Scope.Scope> =>
  Effect.mapError(
    PgConnection.make({ url, applicationName: "partner-api presence", connectTimeout: "10 seconds" }),
    notServing
  )

const ask = (session: PgConnection.PgConnection, question: string): Effect.Effect<boolean, ServerNotReady> =>
  session.query(`select ${question} as yes`).pipe(
    Effect.map(({ rows }) => rows[0]?.["yes"] === true),
    Effect.mapError(notServing)
  )

/** Does `whenLast` if no one else uses the server. Newcomers wait until that is done. */
const leave = (session: PgConnection.PgConnection, url: Redacted.Redacted, whenLast: Effect.Effect<void>) =>
  Effect.gen(function* () {
    // The lock is lost with the session when the server restarts after a crash. A new session is used then.
    const held = Effect.as(ask(session, `pg_advisory_unlock_shared${lock}`), session)
    const current = yield* Effect.option(Effect.catch(held, () => open(url)))
    if (Option.isNone(current)) return
    const isLast = yield* Effect.orElseSucceed(ask(current.value, `pg_try_advisory_lock${lock}`), () => false)
    if (isLast) yield* whenLast
  }).pipe(Effect.scoped)

/**
 * Uses the server until the scope ends. Everyone who uses it holds a shared advisory lock in it, and who leaves tries for
 * the exclusive one, which only the last gets. The lock ends with its session, however that ends, so there is no owner
 * file to go stale, and no pid that another program could have got since.
 */
export const acquireUsageLock = (
  url: Redacted.Redacted,
  whenLast: Effect.Effect<void>
): Effect.Effect<void, ServerNotReady, Scope.Scope> =>
  Effect.gen(function* () {
    const session = yield* open(url)
    const isEntered = yield* ask(session, `pg_try_advisory_lock_shared${lock}`)
    if (!isEntered) return yield* new ServerNotReady({ reason: "the last user is stopping the server" })
    yield* Effect.addFinalizer(() => leave(session, url, whenLast))
  })
