import { readdirSync, readFileSync } from "node:fs"
import type Pg from "pg"

/** Ticks of `/proc/<pid>/stat` in a second: 100 wherever Linux runs Node. */
const TICKS = 100

const statOf = (pid: number) => {
  // What stands before the last bracket is the name of the program, which may hold spaces.
  const [, fields = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  const numbers = fields.split(" ").map(Number)
  const seconds = (first: number) => ((numbers[first] ?? 0) + (numbers[first + 1] ?? 0)) / TICKS
  return { parent: numbers[1] ?? 0, own: seconds(11), ofEndedChildren: seconds(13) }
}

/** Processor time of a process so far, in seconds, of user and system. */
export const cpuSeconds = (pid: number): number => statOf(pid).own

/** A process can end between two looks at it. */
const orGone = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Processor time of a PostgreSQL server so far, in seconds: of all its processes, those that have ended too. */
export const databaseCpuSeconds = (postmaster: number): number => {
  const { ofEndedChildren, own } = statOf(postmaster)
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => orGone(() => statOf(Number(name))) ?? [])
    .filter(({ parent }) => parent === postmaster)
  return children.reduce((sum, child) => sum + child.own, own + ofEndedChildren)
}

/** The first process of the server behind a connection, if `/proc` shows it: on Linux, and on this machine. */
export const postmasterOf = async (db: Pg.Client): Promise<number | undefined> => {
  const { rows } = await db.query<{ pid: number; database: string }>(
    "select pg_backend_pid() as pid, current_database() as database"
  )
  const [{ database, pid } = { database: "", pid: 0 }] = rows
  // The title of a session's process names its database, whose name is of this run alone.
  const title = orGone(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))
  return title?.includes(database) === true ? statOf(pid).parent : undefined
}
