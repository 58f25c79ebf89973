import { Effect } from "effect"
import { type ServerPair, startServerPair, printLine } from "../serverPair.ts"
import { type LoadDriver, makeLoadDriver } from "../load/driver.ts"
import { compareLatency, compareServers, type RoundPair } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { checkParity } from "../measure/parity.ts"
import {
  allReached,
  BOUND_HEADINGS,
  boundLine,
  costHeadings,
  costLines,
  type CostTargets,
  rateHeadings,
  rateLine,
  formatTable
} from "../measure/report.ts"
import type { RequestKind } from "../load/requests.ts"

/** Compared kind of request, with the targets of the service. */
interface Comparison {
  readonly work: RequestKind
  readonly title: string
  /** Minimum ratio to the rate of the other server. */
  readonly atLeast?: number
  /** Maximum ratio to the cost of the other server. */
  readonly atMost: CostTargets
}

const READS: ReadonlyArray<Comparison> = [
  { work: "list", title: "GET /products?limit=50", atLeast: 1.5, atMost: {} },
  { work: "listFew", title: "GET /products?limit=5", atLeast: 1, atMost: {} },
  { work: "orders", title: "GET /orders?limit=50", atLeast: 1.5, atMost: {} },
  { work: "collection", title: "GET /collections/:id", atLeast: 1, atMost: {} },
  { work: "entry", title: "GET /app-data/:namespace", atLeast: 1, atMost: {} }
]

/**
 * Targets of writes are costs, because their rate depends on the disk and on other load of the machine. They may take
 * half more CPU, because the baseline has no journal, search and undo.
 */
const WRITES: ReadonlyArray<Comparison> = [
  { work: "create", title: "POST /products", atMost: { cpu: 1.5, wal: 2 } },
  { work: "update", title: "PATCH /products/:id", atMost: { cpu: 1.5 } },
  { work: "inventory", title: "PATCH /products/:id/inventory", atMost: { cpu: 1.5 } },
  { work: "putEntry", title: "PUT /app-data/:namespace", atMost: { cpu: 1.5 } }
]

interface Result extends Comparison {
  readonly pairs: ReadonlyArray<RoundPair>
}

const run = (arena: ServerPair, drive: LoadDriver, comparisons: ReadonlyArray<Comparison>, options: Options) =>
  Effect.forEach(comparisons, (comparison) =>
    Effect.map(compareServers(arena, drive, comparison.work, options), (pairs): Result => ({ ...comparison, pairs }))
  )

/** Prints the results and returns true if all targets are reached. Another build has no targets. */
const report = (results: ReadonlyArray<Result>, { against }: Options) => {
  const hasTargets = against === undefined
  const other = hasTargets ? "Baseline" : "Other build"
  const rates = results.map(({ atLeast, pairs, title }) => rateLine(title, pairs, hasTargets ? atLeast : undefined))
  const costs = results.flatMap(({ atMost, pairs, title }) => costLines(title, pairs, hasTargets ? atMost : {}))
  const tables = [formatTable(rateHeadings(other), rates), formatTable(costHeadings(other), costs)]
  return Effect.as(printLine(`\n${tables.join("\n\n")}\n`), allReached([...rates, ...costs]))
}

const prepare = (server: string, { against }: Options) =>
  Effect.gen(function* () {
    const arena = yield* startServerPair(server, against)
    yield* checkParity(arena)
    if (arena.service.postmaster === undefined)
      yield* printLine("/proc does not show the database's processes: CPU is not measured.")
    return { arena, drive: yield* makeLoadDriver }
  })

/** Measures rate and cost of requests against the baseline. */
export const speed = (server: string, options: Options) =>
  Effect.gen(function* () {
    const { arena, drive } = yield* prepare(server, options)
    // Reads first, on the seeded data.
    const reads = yield* run(arena, drive, READS, options)
    const [page, one] = yield* compareLatency(arena.service.port, drive, ["collections", "collection"], options)
    const writes = yield* run(arena, drive, WRITES, options)
    const isReached = yield* report([...reads, ...writes], options)
    const line = boundLine("A page of 50 such collections, against one of them", page, one, "ms", 20)
    yield* printLine(`${formatTable(BOUND_HEADINGS, [line])}\n`)
    return isReached && allReached([line])
  }).pipe(Effect.scoped)

/** Measures writes only. */
export const writes = (server: string, options: Options) =>
  Effect.gen(function* () {
    const { arena, drive } = yield* prepare(server, options)
    return yield* report(yield* run(arena, drive, WRITES, options), options)
  }).pipe(Effect.scoped)
