import { parseArgs } from "node:util"

/** Benchmarks of `all`. `writes` is a part of `speed` with more rounds, `scale` fills the disk, and `memory-soak` takes an hour. */
const MODES = [
  "speed",
  "memory",
  "million",
  "lists",
  "ageing",
  "neighbours",
  "changes",
  "change-sets",
  "feed",
  "import",
  "pages",
  "surfaces",
  "tokens",
  "webhooks"
] as const
const OTHER_MODES = ["writes", "scale", "memory-soak"] as const
export type Mode = (typeof MODES)[number] | (typeof OTHER_MODES)[number]

/** Parts of the benchmark `webhooks`. */
export const WEBHOOK_PARTS = ["latency", "drain", "spread", "dead"] as const
export type WebhookPart = (typeof WEBHOOK_PARTS)[number]

export interface Options {
  readonly modes: ReadonlyArray<Mode>
  readonly rounds: number
  readonly roundMillis: number
  /** Minimum number of requests of a round, for slow machines. */
  readonly roundRequests: number
  readonly warmUpRequests: number
  readonly connections: number
  /** Bundle of another build of the service, which replaces the baseline. */
  readonly against: string | undefined
  /** Numbers of requests after which memory is measured. */
  readonly memoryAt: readonly [number, number]
  /** Minutes of the benchmark `memory-soak`, and its requests a second. */
  readonly soak: { readonly minutes: number; readonly rate: number }
  readonly largeStoreProducts: number
  /** Stores of all cells, their products, and those of the largest store. */
  readonly scale: { readonly stores: number; readonly products: number; readonly largest: number }
  readonly agedRows: number
  /** Operations of the largest change set. */
  readonly changeSetRows: number
  /** Products in the imported file. */
  readonly importRows: number
  readonly parts: ReadonlyArray<WebhookPart>
  /** Seconds of writes whose events are measured. */
  readonly latencySeconds: number
  readonly deadSeconds: number
  /** Pending deliveries when a worker starts. */
  readonly backlog: number
  /** Text in the titles of the attacks that `neighbours` runs. */
  readonly only: string
}

const USAGE =
  "usage: npm run bench -- [speed | writes | memory | memory-soak | million | lists | ageing | neighbours | changes | change-sets | feed | import | pages | surfaces | tokens | scale | " +
  "webhooks [latency | drain | spread | dead] | all] [--quick] [--connections=32] [--against=<main.js of another build>] [--only=<text in the title of an attack>] " +
  "[--soak-minutes=60] [--soak-rate=50] [--scale-stores=10000] [--scale-products=2000000] [--scale-largest=200000]"

/** Parses the arguments of `npm run bench -- <mode>`. `--quick` reduces all sizes. */
export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      connections: { type: "string" },
      against: { type: "string" },
      only: { type: "string", default: "" },
      "soak-minutes": { type: "string" },
      "soak-rate": { type: "string" },
      "scale-stores": { type: "string" },
      "scale-products": { type: "string" },
      "scale-largest": { type: "string" }
    }
  })
  const [mode = "speed", part] = positionals
  const modes = mode === "all" ? MODES : [...MODES, ...OTHER_MODES].filter((known) => known === mode)
  const parts = part === undefined ? WEBHOOK_PARTS : WEBHOOK_PARTS.filter((known) => known === part)
  if (modes.length === 0 || parts.length === 0) throw new Error(USAGE)
  const { against, quick } = values
  const isWrites = mode === "writes"
  return {
    modes,
    rounds: (quick ? 3 : 5) + (isWrites ? 4 : 0),
    roundMillis: quick ? 1000 : 4000,
    roundRequests: quick ? 500 : 2_000,
    warmUpRequests: quick ? 3_000 : 10_000,
    connections: Number(values.connections ?? (isWrites ? 16 : 32)),
    against,
    memoryAt: quick ? [2_000, 20_000] : [20_000, 200_000],
    soak: {
      minutes: Number(values["soak-minutes"] ?? (quick ? 8 : 60)),
      rate: Number(values["soak-rate"] ?? 50)
    },
    largeStoreProducts: quick ? 100_000 : 1_000_000,
    scale: {
      stores: Number(values["scale-stores"] ?? (quick ? 200 : 10_000)),
      products: Number(values["scale-products"] ?? (quick ? 50_000 : 2_000_000)),
      largest: Number(values["scale-largest"] ?? (quick ? 20_000 : 200_000))
    },
    importRows: quick ? 100_000 : 1_000_000,
    changeSetRows: quick ? 20_000 : 100_000,
    agedRows: quick ? 100_000 : 1_000_000,
    parts,
    latencySeconds: quick ? 8 : 30,
    deadSeconds: quick ? 8 : 10,
    backlog: quick ? 10_000 : 50_000,
    only: values.only
  }
}
