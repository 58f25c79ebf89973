import { Option } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { integer, option, toggle } from "../../src/cli/Options.ts"

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

const number = (name: string, description: string) =>
  Flag.optional(option(name, integer(1, 1_000_000_000), description, "number"))

/** Arguments of `npm run bench`. */
export const config = {
  mode: Argument.Literals("mode", [...MODES, ...OTHER_MODES, "all"]).pipe(
    Argument.withDescription(
      `What is measured: ${[...MODES, ...OTHER_MODES].join(", ")}, or all of them except ${OTHER_MODES.join(", ")}`
    ),
    Argument.withDefault("speed" as const)
  ),
  part: Argument.Literals("part", WEBHOOK_PARTS).pipe(
    Argument.withDescription(`Part of webhooks: ${WEBHOOK_PARTS.join(", ")}`),
    Argument.optional
  ),
  quick: toggle("quick", "Measure with fewer rounds, requests and rows"),
  connections: number("connections", "Connections of the load, 32 by default and 16 for writes"),
  against: Flag.optional(
    Flag.String("against").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("dist/main.js of another build, which replaces the baseline")
    )
  ),
  only: Flag.String("only").pipe(
    Flag.withMetavar("text"),
    Flag.withDescription("Run the attacks of neighbours whose title contains the text"),
    Flag.withDefault("")
  ),
  soakMinutes: number("soak-minutes", "Minutes of memory-soak, 60 by default"),
  soakRate: number("soak-rate", "Requests a second of memory-soak, 50 by default"),
  scaleStores: number("scale-stores", "Stores of scale, 10,000 by default"),
  scaleProducts: number("scale-products", "Products of scale, 2,000,000 by default"),
  scaleLargest: number("scale-largest", "Products of the largest store of scale, 200,000 by default")
}

/** Returns the sizes of the benchmarks. `--quick` reduces all of them. */
export const optionsOf = ({
  against,
  connections,
  mode,
  only,
  part,
  quick,
  ...sizes
}: Command.Command.Config.Infer<typeof config>): Options => {
  const isWrites = mode === "writes"
  const sizeOf = (size: Option.Option<number>, full: number, reduced: number) =>
    Option.getOrElse(size, () => (quick ? reduced : full))
  return {
    modes: mode === "all" ? MODES : [mode],
    rounds: (quick ? 3 : 5) + (isWrites ? 4 : 0),
    roundMillis: quick ? 1000 : 4000,
    roundRequests: quick ? 500 : 2_000,
    warmUpRequests: quick ? 3_000 : 10_000,
    connections: Option.getOrElse(connections, () => (isWrites ? 16 : 32)),
    against: Option.getOrUndefined(against),
    memoryAt: quick ? [2_000, 20_000] : [20_000, 200_000],
    soak: { minutes: sizeOf(sizes.soakMinutes, 60, 8), rate: sizeOf(sizes.soakRate, 50, 50) },
    largeStoreProducts: quick ? 100_000 : 1_000_000,
    scale: {
      stores: sizeOf(sizes.scaleStores, 10_000, 200),
      products: sizeOf(sizes.scaleProducts, 2_000_000, 50_000),
      largest: sizeOf(sizes.scaleLargest, 200_000, 20_000)
    },
    importRows: quick ? 100_000 : 1_000_000,
    changeSetRows: quick ? 20_000 : 100_000,
    agedRows: quick ? 100_000 : 1_000_000,
    parts: Option.match(part, { onNone: () => WEBHOOK_PARTS, onSome: (one) => [one] }),
    latencySeconds: quick ? 8 : 30,
    deadSeconds: quick ? 8 : 10,
    backlog: quick ? 10_000 : 50_000,
    only
  }
}
