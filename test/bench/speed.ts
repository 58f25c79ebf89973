import { Effect } from "effect"
import { type Arena, openArena, say } from "./arena.ts"
import { type Drive, makeDriver } from "./driver.ts"
import { compareLatency, compete, type Pair } from "./measure.ts"
import type { Options } from "./options.ts"
import { checkParity } from "./parity.ts"
import {
  allReached,
  BOUND_HEADINGS,
  boundLine,
  costHeadings,
  costLines,
  type CostTargets,
  rateHeadings,
  rateLine,
  table
} from "./report.ts"
import type { Work } from "./works.ts"

/** A kind of work on which both sides compete, and what is wanted of ours. */
interface Contest {
  readonly work: Work
  readonly title: string
  /** Times the rate of the other side. */
  readonly atLeast?: number
  /** Times what a request costs the other side. */
  readonly atMost: CostTargets
}

const READS: ReadonlyArray<Contest> = [
  { work: "list", title: "GET /products?limit=50", atLeast: 1.5, atMost: {} },
  { work: "listFew", title: "GET /products?limit=5", atLeast: 1, atMost: {} },
  { work: "orders", title: "GET /orders?limit=50", atLeast: 1.5, atMost: {} },
  { work: "collection", title: "GET /collections/:id", atLeast: 1, atMost: {} },
  { work: "entry", title: "GET /app-data/:namespace", atLeast: 1, atMost: {} }
]

/** A write is judged by what it costs: its rate depends on how the machine waits for its disk, and on what else it does. */
const WRITES: ReadonlyArray<Contest> = [
  { work: "create", title: "POST /products", atMost: { cpu: 0.9, wal: 2 } },
  { work: "update", title: "PATCH /products/:id", atMost: { cpu: 0.9 } },
  { work: "inventory", title: "PATCH /products/:id/inventory", atLeast: 1, atMost: {} },
  { work: "putEntry", title: "PUT /app-data/:namespace", atLeast: 1, atMost: {} }
]

interface Result extends Contest {
  readonly pairs: ReadonlyArray<Pair>
}

const run = (arena: Arena, drive: Drive, contests: ReadonlyArray<Contest>, options: Options) =>
  Effect.forEach(contests, (contest) =>
    Effect.map(compete(arena, drive, contest.work, options), (pairs): Result => ({ ...contest, pairs }))
  )

/** Prints what came, and answers whether all is as wanted. Beside another build of the service nothing is wanted. */
const report = (results: ReadonlyArray<Result>, { against }: Options) => {
  const isJudged = against === undefined
  const other = isJudged ? "Baseline" : "Other build"
  const rates = results.map(({ atLeast, pairs, title }) => rateLine(title, pairs, isJudged ? atLeast : undefined))
  const costs = results.flatMap(({ atMost, pairs, title }) => costLines(title, pairs, isJudged ? atMost : {}))
  const tables = [table(rateHeadings(other), rates), table(costHeadings(other), costs)]
  return Effect.as(say(`\n${tables.join("\n\n")}\n`), allReached([...rates, ...costs]))
}

const prepare = (server: string, { against }: Options) =>
  Effect.gen(function* () {
    const arena = yield* openArena(server, against)
    yield* checkParity(arena)
    if (arena.ours.postmaster === undefined)
      yield* say("No /proc shows the database's processes: nothing is judged by CPU.")
    return { arena, drive: yield* makeDriver }
  })

/** What requests cost and how many there are in a second, beside the hand-written baseline. */
export const speed = (server: string, options: Options) =>
  Effect.gen(function* () {
    const { arena, drive } = yield* prepare(server, options)
    // Reads first: they find the stores as they were seeded.
    const reads = yield* run(arena, drive, READS, options)
    const [page, one] = yield* compareLatency(arena.ours.port, drive, ["collections", "collection"], options)
    const writes = yield* run(arena, drive, WRITES, options)
    const isReached = yield* report([...reads, ...writes], options)
    const line = boundLine("A page of 50 such collections, against one of them", page, one, "ms", 20)
    yield* say(`${table(BOUND_HEADINGS, [line])}\n`)
    return isReached && allReached([line])
  }).pipe(Effect.scoped)

/** The writes alone. */
export const writes = (server: string, options: Options) =>
  Effect.gen(function* () {
    const { arena, drive } = yield* prepare(server, options)
    return yield* report(yield* run(arena, drive, WRITES, options), options)
  }).pipe(Effect.scoped)
