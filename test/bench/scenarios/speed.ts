import { Effect } from "effect"
import { startServerPair } from "../serverPair.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { compareLatency, compareServers } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { begin, openTable, printLine, step } from "../output.ts"
import { checkParity } from "../measure/parity.ts"
import { BOUND_HEADINGS, boundLine, compareHeadings, costLines, type CostBounds, rateLine } from "../measure/report.ts"
import type { RequestKind } from "../load/requests.ts"

/** Compared kind of request, with the bounds of its cost. */
interface Comparison {
  readonly work: RequestKind
  readonly title: string
  readonly atMost: CostBounds
}

const READS: ReadonlyArray<Comparison> = [
  { work: "list", title: "GET /products?limit=50", atMost: { cpu: 0.42 } },
  { work: "listFew", title: "GET /products?limit=5", atMost: { cpu: 0.45 } },
  { work: "orders", title: "GET /orders?limit=50", atMost: { cpu: 0.5 } },
  { work: "collection", title: "GET /collections/:id", atMost: { cpu: 0.5 } },
  { work: "entry", title: "GET /app-data/:namespace", atMost: { cpu: 1 } }
]

/** Writes may take more CPU than those of the baseline, which has no journal, search and undo. */
const WRITES: ReadonlyArray<Comparison> = [
  { work: "create", title: "POST /products", atMost: { cpu: 1.2, wal: 12_000 } },
  { work: "update", title: "PATCH /products/:id", atMost: { cpu: 1.2 } },
  { work: "inventory", title: "PATCH /products/:id/inventory", atMost: { cpu: 1.45 } },
  { work: "putEntry", title: "PUT /app-data/:namespace", atMost: { cpu: 0.95 } }
]

/** Starts both servers. Returns a function that compares kinds of requests and prints their rows. */
const prepare = (server: string, options: Options) =>
  Effect.gen(function* () {
    const arena = yield* startServerPair(server, options.against)
    yield* checkParity(arena)
    if (arena.service.postmaster === undefined)
      yield* printLine("/proc does not show the database's processes: CPU is not measured.")
    const drive = yield* makeLoadDriver
    // Another build has no bounds.
    const hasBounds = options.against === undefined
    const printRow = yield* openTable(compareHeadings(hasBounds ? "Baseline" : "Other build"))
    const compare = (comparisons: ReadonlyArray<Comparison>) =>
      Effect.forEach(
        comparisons,
        Effect.fnUntraced(function* ({ atMost, title, work }) {
          yield* step(title)
          const pairs = yield* compareServers(arena, drive, work, options)
          yield* printRow(rateLine(title, pairs))
          yield* Effect.forEach(costLines(title, pairs, hasBounds ? atMost : {}), printRow)
        }),
        { discard: true }
      )
    return { port: arena.service.port, drive, compare }
  })

/** Measures rate and cost of requests against the baseline. */
export const speed = (server: string, options: Options) =>
  Effect.gen(function* () {
    yield* begin("speed", READS.length + WRITES.length + 2)
    const { compare, drive, port } = yield* prepare(server, options)
    // Reads first, on the seeded data. The page of collections needs that data too.
    yield* compare(READS)
    yield* step("a page of collections")
    const [page, one] = yield* compareLatency(port, drive, ["collections", "collection"], options)
    yield* compare(WRITES)
    const printBound = yield* openTable(BOUND_HEADINGS)
    yield* printBound(boundLine("A page of 50 such collections, against one of them", page, one, "ms", 20))
  }).pipe(Effect.scoped)

/** Measures writes only. */
export const writes = (server: string, options: Options) =>
  Effect.gen(function* () {
    yield* begin("writes", WRITES.length + 1)
    const { compare } = yield* prepare(server, options)
    yield* compare(WRITES)
  }).pipe(Effect.scoped)
