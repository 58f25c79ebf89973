import { parseArgs } from "node:util"

/** What `all` runs. `writes` is a part of `speed` with more rounds. */
const MODES = [
  "speed",
  "memory",
  "million",
  "ageing",
  "neighbours",
  "changes",
  "import",
  "pages",
  "surfaces",
  "tokens",
  "webhooks"
] as const
export type Mode = (typeof MODES)[number] | "writes"

/** What `webhooks` measures, one after the other or one alone. */
export const PARTS = ["latency", "drain", "spread", "dead"] as const
export type Part = (typeof PARTS)[number]

export interface Options {
  readonly modes: ReadonlyArray<Mode>
  readonly rounds: number
  readonly roundMillis: number
  /** The least that a round of a comparison has, so that a slow machine sees as much as a fast one. */
  readonly roundRequests: number
  readonly warmUpRequests: number
  readonly connections: number
  /** The bundle of another build of the service, in place of the hand-written baseline. */
  readonly against: string | undefined
  /** Requests after which memory is looked at. */
  readonly memoryAt: readonly [number, number]
  readonly vastProducts: number
  readonly agedRows: number
  /** Products of the file that is imported. */
  readonly importRows: number
  readonly parts: ReadonlyArray<Part>
  /** Seconds of writes whose events are timed. */
  readonly latencySeconds: number
  readonly deadSeconds: number
  /** Deliveries that wait when a worker starts. */
  readonly backlog: number
  /** Words in the titles of the attacks that `neighbours` runs. */
  readonly only: string
}

const USAGE =
  "usage: npm run bench -- [speed | writes | memory | million | ageing | neighbours | changes | import | pages | surfaces | tokens | " +
  "webhooks [latency | drain | spread | dead] | all] [--quick] [--connections=32] [--against=<main.js of another build>] [--only=<words in the title of an attack>]"

/** `npm run bench -- <mode>`, and `--quick` for a rough look. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      connections: { type: "string" },
      against: { type: "string" },
      only: { type: "string", default: "" }
    }
  })
  const [mode = "speed", part] = positionals
  const modes = mode === "all" ? MODES : [...MODES, "writes" as const].filter((known) => known === mode)
  const parts = part === undefined ? PARTS : PARTS.filter((known) => known === part)
  if (modes.length === 0 || parts.length === 0) throw new Error(USAGE)
  const { against, quick } = values
  const isOfWrites = mode === "writes"
  return {
    modes,
    rounds: (quick ? 3 : 5) + (isOfWrites ? 4 : 0),
    roundMillis: quick ? 1000 : 4000,
    roundRequests: quick ? 500 : 2_000,
    warmUpRequests: quick ? 3_000 : 10_000,
    connections: Number(values.connections ?? (isOfWrites ? 16 : 32)),
    against,
    memoryAt: quick ? [2_000, 20_000] : [20_000, 200_000],
    vastProducts: quick ? 100_000 : 1_000_000,
    importRows: quick ? 100_000 : 1_000_000,
    agedRows: quick ? 100_000 : 1_000_000,
    parts,
    latencySeconds: quick ? 8 : 30,
    deadSeconds: quick ? 8 : 10,
    backlog: quick ? 10_000 : 50_000,
    only: values.only
  }
}
