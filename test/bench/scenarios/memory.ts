import { Duration, Effect } from "effect"
import { startBenchmarkServer, startServerPair, printLine } from "../serverPair.ts"
import { makeLoadDriver } from "../load/driver.ts"
import type { Options } from "../options.ts"
import { allReached, BOUND_HEADINGS, boundLine, formatTable } from "../measure/report.ts"
import { SERVICE_SEEDING, seed } from "../seed/seed.ts"
import { residentMiB, type RunningServer, SERVICE } from "../servers.ts"

/** Maximum resident memory in MiB. */
const AT_MOST = 300

/** Maximum growth in MiB from the second to the last quarter of a soak. */
const GROWTH_AT_MOST = 16

const count = (requests: number) => requests.toLocaleString("en")

/** Measures resident memory after few and many requests, and that of the baseline. */
export const memory = (server: string, { connections, memoryAt }: Options) =>
  Effect.gen(function* () {
    const arena = yield* startServerPair(server)
    const drive = yield* makeLoadDriver
    const [few, many] = memoryAt

    const measureMemory = ({ pid, port }: RunningServer) =>
      Effect.forEach([few, many - few], (requests) =>
        Effect.map(drive({ port, work: "mixed", connections, requests, millis: 0 }), () => residentMiB(pid))
      )
    const [serviceEarly = 0, service = 0] = yield* measureMemory(arena.service)
    const [baselineEarly = 0, baseline = 0] = yield* measureMemory(arena.baseline)
    const lines = [boundLine(`Resident memory after ${count(many)} requests`, service, AT_MOST, "MiB", 1)]
    yield* printLine(
      `\n${formatTable(BOUND_HEADINGS, lines)}\n\n` +
        `Service after ${count(few)}: ${serviceEarly.toFixed(1)} MiB. ` +
        `Baseline after ${count(few)} and ${count(many)}: ${baselineEarly.toFixed(1)} and ${baseline.toFixed(1)} MiB.\n`
    )
    return allReached(lines)
  }).pipe(Effect.scoped)

/** Measures resident memory in each minute under a steady load. Each quarter is summarized. */
export const memorySoak = (server: string, { connections, soak: { minutes, rate } }: Options) =>
  Effect.gen(function* () {
    const service = yield* startBenchmarkServer(server, "service", SERVICE)
    yield* Effect.promise(() => seed([[service.db, SERVICE_SEEDING]]))
    const drive = yield* makeLoadDriver

    const round = Effect.gen(function* () {
      const started = performance.now()
      yield* drive({ port: service.port, work: "mixed", connections, requests: rate * 10, millis: 0 })
      yield* Effect.sleep(Duration.millis(Math.max(0, 10_000 - (performance.now() - started))))
    })
    const samples = yield* Effect.forEach(Array.from({ length: minutes }), () =>
      Effect.gen(function* () {
        yield* Effect.repeat(round, { times: 5 })
        const resident = residentMiB(service.pid)
        yield* printLine(`${resident.toFixed(1)} MiB`)
        return resident
      })
    )

    const quarters = [0, 1, 2, 3].map((index) =>
      samples.slice(Math.floor((index * minutes) / 4), Math.floor(((index + 1) * minutes) / 4))
    )
    const means = quarters.map((quarter) => quarter.reduce((sum, one) => sum + one, 0) / quarter.length)
    const growth = (means[3] ?? 0) - (means[1] ?? 0)
    const lines = [boundLine("Growth from the second to the last quarter", growth, GROWTH_AT_MOST, "MiB", 1)]
    const summary = quarters.map(
      (quarter, index) =>
        `Quarter ${index + 1}: ${[Math.min(...quarter), means[index] ?? 0, Math.max(...quarter)].map((one) => one.toFixed(1)).join(" · ")} MiB (least, mean, most).`
    )
    yield* printLine(`\n${summary.join("\n")}\n\n${formatTable(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
