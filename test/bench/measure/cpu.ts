import { readdirSync, readFileSync } from "node:fs"
import type Pg from "pg"

/** Ticks per second in `/proc/<pid>/stat`: 100 on Linux. */
const TICKS = 100

const statOf = (pid: number) => {
  // The text before the last bracket is the program name, which may contain spaces.
  const [, fields = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  const numbers = fields.split(" ").map(Number)
  const seconds = (first: number) => ((numbers[first] ?? 0) + (numbers[first + 1] ?? 0)) / TICKS
  return { parent: numbers[1] ?? 0, cpu: seconds(11), ofEndedChildren: seconds(13) }
}

/** CPU time of a process in seconds, user and system. */
export const cpuSeconds = (pid: number): number => statOf(pid).cpu

/** Returns undefined if the process has ended meanwhile. */
const ifAlive = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** CPU time of all processes of a PostgreSQL server in seconds, including ended ones. */
export const databaseCpuSeconds = (postmaster: number): number => {
  const { cpu, ofEndedChildren } = statOf(postmaster)
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => ifAlive(() => statOf(Number(name))) ?? [])
    .filter(({ parent }) => parent === postmaster)
  return children.reduce((sum, child) => sum + child.cpu, cpu + ofEndedChildren)
}

/** Finds the main process of the server behind a connection: only on Linux and on this machine. */
export const findPostmaster = async (db: Pg.Client): Promise<number | undefined> => {
  const { rows } = await db.query<{ pid: number; database: string }>(
    "select pg_backend_pid() as pid, current_database() as database"
  )
  const [{ database, pid } = { database: "", pid: 0 }] = rows
  // The process title of a session contains its database, whose name is unique to this run.
  const title = ifAlive(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))
  return title?.includes(database) === true ? statOf(pid).parent : undefined
}
