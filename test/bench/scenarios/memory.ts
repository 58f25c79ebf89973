import { Duration, Effect } from "effect"
import { formatInteger } from "../../../src/domain/Text.ts"
import { startBenchmarkServer, startServerPair } from "../serverPair.ts"
import { begin, openTable, printLine, step } from "../output.ts"
import { makeLoadDriver } from "../load/driver.ts"
import type { Options } from "../options.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { SERVICE_SEEDING, seed } from "../seed/seed.ts"
import { residentMiB, SERVICE, SIDES } from "../servers.ts"

/** Maximum resident memory in MiB. */
const AT_MOST = 200

/** Requests after which the bound applies. */
const BOUND_REQUESTS = 200_000

/** Measurements of each server. */
const PARTS = 10

/** Maximum growth in MiB from the second to the last quarter of a soak. */
const GROWTH_AT_MOST = 16

/**
 * Measures resident memory of the service and of the baseline after each tenth of the requests. On a slow machine the last
 * tenths are left out.
 */
export const memory = (server: string, { connections, memoryMillis, memoryRequests }: Options) =>
  Effect.gen(function* () {
    yield* begin("memory", 1 + 2 * PARTS)
    const arena = yield* startServerPair(server)
    const drive = yield* makeLoadDriver
    const printRow = yield* openTable(["Resident memory", "Measured", "At most"])
    const requests = memoryRequests / PARTS
    for (const side of SIDES) {
      const { pid, port } = arena[side]
      const startedAt = performance.now()
      for (let part = 1, isLast = false; !isLast; part++) {
        const sent = part * requests
        yield* step(`${side}, ${formatInteger(sent)} requests`)
        yield* drive({ port, work: "mixed", connections, requests, millis: 0 })
        const resident = residentMiB(pid)
        isLast = part === PARTS || performance.now() - startedAt > memoryMillis
        const isBounded = isLast && side === "service"
        const note = isBounded && sent < BOUND_REQUESTS ? `, not ${formatInteger(BOUND_REQUESTS)} (--full)` : ""
        yield* printRow({
          cells: [
            `${side}, after ${formatInteger(sent)} requests${note}`,
            `${resident.toFixed(1)} MiB`,
            isBounded ? `${AT_MOST} MiB` : ""
          ],
          ...(isBounded && { reached: resident <= AT_MOST })
        })
      }
    }
  }).pipe(Effect.scoped)

/** Measures resident memory in each minute under a steady load. Each quarter is summarized. */
export const memorySoak = (server: string, { connections, soakMinutes: minutes, soakRate: rate }: Options) =>
  Effect.gen(function* () {
    yield* begin("memory-soak", minutes + 1)
    yield* step("seeding")
    const service = yield* startBenchmarkServer(server, "service", SERVICE)
    yield* Effect.promise(() => seed([[service.db, SERVICE_SEEDING]]))
    const drive = yield* makeLoadDriver

    const round = Effect.gen(function* () {
      const started = performance.now()
      yield* drive({ port: service.port, work: "mixed", connections, requests: rate * 10, millis: 0 })
      yield* Effect.sleep(Duration.millis(Math.max(0, 10_000 - (performance.now() - started))))
    })
    const printMinute = yield* openTable(["Minute", "MiB"])
    const samples = yield* Effect.forEach(Array.from({ length: minutes }), (_, minute) =>
      Effect.gen(function* () {
        yield* step(`minute ${minute + 1}`)
        yield* Effect.repeat(round, { times: 5 })
        const resident = residentMiB(service.pid)
        yield* printMinute({ cells: [String(minute + 1), resident.toFixed(1)] })
        return resident
      })
    )

    const quarters = [0, 1, 2, 3].map((index) =>
      samples.slice(Math.floor((index * minutes) / 4), Math.floor(((index + 1) * minutes) / 4))
    )
    const means = quarters.map((quarter) => quarter.reduce((sum, one) => sum + one, 0) / quarter.length)
    const growth = (means[3] ?? 0) - (means[1] ?? 0)
    const summary = quarters.map(
      (quarter, index) =>
        `Quarter ${index + 1}: ${[Math.min(...quarter), means[index] ?? 0, Math.max(...quarter)].map((one) => one.toFixed(1)).join(" · ")} MiB (least, mean, most).`
    )
    yield* printLine(`\n${summary.join("\n")}`)
    const printBound = yield* openTable(BOUND_HEADINGS)
    yield* printBound(boundLine("Growth from the second to the last quarter", growth, GROWTH_AT_MOST, "MiB", 1))
  }).pipe(Effect.scoped)
