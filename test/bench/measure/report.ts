import { cpus, totalmem } from "node:os"
import type Pg from "pg"
import { medianOf, type RoundPair, type Round } from "./rounds.ts"
import type { Side } from "../servers.ts"

/** A table row; `reached` is undefined without a target. */
export interface Line {
  readonly cells: ReadonlyArray<string>
  readonly reached?: boolean
}

export const allReached = (lines: ReadonlyArray<Line>): boolean => lines.every(({ reached = true }) => reached)

const reachedCell = ({ reached }: Line) => (reached === undefined ? "" : reached ? "yes" : "**no**")

/** Formats a Markdown table with aligned columns. */
export const formatTable = (headings: ReadonlyArray<string>, lines: ReadonlyArray<Line>): string => {
  const rows = [[...headings, "Reached"], ...lines.map((line) => [...line.cells, reachedCell(line)])]
  const widths = [...headings, ""].map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const padded = rows.map((row) =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
  )
  const rule = widths.map((width, index) => (index === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`))
  const [head = [], ...body] = padded
  return [head, rule, ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

/** Median of a figure over the rounds of a server. */
const medianOfSide = (pairs: ReadonlyArray<RoundPair>, side: Side, figure: (round: Round) => number) =>
  medianOf(pairs.map((pair) => figure(pair[side])))

/** Median ratio of consecutive rounds, which other load of the machine affects alike. */
const ratioOf = (pairs: ReadonlyArray<RoundPair>, figure: (round: Round) => number) =>
  medianOf(pairs.map(({ service, baseline }) => figure(service) / figure(baseline)))

const targetCell = (target: number | undefined) => target?.toFixed(1) ?? ""

const rate = ({ requests, seconds }: Round) => requests / seconds

export const rateHeadings = (other: string) => ["Requests/s · median · p99 ms", "Service", other, "Ratio", "At least"]

export const rateLine = (title: string, pairs: ReadonlyArray<RoundPair>, atLeast: number | undefined): Line => {
  const cell = (side: Side) =>
    [
      medianOfSide(pairs, side, rate).toFixed(0),
      medianOfSide(pairs, side, ({ median }) => median).toFixed(1),
      medianOfSide(pairs, side, ({ p99 }) => p99).toFixed(1)
    ].join(" · ")
  const ratio = ratioOf(pairs, rate)
  return {
    cells: [title, cell("service"), cell("baseline"), ratio.toFixed(2), targetCell(atLeast)],
    ...(atLeast !== undefined && { reached: ratio >= atLeast })
  }
}

/** Maximum cost of a request, as a ratio to that of the other server. */
export interface CostTargets {
  readonly cpu?: number
  readonly wal?: number
}

const cpu = ({ database, server }: Round) => server + database
const wal = (round: Round) => round.wal

export const costHeadings = (other: string) => ["Cost of a request", "Service", other, "Ratio", "At most"]

/** Lines for CPU, if it was measured, and WAL. */
export const costLines = (title: string, pairs: ReadonlyArray<RoundPair>, atMost: CostTargets): ReadonlyArray<Line> => {
  const cpuCell = (side: Side) => {
    const server = medianOfSide(pairs, side, (round) => round.server)
    const database = medianOfSide(pairs, side, (round) => round.database)
    return `${server.toFixed(0)} + ${database.toFixed(0)} = ${(server + database).toFixed(0)}`
  }
  const walCell = (side: Side) => medianOfSide(pairs, side, wal).toFixed(0)
  const line = (what: string, cell: (side: Side) => string, ratio: number, target: number | undefined): Line => ({
    cells: [`${title}, ${what}`, cell("service"), cell("baseline"), ratio.toFixed(2), targetCell(target)],
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

/** Describes the machine of the measurements. */
export const describeMachine = async (db: Pg.Client): Promise<string> => {
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
