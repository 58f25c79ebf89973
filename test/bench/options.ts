import { Option } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { integer, option, toggle } from "../../src/cli/Options.ts"

/** Benchmarks of `all`. `writes` is a part of `speed` with more rounds, `scale` fills the disk, and `memory-soak` waits. */
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

/** Subject of each benchmark, with about how many minutes it takes by default, on two cores that run little else. */
const SUBJECTS: Readonly<Record<Mode, readonly [subject: string, minutes: number]>> = {
  speed: ["rate and cost of REST requests", 4],
  memory: ["resident memory", 3],
  million: ["the last page of a large store", 1],
  lists: ["filters and sort orders", 3],
  ageing: ["purges of aged tables", 2],
  neighbours: ["one store's load against the others' latency", 5],
  changes: ["writes with followers", 2],
  "change-sets": ["change sets and their undo", 3],
  feed: ["digests and pages of changes", 1],
  import: ["imports and their effect", 2],
  pages: ["the dashboard in a browser", 3],
  surfaces: ["RPC and MCP against REST", 2],
  tokens: ["OAuth tokens", 2],
  webhooks: ["deliveries", 4],
  writes: ["writes of speed, more rounds", 3],
  scale: ["cost by number of stores", 3],
  "memory-soak": ["memory under a steady load", 5]
}

/** Minutes after which a benchmark is stopped, unless its caller asks for more. */
export const LIMIT_MINUTES = 5

/** Parts of the benchmark `webhooks`. */
export const WEBHOOK_PARTS = ["latency", "drain", "spread", "dead"] as const
export type WebhookPart = (typeof WEBHOOK_PARTS)[number]

/** Description of the command. */
export const DESCRIPTION =
  "Measure the service against its bounds. Exits with 0 if none was missed. " +
  `Each benchmark ends within ${LIMIT_MINUTES} minutes, unless --full or a size asks for more`

/** All benchmarks, with the minutes that each takes by default. Examples keep their lines; the description is wrapped. */
export const EXAMPLES = [...MODES, ...OTHER_MODES].map((mode) => {
  const [subject, minutes] = SUBJECTS[mode]
  return { command: `npm run bench -- ${mode.padEnd(11)}  # about ${minutes} min: ${subject}` }
})

/** Rounds of a comparison on a machine of any speed. */
export const LEAST_ROUNDS = 3

/** Amounts of work that `--quick` and `--full` change. */
interface Sizes {
  readonly rounds: number
  /** Milliseconds after which no round of a comparison begins, except the first {@link LEAST_ROUNDS}. */
  readonly roundsMillis: number
  readonly roundMillis: number
  /** Minimum number of requests of a round, for slow machines. */
  readonly roundRequests: number
  /** Load of the warm-up: it ends once the requests were sent and the time has passed. */
  readonly warmUp: { readonly requests: number; readonly millis: number }
  /** Requests after which memory is measured. */
  readonly memoryRequests: number
  /** Milliseconds after which no part of these requests begins. */
  readonly memoryMillis: number
  readonly largeStoreProducts: number
  readonly agedRows: number
  /** Operations of the largest change set. */
  readonly changeSetRows: number
  /** Products in the imported file. */
  readonly importRows: number
  /** Runs of each attack of `neighbours`, and operations of its change set. */
  readonly attackRounds: number
  readonly attackOperations: number
  /** Seconds of writes whose events are measured. */
  readonly latencySeconds: number
  readonly deadSeconds: number
  /** Runs of each state of an endpoint. */
  readonly deadRounds: number
  /** Pending deliveries when a worker starts. */
  readonly backlog: number
  /** Backlogs that each worker drains. */
  readonly drainRounds: number
  /** Minutes of `memory-soak`. */
  readonly soakMinutes: number
  /** Stores of all cells, their products, and those of the largest store. */
  readonly scale: { readonly stores: number; readonly products: number; readonly largest: number }
}

