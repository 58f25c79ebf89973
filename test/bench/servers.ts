import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SECRET_KEY } from "../support/SecretKey.ts"

/** Connections that each server may open to its database. */
const POOL_SIZE = 10

const START_SECONDS = 30

export const SIDES = ["service", "baseline"] as const
export type Side = (typeof SIDES)[number]

const fileOf = (bundle: string) => fileURLToPath(new URL(bundle, import.meta.url))

/** Bundles of the servers, in the folder of this bundle. They start without V8 flags, as in `npm start`. */
export const SERVICE = fileOf("main.js")
export const BASELINE = fileOf("bench-baseline.js")
export const TOKENS_BASELINE = fileOf("bench-tokens-baseline.js")

/** A folder that is deleted with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-api-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export interface RunningServer {
  readonly port: number
  readonly pid: number
  readonly base: string
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  if (address === null || typeof address === "string") throw new Error("No free port")
  return address.port
}

/** True once a request without a token returns 401, or 404 on a server without this route. */
const isUp = (base: string) =>
  fetch(`${base}/products`).then(
    ({ status }) => status === 401 || status === 404,
    () => false
  )

/** Polls until the process is ready. */
const waitFor = async ({ child, log }: Program, isReady: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + START_SECONDS * 1000
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`A process did not start:\n${readFileSync(log, "utf8").slice(-4000)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Stops a process with SIGTERM, and after 5 s with SIGKILL. */
const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const timeout = setTimeout(() => child.kill("SIGKILL"), 5000)
  await exited
  clearTimeout(timeout)
}

interface Program {
  readonly child: ChildProcess
  /** File with its output. */
  readonly log: string
}

type Environment = Readonly<Record<string, string>>

/** Runs a bundle in a child process until the scope ends. Its output goes to a file. */
const start = (
  databaseUrl: string,
  args: ReadonlyArray<string>,
  environment: Environment
): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const log = join(yield* temporaryFolder, "log")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const output = openSync(log, "w")
        const started = spawn(process.execPath, args, {
          stdio: ["ignore", output, output],
          env: {
            PATH: process.env["PATH"],
            NODE_ENV: "production",
            DATABASE_URL: databaseUrl,
            DATABASE_POOL_SIZE: String(POOL_SIZE),
            SECRET_KEY,
            ...environment
          }
        })
        closeSync(output)
        return started
      }),
      (started) => Effect.promise(() => stop(started))
    )
    return { child, log }
  })

/** Starts a server until the scope ends, and waits until it is ready. */
export const startServer = (
  bundle: string,
  databaseUrl: string,
  environment: Environment = {}
): Effect.Effect<RunningServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const base = `http://127.0.0.1:${port}/api/platform/v1`
    const address = { HOST: "127.0.0.1", PORT: String(port) }
    const program = yield* start(databaseUrl, [bundle], { ...address, ...environment })
    yield* Effect.promise(() => waitFor(program, () => isUp(base)))
    return { port, base, pid: program.child.pid ?? 0 }
  })

/** Starts `partner-api worker` until the scope ends. Returns its process id once it delivers. */
export const startWorker = (databaseUrl: string, environment: Environment): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program = yield* start(databaseUrl, [fileOf("cli.js"), "worker"], environment)
    yield* Effect.promise(() => waitFor(program, () => readFileSync(program.log, "utf8").includes("Delivering")))
    return program.child.pid ?? 0
  })

/** Resident memory of a process in MiB; 0 for a zombie. */
export const residentMiB = (pid: number): number => {
  const [, kib = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kib) / 1024
}
