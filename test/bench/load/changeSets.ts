import { Effect, Schedule, Schema } from "effect"
import type Pg from "pg"
import { cpuSeconds, databaseCpuSeconds, findPostmaster } from "../measure/cpu.ts"
import { INSTALLATIONS, tokenOf } from "../seed/population.ts"

const SetAnswer = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    state: Schema.String,
    counts: Schema.Struct({ changed: Schema.Int, refused: Schema.Int })
  })
})
const decodeSet = Schema.decodeUnknownSync(SetAnswer)

let keys = 0

/** Calls the API as the first app of the large store, because sets belong to their installation. */
const call = (port: number, method: string, path: string, body?: string) =>
  Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/platform/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokenOf(INSTALLATIONS.vast.first)}`,
        ...(method === "GET" ? {} : { "idempotency-key": `bench-${keys++}` }),
        ...(body === undefined ? {} : { "content-type": "application/x-ndjson" })
      },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return decodeSet(JSON.parse(text)).data
  })

/** Waits for a state. Reads every second, within the window of the installation. */
const waitFor = (port: number, id: string, state: string) =>
  call(port, "GET", `/change-sets/${id}`).pipe(
    Effect.repeat({
      until: (set) => set.state === state || set.state === "failed",
      schedule: Schedule.spaced("1 second")
    })
  )

/** Seconds of a change set, and the CPU seconds of all of it. */
export interface ChangeSetRun {
  readonly id: string
  readonly received: number
  readonly previewed: number
  readonly applied: number
  readonly cpu: number
  readonly counts: { readonly changed: number; readonly refused: number }
}

/** Previews and applies change sets of the large store. */
export const changeSetRuns = ({
  db,
  pid,
  port
}: {
  readonly db: Pg.Client
  readonly pid: number
  readonly port: number
}) =>
  Effect.gen(function* () {
    const postmaster = yield* Effect.promise(() => findPostmaster(db))
    const cpu = () => (postmaster === undefined ? Number.NaN : cpuSeconds(pid) + databaseCpuSeconds(postmaster))

    const run = Effect.fnUntraced(function* (path: string, body?: string) {
      const cpuBefore = cpu()
      const sentAt = performance.now()
      const { id } = yield* call(port, "POST", path, body)
      const receivedAt = performance.now()
      yield* waitFor(port, id, "ready")
      const readyAt = performance.now()
      yield* call(port, "POST", `/change-sets/${id}/apply`)
      const { counts } = yield* waitFor(port, id, "applied")
      return {
        id,
        received: (receivedAt - sentAt) / 1000,
        previewed: (readyAt - receivedAt) / 1000,
        applied: (performance.now() - readyAt) / 1000,
        cpu: cpu() - cpuBefore,
        counts
      } satisfies ChangeSetRun
    })

    return {
      /** Runs a set of operations. */
      run: (operations: ReadonlyArray<unknown>) =>
        run(
          "/change-sets",
          `${JSON.stringify({ mode: "each" })}\n${operations.map((one) => JSON.stringify(one)).join("\n")}\n`
        ),

      /** Undoes a set. */
      undo: (id: string) => run(`/change-sets/${id}/undo`)
    }
  })
