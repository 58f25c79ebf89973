import { Effect, Option, Redacted, type Scope } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { embeddedPostgres } from "../../../src/layers/postgres/EmbeddedPostgres.ts"
import { type Cluster, findCluster } from "../../../src/layers/postgres/Cluster.ts"
import { carelessDataFolder } from "./DataFolder.ts"
import { findServer } from "../../../src/layers/postgres/Postmaster.ts"

/** Command line of the server from its `postmaster.opts`, where each argument is quoted. */
const commandOf = ({ data }: Cluster) => {
  const [line = ""] = readFileSync(join(data, "postmaster.opts"), "utf8").split("\n")
  const [program = "", ...quoted] = line.split(' "')
  return { program, args: quoted.map((argument) => argument.slice(0, -1)) }
}

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const pause = Effect.sleep("10 millis")

const takesConnections = (url: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    // The connection can break again while it is closed.
    client.on("error", () => undefined)
    const isUp = await client.connect().then(
      () => true,
      () => false
    )
    await client.end()
    return isUp
  })

export interface Restartable {
  readonly url: string
  /** Stops the server in immediate mode, like a crash, starts it on the same port, and waits for its recovery. */
  readonly restart: Effect.Effect<void>
}

/** A PostgreSQL that a test can restart. Its commits survive that, but not a crash of the machine. */
export const restartable: Effect.Effect<Restartable, never, Scope.Scope> = Effect.gen(function* () {
  const dataDir = yield* carelessDataFolder
  const url = Redacted.value(yield* Effect.orDie(embeddedPostgres({ dataDir })))
  const cluster = findCluster(dataDir)
  const restart = Effect.gen(function* () {
    const { pid } = Option.getOrThrow(yield* Effect.orDie(findServer(dataDir)))
    process.kill(pid, "SIGQUIT")
    yield* Effect.repeat(pause, { while: () => isThere(pid) })
    const { args, program } = commandOf(cluster)
    const { gid, uid } = statSync(cluster.data)
    const account = process.getuid?.() === 0 ? { uid, gid } : {}
    spawn(program, args, { ...account, cwd: "/", detached: true, stdio: "ignore" }).unref()
    yield* Effect.repeat(Effect.andThen(pause, takesConnections(url)), { until: (isUp) => isUp })
  })
  return { url, restart }
})
