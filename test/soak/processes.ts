import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SECRET_KEY } from "../support/SecretKey.ts"

/** Where what the processes print is kept. */
export const LOGS = join(tmpdir(), `partner-api-soak-${process.pid}`)

/** Both bundles lie beside this one's. */
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
  return { child, said: () => readFileSync(file, "utf8") }
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (isOver(child)) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

/** Processes that deliver, of which any can be killed and is replaced. */
export interface Workers {
  readonly pids: () => ReadonlyArray<number>
  /** Kills one at random, and starts another in its place without waiting for it. */
  readonly killOne: Effect.Effect<void>
  /** How many ended otherwise. */
  readonly ownEnds: () => number
}

/** `n` processes of `partner-api worker` until the scope ends. */
export const startWorkers = (
  databaseUrl: string,
  n: number,
  concurrency: number
): Effect.Effect<Workers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const killed = new Set<ChildProcess>()
    const all: Array<ChildProcess> = []
    const one = () => {
      const { child } = start("cli", ["worker", "--concurrency", String(concurrency)], { DATABASE_URL: databaseUrl })
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
        const place = Math.floor(Math.random() * running.length)
        const victim = running[place]
        if (victim === undefined) return Effect.void
        killed.add(victim)
        return Effect.andThen(
          kill(victim),
          Effect.sync(() => void (running[place] = one()))
        )
      }),
      ownEnds: () => all.filter((child) => isOver(child) && !killed.has(child)).length
    }
  })

const isReady = (base: string | undefined) =>
  Effect.promise(async () =>
    base === undefined
      ? false
      : fetch(new URL("/readyz", base)).then(
          (response) => response.ok,
          () => false
        )
  )

/** A server that leaves delivering to others, ready to answer, on a port that it takes itself unless one is given. */
export const startServer = (databaseUrl: string, port = 0) =>
  Effect.gen(function* () {
    const { child, said } = yield* Effect.acquireRelease(
      Effect.sync(() => start("main", [], { DATABASE_URL: databaseUrl, PORT: String(port), WEBHOOK_WORKERS: "0" })),
      ({ child }) => kill(child)
    )
    const base = () => /^Partner API  (http:\S+)$/m.exec(said())?.[1]
    const look = Effect.andThen(
      Effect.sleep("100 millis"),
      Effect.suspend(() => isReady(base()))
    )
    yield* Effect.repeat(look, { until: (ready) => ready || isOver(child) })
    return base() ?? (yield* Effect.die(new Error(`The server did not start: ${said()}`)))
  })
