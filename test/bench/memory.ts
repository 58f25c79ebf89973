import { Effect } from "effect"
import { openArena, say } from "./arena.ts"
import { makeDriver } from "./driver.ts"
import type { Options } from "./options.ts"
import { allReached, BOUND_HEADINGS, boundLine, table } from "./report.ts"
import { residentMiB, type RunningServer } from "./servers.ts"

const count = (requests: number) => requests.toLocaleString("en")

/** Resident memory after much work against after little, and beside the hand-written baseline. */
export const memory = (server: string, { connections, memoryAt }: Options) =>
  Effect.gen(function* () {
    const arena = yield* openArena(server)
    const drive = yield* makeDriver
    const [few, many] = memoryAt

    const weigh = ({ pid, port }: RunningServer) =>
      Effect.forEach([few, many - few], (requests) =>
        Effect.map(drive({ port, work: "mixed", connections, requests, millis: 0 }), () => residentMiB(pid))
      )
    const [oursEarly = 0, ours = 0] = yield* weigh(arena.ours)
    const [baselineEarly = 0, baseline = 0] = yield* weigh(arena.baseline)
    const lines = [
      boundLine(
        `Resident memory after ${count(many)} requests, against after ${count(few)}`,
        ours,
        oursEarly,
        "MiB",
        1.2
      ),
      boundLine(`The same, against the hand-written baseline after ${count(many)}`, ours, baseline, "MiB", 1.5)
    ]
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n\nBaseline after ${count(few)}: ${baselineEarly.toFixed(1)} MiB.\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
