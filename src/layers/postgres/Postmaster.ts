import { Data, Effect, Option, Schedule } from "effect"
import { type ChildProcess, spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { chooseTools, startAs } from "./Account.ts"
import type { Cluster } from "./Cluster.ts"
import { tryStep, EmbeddedPostgresFailed, formatReason } from "./EmbeddedPostgresFailed.ts"

/** The server does not take connections now. Another start or look may help. */
export class ServerNotReady extends Data.TaggedError("ServerNotReady")<{ readonly reason: string }> {}

/** What `postmaster.pid` says. PostgreSQL writes the file piece by piece, so the later lines can be missing. */
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

/** The process's arguments; empty if there is no such process, or only its remains (a zombie has none). */
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

/** The server that runs on the cluster, whoever started it. A pid that another program got since does not count. */
export const findRunningServer = (cluster: Cluster): Effect.Effect<Option.Option<Postmaster>, EmbeddedPostgresFailed> =>
  tryStep(`reading ${pidFile(cluster)}`, () =>
    Option.filter(Option.map(readPidFile(cluster), parse), ({ pid }) => isPostmasterOf(cluster, pid))
  )

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A server that is just starting leaves the file empty for a moment; one that stays so is of a crash. */
const isRemnant = (cluster: Cluster, text: string) => {
  const { pid } = parse(text)
  if (pid > 0) return isAlive(pid) && !isPostmasterOf(cluster, pid)
  return text === "" && Date.now() - statSync(pidFile(cluster)).mtimeMs > 60_000
}

/**
 * PostgreSQL clears the `postmaster.pid` of a dead server itself, but refuses to start while any process of the
 * account has that pid, or when the file is empty. Such a file is moved away first and looked at again, and put back
 * should a server have written it in between.
 */
const clearRemnant = (cluster: Cluster) => {
  const remnant = Option.filter(readPidFile(cluster), (text) => isRemnant(cluster, text))
  if (Option.isNone(remnant)) return
  const aside = `${pidFile(cluster)}.${randomUUID()}`
  renameSync(pidFile(cluster), aside)
  if (readFileSync(aside, "utf8") === remnant.value) rmSync(aside)
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

const settings = (port: number, isDurable: boolean) => [
  `port=${port}`,
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "max_connections=200",
  "TimeZone=UTC",
  "log_timezone=UTC",
  ...(isDurable ? [] : ["fsync=off", "synchronous_commit=off", "full_page_writes=off"])
]

const lastLines = (file: string) => readFileSync(file, "utf8").trim().split("\n").slice(-3).join("; ")

const launch = (cluster: Cluster, isDurable: boolean) =>
  Effect.gen(function* () {
    const { account, binaries } = yield* chooseTools(cluster.home, cluster.isOutsideDataDir).pipe(
      Effect.catchTag("NoUsableAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
    )
    const port = yield* freePort
    return yield* tryStep("starting the server", () => {
      clearRemnant(cluster)
      const log = openSync(cluster.log, "a", 0o600)
      try {
        const args = ["-D", cluster.data, ...settings(port, isDurable).flatMap((setting) => ["-c", setting])]
        const child = startAs(account, join(binaries.folder, "postgres"), args, ["ignore", log, log])
        // Without a listener a failed spawn would be thrown; it is seen below as a child without a pid.
        child.once("error", () => undefined)
        child.unref()
        return child
      } finally {
        closeSync(log)
      }
    })
  })

/** The server is starting, or recovers after a crash, which can take its time. */
class Starting extends Data.TaggedError("Starting")<{ readonly status: string }> {}

/** Every 25 ms for up to a minute. */
const often = Schedule.max([Schedule.spaced("25 millis"), Schedule.recurs(2400)])

const isUnderWay = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null

/**
 * The server on the cluster once it takes connections: the one that runs, else one that is started. Of two starts at once
 * the slower one ends by itself, and both find the server of the faster one.
 */
export const ensureRunning = (
  cluster: Cluster,
  isDurable: boolean
): Effect.Effect<Postmaster, EmbeddedPostgresFailed | ServerNotReady> =>
  Effect.gen(function* () {
    const started = Option.isSome(yield* findRunningServer(cluster)) ? undefined : yield* launch(cluster, isDurable)
    const look = Effect.gen(function* () {
      const server = yield* findRunningServer(cluster)
      if (Option.isNone(server)) {
        if (started === undefined) return yield* new ServerNotReady({ reason: "the server has ended" })
        if (isUnderWay(started)) return yield* new Starting({ status: "starting" })
        return yield* new ServerNotReady({ reason: `the server ended (${cluster.log}): ${lastLines(cluster.log)}` })
      }
      if (server.value.status !== "ready") return yield* new Starting({ status: server.value.status })
      return server.value
    })
    return yield* look.pipe(
      Effect.retry({ while: (failure) => failure instanceof Starting, schedule: often }),
      Effect.catchTag(
        "Starting",
        ({ status }) => new ServerNotReady({ reason: `the server is still "${status}" (${cluster.log})` })
      )
    )
  })

/** Fast shutdown: sessions are ended, everything is written, the process has gone. */
export const stopServer = (cluster: Cluster): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const server = yield* findRunningServer(cluster)
    if (Option.isNone(server)) return
    const { pid } = server.value
    yield* tryStep("stopping the server", () => process.kill(pid, "SIGINT"))
    const isThere = Effect.sync(() => isPostmasterOf(cluster, pid))
    yield* Effect.repeat(isThere, { while: (there) => there, schedule: often })
    if (!(yield* isThere)) return
    yield* Effect.logWarning(`PostgreSQL (${pid}) is still stopping; the next start waits for it or takes it over`)
  })
