/*
 * Works around `postmaster.pid`, which a crash leaves behind and whose process id another program may reuse.
 */

import { Data, Effect, Option, Redacted, Schedule } from "effect"
import { type ChildProcess, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { chooseTools, startAs } from "./Account.ts"
import { type Cluster, findCluster } from "./Cluster.ts"
import { tryStep, EmbeddedPostgresFailed, formatReason } from "./EmbeddedPostgresFailed.ts"

/** The server does not accept connections now. A retry may help. */
export class ServerNotReady extends Data.TaggedError("ServerNotReady")<{ readonly reason: string }> {}

/** Content of `postmaster.pid`. PostgreSQL writes the file in steps, so the last lines can be missing. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  readonly status: string
}

const pidFile = (cluster: Cluster) => join(cluster.data, "postmaster.pid")

const parse = (text: string): Postmaster => {
  const lines = text.split("\n").map((line) => line.trim())
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7] ?? "" }
}

const readPidFile = (cluster: Cluster): Option.Option<string> => {
  try {
    return Option.some(readFileSync(pidFile(cluster), "utf8"))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Option.none()
    throw error
  }
}

/** Arguments of a process; empty if it does not exist or is a zombie. */
const argumentsOf = (pid: number): string => {
  if (process.platform !== "linux")
    return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const isPostmasterOf = (cluster: Cluster, pid: number) =>
  Number.isInteger(pid) && argumentsOf(pid).includes(cluster.data)

/** Finds the running server of the cluster. A process id that another program reuses does not count. */
export const findRunningServer = (cluster: Cluster): Effect.Effect<Option.Option<Postmaster>, EmbeddedPostgresFailed> =>
  tryStep(`reading ${pidFile(cluster)}`, () =>
    Option.filter(Option.map(readPidFile(cluster), parse), ({ pid }) => isPostmasterOf(cluster, pid))
  )

/** Reads the password of the superuser and returns a function that makes the URL of a running server. */
export const readPassword = (cluster: Cluster) =>
  tryStep(`reading ${cluster.password}`, () => {
    const password = readFileSync(cluster.password, "utf8")
    return ({ port }: Postmaster) => Redacted.make(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
  })

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** True for the file of a dead server. A starting server leaves the file empty for a moment, a crash for ever. */
const isStale = (cluster: Cluster, text: string) => {
  const { pid } = parse(text)
  if (pid > 0) return isAlive(pid) && !isPostmasterOf(cluster, pid)
  return text === "" && Date.now() - statSync(pidFile(cluster)).mtimeMs > 60_000
}

/**
 * Deletes a stale `postmaster.pid`. PostgreSQL does so itself, unless the file is empty or any process of the account
 * has that process id. The file is first moved and read again, and moved back if a server has written it meanwhile.
 */
const deleteStalePidFile = (cluster: Cluster) => {
  const stale = Option.filter(readPidFile(cluster), (text) => isStale(cluster, text))
  if (Option.isNone(stale)) return
  const aside = `${pidFile(cluster)}.${randomUUID()}`
  renameSync(pidFile(cluster), aside)
  if (readFileSync(aside, "utf8") === stale.value) rmSync(aside)
  else renameSync(aside, pidFile(cluster))
}

const freePort = Effect.callback<number, EmbeddedPostgresFailed>((resume) => {
  const server = createServer()
  server.once("error", (error) => resume(new EmbeddedPostgresFailed({ reason: formatReason(error) })))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Settings of tests, whose data need not survive a crash, and which replicate between databases. */
const TEST_SETTINGS = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "wal_level=logical",
  "max_wal_senders=250",
  "max_replication_slots=250",
  "max_active_replication_origins=250",
  "max_logical_replication_workers=200",
  "max_worker_processes=250"
]

const settings = (port: number, isDurable: boolean) => [
  `port=${port}`,
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "TimeZone=UTC",
  "log_timezone=UTC",
  ...(isDurable ? [] : TEST_SETTINGS)
]

const lastLines = (file: string) => readFileSync(file, "utf8").trim().split("\n").slice(-3).join("; ")

const launchServer = (cluster: Cluster, isDurable: boolean) =>
  Effect.gen(function* () {
    const { account, binaries } = yield* chooseTools(cluster.home, cluster.isOutsideDataDir).pipe(
      Effect.catchTag("NoUsableAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
    )
    const port = yield* freePort
    return yield* tryStep("starting the server", () => {
      deleteStalePidFile(cluster)
      const log = openSync(cluster.log, "a", 0o600)
      try {
        const args = ["-D", cluster.data, ...settings(port, isDurable).flatMap((setting) => ["-c", setting])]
        const child = startAs(account, join(binaries.folder, "postgres"), args, ["ignore", log, log])
        // Without a listener, a failed spawn throws. The check below detects it by the missing process id.
        child.once("error", () => undefined)
        child.unref()
        return child
      } finally {
        closeSync(log)
      }
    })
  })

/** The server is starting. Recovery after a crash can take long. */
class Starting extends Data.TaggedError("Starting")<{ readonly status: string }> {}

/** Every 25 ms for up to a minute. */
const pollSchedule = Schedule.max([Schedule.spaced("25 millis"), Schedule.recurs(2400)])

const isRunning = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null

/**
 * Waits until the server of the cluster accepts connections, and starts it if none runs. If two processes start it at
 * the same time, the slower server exits, and both use the other.
 */
export const ensureRunning = (
  cluster: Cluster,
  isDurable: boolean
): Effect.Effect<Postmaster, EmbeddedPostgresFailed | ServerNotReady> =>
  Effect.gen(function* () {
    const started = Option.isSome(yield* findRunningServer(cluster))
      ? undefined
      : yield* launchServer(cluster, isDurable)
    const find = Effect.gen(function* () {
      const server = yield* findRunningServer(cluster)
      if (Option.isNone(server)) {
        if (started === undefined) return yield* new ServerNotReady({ reason: "the server has ended" })
        if (isRunning(started)) return yield* new Starting({ status: "starting" })
        return yield* new ServerNotReady({ reason: `the server ended (${cluster.log}): ${lastLines(cluster.log)}` })
      }
      if (server.value.status !== "ready") return yield* new Starting({ status: server.value.status })
      return server.value
    })
    return yield* find.pipe(
      Effect.retry({ while: (failure) => failure instanceof Starting, schedule: pollSchedule }),
      Effect.catchTag(
        "Starting",
        ({ status }) => new ServerNotReady({ reason: `the server is still "${status}" (${cluster.log})` })
      )
    )
  })

/** Finds the running server of `dataDir`, whose cluster may be in another folder. */
export const findServer = (dataDir: string): Effect.Effect<Option.Option<Postmaster>, EmbeddedPostgresFailed> =>
  Effect.flatMap(
    tryStep(`reading ${dataDir}`, () => findCluster(dataDir)),
    findRunningServer
  )

/** Stops the server by a fast shutdown: it ends all sessions and writes all data. Waits for its exit. */
export const stopServer = (cluster: Cluster): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const server = yield* findRunningServer(cluster)
    if (Option.isNone(server)) return
    const { pid } = server.value
    yield* tryStep("stopping the server", () => process.kill(pid, "SIGINT"))
    const isAlive = Effect.sync(() => isPostmasterOf(cluster, pid))
    yield* Effect.repeat(isAlive, { while: (alive) => alive, schedule: pollSchedule })
    if (!(yield* isAlive)) return
    yield* Effect.logWarning(`PostgreSQL (${pid}) is still stopping; the next start waits for it or joins it`)
  })
