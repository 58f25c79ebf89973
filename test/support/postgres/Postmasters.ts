import { Effect } from "effect"
import { spawn } from "node:child_process"
import { closeSync, openSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import type { Cluster } from "../../../src/layers/postgres/Cluster.ts"

/** Command line of the server from its `postmaster.opts`, where each argument is quoted. */
const commandOf = ({ data }: Cluster) => {
  const [line = ""] = readFileSync(join(data, "postmaster.opts"), "utf8").split("\n")
  const [program = "", ...quoted] = line.split(' "')
  return { program, args: quoted.map((argument) => argument.slice(0, -1)) }
}

/** Starts a server that has ended, on its port, without waiting for its recovery. */
export const startAgain = (cluster: Cluster) => {
  const { args, program } = commandOf(cluster)
  const { gid, uid } = statSync(cluster.data)
  const account = process.getuid?.() === 0 ? { uid, gid } : {}
  const log = openSync(cluster.log, "a")
  spawn(program, args, { ...account, cwd: "/", detached: true, stdio: ["ignore", log, log] }).unref()
  closeSync(log)
}

/** True if a process exists. */
export const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs a statement on a connection of its own, and returns its rows. Returns undefined if that fails, or takes 2 s. */
export const attempt = (url: string, statement: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
    // The connection can break again while it is closed.
    client.on("error", () => undefined)
    try {
      await client.connect()
      return (await client.query<Record<string, unknown>>(statement)).rows
    } catch {
      return undefined
    } finally {
      await client.end().catch(() => undefined)
    }
  })
