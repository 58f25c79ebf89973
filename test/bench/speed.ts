import { Effect } from "effect"
import { openArena, say } from "./arena.ts"
import { makeDriver } from "./driver.ts"
import { compareLatency, compete } from "./measure.ts"
import type { Options } from "./options.ts"
import { checkParity } from "./parity.ts"
import { BOUND_HEADINGS, boundLine, type Line, SPEED_HEADINGS, speedLine, table } from "./report.ts"
import type { Work } from "./works.ts"

/** Reads first: they find the stores as they were seeded. */
const TARGETS: ReadonlyArray<readonly [work: Work, title: string, atLeast: number]> = [
  ["list", "GET /products?limit=50, full products", 1.5],
  ["listFew", "GET /products?limit=5", 1],
  ["collection", "GET /collections/:id, automated, 3 rules over 10,000 products, 500 matching", 1],
  ["create", "POST /products with idempotency and event", 1],
  ["update", "PATCH /products/:id", 1]
]

/** Requests per second, beside the server written by hand. */
export const speed = (server: string, options: Options) =>
  Effect.gen(function* () {
    const arena = yield* openArena(server)
    yield* checkParity(arena.ours, arena.rival)
    const drive = yield* makeDriver

    const pages: Array<Line> = []
    const lines: Array<Line> = []
    for (const [work, title, atLeast] of TARGETS) {
      const { ours, rival } = yield* compete(arena, drive, work, options)
      lines.push(speedLine(title, ours, rival, atLeast))
      if (work === "collection") {
        const [page, one] = yield* compareLatency(arena.ours.port, drive, ["collections", "collection"], options)
        pages.push(boundLine("A page of 50 such collections, against one of them", page, one, "ms", 20))
      }
    }
    yield* say(`\n${table(SPEED_HEADINGS, lines)}\n\n${table(BOUND_HEADINGS, pages)}\n`)
    return [...lines, ...pages].every(({ reached }) => reached)
  }).pipe(Effect.scoped)