const QUICK: Sizes = {
  rounds: 3,
  roundsMillis: 15_000,
  roundMillis: 1000,
  roundRequests: 300,
  warmUp: { requests: 0, millis: 2000 },
  memoryRequests: 10_000,
  memoryMillis: 90_000,
  largeStoreProducts: 100_000,
  agedRows: 100_000,
  changeSetRows: 20_000,
  importRows: 100_000,
  attackRounds: 1,
  attackOperations: 2_000,
  latencySeconds: 8,
  deadSeconds: 8,
  deadRounds: 1,
  backlog: 5_000,
  drainRounds: 1,
  soakMinutes: 4,
  scale: { stores: 200, products: 50_000, largest: 20_000 }
}

/** Sizes that end within {@link LIMIT_MINUTES} on two cores. */
const USUAL: Sizes = { ...QUICK, rounds: 5, memoryRequests: 20_000, importRows: 200_000 }

const FULL: Sizes = {
  rounds: 5,
  roundsMillis: Number.POSITIVE_INFINITY,
  roundMillis: 4000,
  roundRequests: 2_000,
  warmUp: { requests: 10_000, millis: 0 },
  memoryRequests: 200_000,
  memoryMillis: Number.POSITIVE_INFINITY,
  largeStoreProducts: 1_000_000,
  agedRows: 1_000_000,
  changeSetRows: 100_000,
  importRows: 1_000_000,
  attackRounds: 3,
  attackOperations: 10_000,
  latencySeconds: 30,
  deadSeconds: 10,
  deadRounds: 3,
  backlog: 50_000,
  drainRounds: 3,
  soakMinutes: 60,
  scale: { stores: 10_000, products: 2_000_000, largest: 200_000 }
}

export interface Options extends Sizes {
  readonly modes: ReadonlyArray<Mode>
  /** Stops benchmarks after {@link LIMIT_MINUTES}. */
  readonly isLimited: boolean
  readonly connections: number
  /** Bundle of another build of the service, which replaces the baseline. */
  readonly against: string | undefined
  /** Requests a second of `memory-soak`. */
  readonly soakRate: number
  readonly parts: ReadonlyArray<WebhookPart>
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
  quick: toggle("quick", "Measure with fewer rounds and requests than by default"),
  full: toggle("full", `Measure with all rounds, requests and rows, without the limit of ${LIMIT_MINUTES} minutes`),
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
  soakMinutes: number("soak-minutes", "Minutes of memory-soak, 4 by default, 60 with --full"),
  soakRate: number("soak-rate", "Requests a second of memory-soak, 50 by default"),
  scaleStores: number("scale-stores", "Stores of scale, 200 by default, 10,000 with --full"),
  scaleProducts: number("scale-products", "Products of scale, 50,000 by default, 2,000,000 with --full"),
  scaleLargest: number(
    "scale-largest",
    "Products of the largest store of scale, 20,000 by default, 200,000 with --full"
  )
}

/** Returns the sizes of the benchmarks. */
export const optionsOf = ({
  against,
  connections,
  full,
  mode,
  only,
  part,
  quick,
  ...given
}: Command.Command.Config.Infer<typeof config>): Options => {
  const isWrites = mode === "writes"
  const sizes = full ? FULL : quick ? QUICK : USUAL
  const { scaleLargest, scaleProducts, scaleStores, soakMinutes } = given
  const isSized = [scaleLargest, scaleProducts, scaleStores, soakMinutes].some(Option.isSome)
  return {
    ...sizes,
    modes: mode === "all" ? MODES : [mode],
    isLimited: !full && !isSized,
    rounds: sizes.rounds + (isWrites ? 4 : 0),
    connections: Option.getOrElse(connections, () => (isWrites ? 16 : 32)),
    against: Option.getOrUndefined(against),
    soakMinutes: Option.getOrElse(soakMinutes, () => sizes.soakMinutes),
    soakRate: Option.getOrElse(given.soakRate, () => 50),
    scale: {
      stores: Option.getOrElse(scaleStores, () => sizes.scale.stores),
      products: Option.getOrElse(scaleProducts, () => sizes.scale.products),
      largest: Option.getOrElse(scaleLargest, () => sizes.scale.largest)
    },
    parts: Option.match(part, { onNone: () => WEBHOOK_PARTS, onSome: (one) => [one] }),
    only
  }
}
