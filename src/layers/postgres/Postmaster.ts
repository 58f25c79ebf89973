import { Data, Effect, Option } from "effect"
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { chooseTools, startAs } from "./Account.ts"
import type { Cluster } from "./Cluster.ts"
import { attempt, EmbeddedPostgresFailed, reasonOf } from "./Failed.ts"

/** Not serving at this moment: worth another look. */
export class NotServing extends Data.TaggedError("NotServing")<{ readonly reason: string }> {}

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
export const running = (cluster: Cluster): Effect.Effect<Option.Option<Postmaster>, EmbeddedPostgresFailed> =>
  attempt(`reading ${pidFile(cluster)}`, () =>
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
  server.once("error", (error) => resume(new EmbeddedPostgresFailed({ reason: reasonOf(error) })))
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

/** Looks every 25 ms for up to a minute, and gives what it saw last. */
const poll = <A, E>(look: Effect.Effect<A, E>, isDone: (seen: A) => boolean, left = 2400): Effect.Effect<A, E> =>
  Effect.flatMap(look, (seen) =>
    isDone(seen) || left === 0
      ? Effect.succeed(seen)
      : Effect.andThen(Effect.sleep("25 millis"), poll(look, isDone, left - 1))
  )

const lastLines = (file: string) => readFileSync(file, "utf8").trim().split("\n").slice(-3).join("; ")

const launch = (cluster: Cluster, isDurable: boolean) =>
  Effect.gen(function* () {
    const { account, binaries } = yield* chooseTools(cluster.home, cluster.isElsewhere).pipe(
      Effect.catchTag("NoAccount", ({ reason }) => new EmbeddedPostgresFailed({ reason }))
    )
    const port = yield* freePort
    return yield* attempt("starting the server", () => {
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

/** Starts a server on the cluster. It may end at once, for want of the port or because another start was faster. */
export const start = (cluster: Cluster, isDurable: boolean): Effect.Effect<void, EmbeddedPostgresFailed | NotServing> =>
  Effect.gen(function* () {
    const child = yield* launch(cluster, isDurable)
    const isSettled = Effect.gen(function* () {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
        return yield* new NotServing({ reason: `the server ended (${cluster.log}): ${lastLines(cluster.log)}` })
      }
      const server = yield* running(cluster)
      return Option.isSome(server) && server.value.pid === child.pid
    })
    yield* poll(isSettled, Boolean)
  })

/** The running server once it takes connections. Recovery after a crash can take its time. */
export const serving = (cluster: Cluster): Effect.Effect<Postmaster, EmbeddedPostgresFailed | NotServing> =>
  Effect.gen(function* () {
    const look = Effect.flatMap(running(cluster), (server) =>
      Option.isSome(server)
        ? Effect.succeed(server.value)
        : Effect.fail(new NotServing({ reason: "the server has ended" }))
    )
    const server = yield* poll(look, ({ status }) => status === "ready")
    return server.status === "ready"
      ? server
      : yield* new NotServing({ reason: `the server is still "${server.status}" (${cluster.log})` })
  })

/** Fast shutdown: sessions are ended, everything is written, the process has gone. */
export const stop = (cluster: Cluster): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function* () {
    const server = yield* running(cluster)
    if (Option.isNone(server)) return
    const { pid } = server.value
    yield* attempt("stopping the server", () => process.kill(pid, "SIGINT"))
    const isGone = Effect.sync(() => !isPostmasterOf(cluster, pid))
    if (yield* poll(isGone, Boolean)) return
    yield* Effect.logWarning(`PostgreSQL (${pid}) is still stopping; the next start waits for it or takes it over`)
  })
