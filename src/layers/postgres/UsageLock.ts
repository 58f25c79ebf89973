/*
 * Works around PostgreSQL, which cannot stop itself when its last user leaves.
 */

import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, type Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { formatReason } from "./EmbeddedPostgresFailed.ts"
import { ServerNotReady } from "./Postmaster.ts"

/** Key of the advisory lock that every user of the embedded server holds: two arbitrary numbers. */
const LOCK_KEY = "(1886547824, 1701012592)"

const toNotReady = ({ cause, message }: SqlError.SqlError) =>
  new ServerNotReady({ reason: cause instanceof Error ? `${message}: ${formatReason(cause)}` : message })

const openSession = (url: Redacted.Redacted): Effect.Effect<PgConnection.PgConnection, ServerNotReady, Scope.Scope> =>
  Effect.mapError(
    PgConnection.make({ url, applicationName: "partner-api presence", connectTimeout: "10 seconds" }),
    toNotReady
  )

const evaluate = (session: PgConnection.PgConnection, condition: string): Effect.Effect<boolean, ServerNotReady> =>
  session.query(`select ${condition} as result`).pipe(
    Effect.map(({ rows }) => rows[0]?.["result"] === true),
    Effect.mapError(toNotReady)
  )

const isUnused = (session: PgConnection.PgConnection) => evaluate(session, `pg_try_advisory_lock${LOCK_KEY}`)

/** Releases the lock and runs `whenLast` if nobody else uses the server. New users wait until it is done. */
const releaseUsageLock = (session: PgConnection.PgConnection, url: Redacted.Redacted, whenLast: Effect.Effect<void>) =>
  Effect.gen(function* () {
    // A crash of the server ends the session and with it the lock. A new session replaces it.
    const unlocked = Effect.as(evaluate(session, `pg_advisory_unlock_shared${LOCK_KEY}`), session)
    const current = yield* Effect.option(Effect.catch(unlocked, () => openSession(url)))
    if (Option.isNone(current)) return
    const isLast = yield* Effect.orElseSucceed(isUnused(current.value), () => false)
    if (isLast) yield* whenLast
  }).pipe(Effect.scoped)

/** Runs `stop` and returns true if nobody uses the server. */
export const stopIfUnused = <E>(
  url: Redacted.Redacted,
  stop: Effect.Effect<void, E>
): Effect.Effect<boolean, E | ServerNotReady> =>
  Effect.flatMap(openSession(url), isUnused).pipe(
    Effect.tap((unused) => (unused ? stop : Effect.void)),
    Effect.scoped
  )

/**
 * Registers this process as a user of the server until the scope ends. Every user holds a shared advisory lock. A user
 * that leaves tries to get the exclusive lock, which only the last one can. PostgreSQL releases the lock with its
 * session, so neither a stale owner file nor a reused process id can mislead.
 */
export const acquireUsageLock = (
  url: Redacted.Redacted,
  whenLast: Effect.Effect<void>
): Effect.Effect<void, ServerNotReady, Scope.Scope> =>
  Effect.gen(function* () {
    const session = yield* openSession(url)
    const isLocked = yield* evaluate(session, `pg_try_advisory_lock_shared${LOCK_KEY}`)
    if (!isLocked) return yield* new ServerNotReady({ reason: "the last process that used the server is stopping it" })
    yield* Effect.addFinalizer(() => releaseUsageLock(session, url, whenLast))
  })
