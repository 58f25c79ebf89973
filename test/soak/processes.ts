import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SECRET_KEY } from "../support/SecretKey.ts"

/** Folder with the output of the processes. */
export const LOGS = join(tmpdir(), `partner-api-soak-${process.pid}`)

/** Path of a bundle, which is in the folder of this one. */
const bundle = (name: string) => fileURLToPath(new URL(name, import.meta.url))

let started = 0

const start = (name: string, args: ReadonlyArray<string>, variables: Record<string, string>) => {
  started += 1
  mkdirSync(LOGS, { recursive: true })
  const file = join(LOGS, `${started}-${name}.log`)
  const log = openSync(file, "w")
  const child = spawn(process.execPath, [bundle(`${name}.js`), ...args], {
    stdio: ["ignore", log, log],
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      SECRET_KEY,
      WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
      ...variables
    }
  })
  closeSync(log)
  return { child, readOutput: () => readFileSync(file, "utf8") }
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (isOver(child)) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

/** Webhook workers. A killed one is replaced. */
export interface Workers {
  readonly pids: () => ReadonlyArray<number>
  /** Kills a random one and starts another without waiting for it. */
  readonly killOne: Effect.Effect<void>
  /** Number of workers that exited without being killed. */
  readonly unexpectedExits: () => number
}

/** Starts `n` processes of `partner-api worker` until the scope ends. */
export const startWorkers = (
  databaseUrl: string,
  n: number,
  concurrency: number,
  settings: Record<string, string> = {}
): Effect.Effect<Workers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const killed = new Set<ChildProcess>()
    const all: Array<ChildProcess> = []
    const one = () => {
      const { child } = start("cli", ["worker", "--concurrency", String(concurrency)], {
        DATABASE_URL: databaseUrl,
        ...settings
      })
      all.push(child)
      return child
    }
    const running = yield* Effect.acquireRelease(
      Effect.sync(() => Array.from({ length: n }, one)),
      (children) => Effect.forEach(children, kill, { discard: true })
    )
    return {
      pids: () => running.flatMap(({ pid }) => pid ?? []),
      killOne: Effect.suspend(() => {
        const index = Math.floor(Math.random() * running.length)
        const victim = running[index]
        if (victim === undefined) return Effect.void
        killed.add(victim)
        return Effect.andThen(
          kill(victim),
          Effect.sync(() => void (running[index] = one()))
        )
      }),
      unexpectedExits: () => all.filter((child) => isOver(child) && !killed.has(child)).length
    }
  })

/** Starts `partner-api` with arguments. It is killed when the scope ends. */
export const startCommand = (args: ReadonlyArray<string>, variables: Record<string, string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => start("cli", args, variables)),
      ({ child }) => kill(child)
    ),
    ({ child, readOutput }) => ({
      readOutput,
      kill: kill(child),
      /** Undefined while it runs, null if it was killed. */
      code: () => (isOver(child) ? child.exitCode : undefined)
    })
  )

export type Command = Effect.Success<ReturnType<typeof startCommand>>

const isReady = (base: string | undefined) =>
  Effect.promise(async () =>
    base === undefined
      ? false
      : fetch(new URL("/readyz", base)).then(
          (response) => response.ok,
          () => false
        )
  )

/** Starts a server without webhook workers and waits until it is ready. It chooses a port by default. */
export const startServer = (databaseUrl: string, settings: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const { child, readOutput } = yield* Effect.acquireRelease(
      Effect.sync(() => start("main", [], { DATABASE_URL: databaseUrl, PORT: "0", WEBHOOK_WORKERS: "0", ...settings })),
      ({ child }) => kill(child)
    )
    const base = () => /^Partner API  (http:\S+)$/m.exec(readOutput())?.[1]
    const probe = Effect.andThen(
      Effect.sleep("100 millis"),
      Effect.suspend(() => isReady(base()))
    )
    yield* Effect.repeat(probe, { until: (ready) => ready || isOver(child) })
    return base() ?? (yield* Effect.die(new Error(`The server did not start: ${readOutput()}`)))
  })
