import { Effect, Schedule, Schema } from "effect"
import type Pg from "pg"
import { cpuSeconds, databaseCpuSeconds, findPostmaster } from "../measure/cpu.ts"
import { INSTALLATIONS, tokenOf } from "../seed/population.ts"
import { printLine } from "../serverPair.ts"

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

    const run = Effect.fnUntraced(function* (title: string, path: string, body?: string) {
      const cpuBefore = cpu()
      const sentAt = performance.now()
      const { id } = yield* call(port, "POST", path, body)
      const receivedAt = performance.now()
      yield* waitFor(port, id, "ready")
      const readyAt = performance.now()
      yield* call(port, "POST", `/change-sets/${id}/apply`)
      const { counts } = yield* waitFor(port, id, "applied")
      const seconds = (performance.now() - readyAt) / 1000
      const used = cpu() - cpuBefore
      yield* printLine(
        `${title}: received in ${((receivedAt - sentAt) / 1000).toFixed(1)} s, previewed in ${((readyAt - receivedAt) / 1000).toFixed(1)} s, applied in ${seconds.toFixed(1)} s; CPU ${used.toFixed(1)} s; changed ${counts.changed}, refused ${counts.refused}`
      )
      return { id, seconds, cpu: used }
    })

    return {
      /** Runs a set of operations. Returns the seconds of its application, and the CPU seconds of all of it. */
      run: (title: string, operations: ReadonlyArray<unknown>) =>
        run(
          title,
          "/change-sets",
          `${JSON.stringify({ mode: "each" })}\n${operations.map((one) => JSON.stringify(one)).join("\n")}\n`
        ),

      /** Undoes a set. */
      undo: (title: string, id: string) => run(title, `/change-sets/${id}/undo`)
    }
  })
