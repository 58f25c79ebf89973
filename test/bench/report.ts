import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import type Pg from "pg"
import type { Figures } from "./measure.ts"

/** One line of a table, and whether it reached its target. */
export interface Line {
  readonly cells: ReadonlyArray<string>
  readonly reached: boolean
}

export const table = (headings: ReadonlyArray<string>, lines: ReadonlyArray<Line>): string =>
  [
    [...headings, "Reached"],
    [...headings, ""].map((_, index) => (index === 0 ? "---" : "---:")),
    ...lines.map(({ cells, reached }) => [...cells, reached ? "yes" : "**no**"])
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")

const figures = ({ median, p99, rps }: Figures) => `${Math.round(rps)} · ${median.toFixed(1)} · ${p99.toFixed(1)}`

export const SPEED_HEADINGS = [
  "Work",
  "Ours: requests/s · median ms · p99 ms",
  "By hand: requests/s · median ms · p99 ms",
  "Ratio of requests/s",
  "At least"
]

export const speedLine = (title: string, ours: Figures, rival: Figures, atLeast: number): Line => {
  const ratio = ours.rps / rival.rps
  return {
    cells: [title, figures(ours), figures(rival), ratio.toFixed(2), atLeast.toFixed(1)],
    reached: ratio >= atLeast
  }
}

export const BOUND_HEADINGS = ["What", "Measured", "Against", "Ratio", "At most"]

export const boundLine = (title: string, value: number, against: number, unit: string, atMost: number): Line => {
  const ratio = value / against
  return {
    cells: [title, `${value.toFixed(1)} ${unit}`, `${against.toFixed(1)} ${unit}`, ratio.toFixed(2), String(atMost)],
    reached: ratio <= atMost
  }
}

const memoryGiB = () => {
  const [, kib] = /^MemTotal:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? []
  return Math.round(Number(kib) / 1024 / 1024)
}

/** What the figures were taken on. */
export const machine = async (db: Pg.Client): Promise<string> => {
  const setting = async (name: string) => {
    const { rows } = await db.query<{ value: string }>("select current_setting($1) as value", [name])
    return rows[0]?.value ?? "?"
  }
  const cores = cpus()
  const version = await setting("server_version")
  const buffers = await setting("shared_buffers")
  const fsync = await setting("fsync")
  return (
    `${cores[0]?.model ?? "unknown processor"}, ${cores.length} cores shared by load generator, server and database, ` +
    `${memoryGiB()} GiB; Node ${process.version}, PostgreSQL ${version} (shared_buffers ${buffers}, fsync ${fsync}); ` +
    `${new Date().toISOString().slice(0, 10)}`
  )
}
