import { cpus, totalmem } from "node:os"
import type Pg from "pg"
import { medianOf, type RoundPair, type Round } from "./rounds.ts"
import { formatInteger } from "../../../src/domain/Text.ts"
import type { Line } from "../output.ts"
import type { Side } from "../servers.ts"

/** Median of a figure over the rounds of a server. */
const medianOfSide = (pairs: ReadonlyArray<RoundPair>, side: Side, figure: (round: Round) => number) =>
  medianOf(pairs.map((pair) => figure(pair[side])))

/** Median ratio of consecutive rounds, which other load of the machine affects alike. */
const ratioOf = (pairs: ReadonlyArray<RoundPair>, figure: (round: Round) => number) =>
  medianOf(pairs.map(({ service, baseline }) => figure(service) / figure(baseline)))

const rate = ({ requests, seconds }: Round) => requests / seconds

/** Headings of rows that compare the service with another server. */
export const compareHeadings = (other: string) => ["Request", "Service", other, "Ratio", "Bound"]

/** Row of the rate and latency. `atLeast` bounds the ratio of the rates. */
export const rateLine = (title: string, pairs: ReadonlyArray<RoundPair>, atLeast?: number): Line => {
  const cell = (side: Side) =>
    [
      medianOfSide(pairs, side, rate).toFixed(0),
      medianOfSide(pairs, side, ({ median }) => median).toFixed(1),
      medianOfSide(pairs, side, ({ p99 }) => p99).toFixed(1)
    ].join(" · ")
  const ratio = ratioOf(pairs, rate)
  return {
    cells: [
      `${title}, requests/s · median · p99 ms`,
      cell("service"),
      cell("baseline"),
      ratio.toFixed(2),
      atLeast === undefined ? "" : `≥ ${atLeast}`
    ],
    ...(atLeast !== undefined && { reached: ratio >= atLeast })
  }
}

/** Bounds of the cost of a request. */
export interface CostBounds {
  /** Maximum ratio of the CPU time to that of the other server. */
  readonly cpu?: number
  /** Maximum bytes in the write-ahead log. */
  readonly wal?: number
}

const cpu = ({ database, server }: Round) => server + database
const wal = (round: Round) => round.wal

/** Rows of the CPU time, if it was measured, and of the write-ahead log. */
export const costLines = (title: string, pairs: ReadonlyArray<RoundPair>, atMost: CostBounds): ReadonlyArray<Line> => {
  const cpuCell = (side: Side) => {
    const server = medianOfSide(pairs, side, (round) => round.server)
    const database = medianOfSide(pairs, side, (round) => round.database)
    return `${server.toFixed(0)} + ${database.toFixed(0)} = ${(server + database).toFixed(0)}`
  }
  const walOf = (side: Side) => medianOfSide(pairs, side, wal)
  const cpuRatio = ratioOf(pairs, cpu)
  const cpuLine: Line = {
    cells: [
      `${title}, CPU µs: server + database`,
      cpuCell("service"),
      cpuCell("baseline"),
      cpuRatio.toFixed(2),
      atMost.cpu === undefined ? "" : `≤ ${atMost.cpu.toFixed(2)}`
    ],
    ...(atMost.cpu !== undefined && { reached: cpuRatio <= atMost.cpu })
  }
  const walLine: Line = {
    cells: [
      `${title}, WAL bytes`,
      walOf("service").toFixed(0),
      walOf("baseline").toFixed(0),
      ratioOf(pairs, wal).toFixed(2),
      atMost.wal === undefined ? "" : `≤ ${formatInteger(atMost.wal)}`
    ],
    ...(atMost.wal !== undefined && { reached: walOf("service") <= atMost.wal })
  }
  return [...(Number.isNaN(cpuRatio) ? [] : [cpuLine]), walLine]
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
