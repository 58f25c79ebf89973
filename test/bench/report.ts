import { cpus, totalmem } from "node:os"
import type Pg from "pg"
import { middle, type Pair, type Round } from "./measure.ts"
import type { Side } from "./servers.ts"

/** One line of a table, and whether it reached its target if it has one. */
export interface Line {
  readonly cells: ReadonlyArray<string>
  readonly reached?: boolean
}

export const allReached = (lines: ReadonlyArray<Line>): boolean => lines.every(({ reached = true }) => reached)

const reachedCell = ({ reached }: Line) => (reached === undefined ? "" : reached ? "yes" : "**no**")

/** In Markdown, with columns as wide as what is in them. */
export const table = (headings: ReadonlyArray<string>, lines: ReadonlyArray<Line>): string => {
  const rows = [[...headings, "Reached"], ...lines.map((line) => [...line.cells, reachedCell(line)])]
  const widths = [...headings, ""].map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const padded = rows.map((row) =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
  )
  const rule = widths.map((width, index) => (index === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  const [head = [], ...body] = padded
  return [head, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

/** The middle one of what each round of a side came to. */
const middleOf = (pairs: ReadonlyArray<Pair>, side: Side, figure: (round: Round) => number) =>
  middle(pairs.map((pair) => figure(pair[side])))

/** The middle one of the ratios of two rounds that followed each other: what slows the machine slows both. */
const ratioOf = (pairs: ReadonlyArray<Pair>, figure: (round: Round) => number) =>
  middle(pairs.map(({ ours, baseline }) => figure(ours) / figure(baseline)))

const targetCell = (target: number | undefined) => target?.toFixed(1) ?? ""

const rate = ({ requests, seconds }: Round) => requests / seconds

export const rateHeadings = (other: string) => ["Requests/s · median · p99 ms", "Ours", other, "Ratio", "At least"]

export const rateLine = (title: string, pairs: ReadonlyArray<Pair>, atLeast: number | undefined): Line => {
  const cell = (side: Side) =>
    [
      middleOf(pairs, side, rate).toFixed(0),
      middleOf(pairs, side, ({ median }) => median).toFixed(1),
      middleOf(pairs, side, ({ p99 }) => p99).toFixed(1)
    ].join(" · ")
  const ratio = ratioOf(pairs, rate)
  return {
    cells: [title, cell("ours"), cell("baseline"), ratio.toFixed(2), targetCell(atLeast)],
    ...(atLeast !== undefined && { reached: ratio >= atLeast })
  }
}

/** The most that a request may cost, as a ratio to what one of the other side costs. */
export interface CostTargets {
  readonly cpu?: number
  readonly wal?: number
}

const cpu = ({ database, server }: Round) => server + database
const wal = (round: Round) => round.wal

export const costHeadings = (other: string) => ["Cost of a request", "Ours", other, "Ratio", "At most"]

/** CPU, unless it was not measured, and WAL. */
export const costLines = (title: string, pairs: ReadonlyArray<Pair>, atMost: CostTargets): ReadonlyArray<Line> => {
  const cpuCell = (side: Side) => {
    const server = middleOf(pairs, side, (round) => round.server)
    const database = middleOf(pairs, side, (round) => round.database)
    return `${server.toFixed(0)} + ${database.toFixed(0)} = ${(server + database).toFixed(0)}`
  }
  const walCell = (side: Side) => middleOf(pairs, side, wal).toFixed(0)
  const line = (what: string, cell: (side: Side) => string, ratio: number, target: number | undefined): Line => ({
    cells: [`${title}, ${what}`, cell("ours"), cell("baseline"), ratio.toFixed(2), targetCell(target)],
    ...(target !== undefined && { reached: ratio <= target })
  })
  const cpuRatio = ratioOf(pairs, cpu)
  return [
    ...(Number.isNaN(cpuRatio) ? [] : [line("CPU µs: server + database", cpuCell, cpuRatio, atMost.cpu)]),
    line("WAL bytes", walCell, ratioOf(pairs, wal), atMost.wal)
  ]
}

export const BOUND_HEADINGS = ["What", "Measured", "Against", "Ratio", "At most"]

export const boundLine = (title: string, value: number, against: number, unit: string, atMost: number): Line => {
  const ratio = value / against
  return {
    cells: [title, `${value.toFixed(1)} ${unit}`, `${against.toFixed(1)} ${unit}`, ratio.toFixed(2), String(atMost)],
    reached: ratio <= atMost
  }
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
    `${Math.round(totalmem() / 1024 ** 3)} GiB; Node ${process.version}, PostgreSQL ${version} (shared_buffers ${buffers}, fsync ${fsync}); ` +
    `${new Date().toISOString().slice(0, 10)}`
  )
}
