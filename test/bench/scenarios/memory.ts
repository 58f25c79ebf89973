import { Effect } from "effect"
import { startServerPair, printLine } from "../serverPair.ts"
import { makeLoadDriver } from "../load/driver.ts"
import type { Options } from "../options.ts"
import { allReached, BOUND_HEADINGS, boundLine, formatTable } from "../measure/report.ts"
import { residentMiB, type RunningServer } from "../servers.ts"

/** Maximum resident memory in MiB. */
const AT_MOST = 300

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
