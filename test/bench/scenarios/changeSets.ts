import { Effect, Fiber, Schedule, Schema } from "effect"
import { createDatabase, openConnection, vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { medianOf } from "../measure/rounds.ts"
import { allReached, BOUND_HEADINGS, boundLine, formatTable } from "../measure/report.ts"
import type { Options } from "../options.ts"
import { idOf, INSTALLATIONS, LARGE_STORE, PRODUCTS, STORES, tokenOf } from "../seed/population.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { printLine } from "../serverPair.ts"
import { residentMiB, SERVICE, startServer } from "../servers.ts"

/** Maximum seconds for applying 10,000 changes of a price, and for all of a large set. */
const SECONDS_PER_10_000 = 10
const SECONDS_PER_100_000 = 90

/** Maximum ratio of the others' p99 to its quiet value, and the p99 in milliseconds that is acceptable in any case. */
const AT_MOST = 5
const ACCEPTABLE = 100

/** Maximum resident memory of the server in MiB. */
const MEMORY = 512

const SetAnswer = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    state: Schema.String,
    counts: Schema.Struct({ changed: Schema.Int, refused: Schema.Int })
  })
})
const decodeSet = Schema.decodeUnknownSync(SetAnswer)

/** Calls the API as the app of the large store. Its window allows 100 requests, so reads take turns of installations. */
const makeCall = (port: number) => {
  let turn = 0
  return (method: string, path: string, body?: string, type = "application/json") =>
    Effect.promise(async () => {
      // Sets belong to their installation: only its first installation writes, and its window is large enough.
      const token = tokenOf(INSTALLATIONS.vast.first)
      const response = await fetch(`http://127.0.0.1:${port}/api/platform/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === "GET" ? {} : { "idempotency-key": `bench-${turn++}` }),
          ...(body === undefined ? {} : { "content-type": type })
        },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return decodeSet(JSON.parse(text)).data
    })
}

/** Measures change sets of prices: their preview, their application, and their effect on other stores. */
export const changeSets = (server: string, { changeSetRows, roundMillis }: Options) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "change_sets")
    const { pid, port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    const stores: ReadonlyArray<readonly [store: number, products: number]> = [
      ...Array.from({ length: STORES }, (_, store) => [store, PRODUCTS] as const),
      [LARGE_STORE.store, changeSetRows]
    ]
    yield* Effect.promise(() => seedServiceAccounts(db, stores))
    for (const [store, products] of stores) yield* fillStore(url, store, 0, products)
    yield* vacuumAndCheckpoint(db)
    const call = makeCall(port)
    const drive = yield* makeLoadDriver
    const probe = Effect.map(
      drive({ port, work: "listFew", connections: 1, requests: 0, millis: roundMillis }),
      ({ p99 }) => p99
    )
    yield* probe
    const quiet = medianOf(yield* Effect.replicateEffect(probe, 3))
    let memory = 0

    /** Waits for a state. Reads every second, within the window of the installation. */
    const waitFor = (id: string, state: string) =>
      call("GET", `/change-sets/${id}`).pipe(
        Effect.tap(() => Effect.sync(() => (memory = Math.max(memory, residentMiB(pid))))),
        Effect.repeat({
          until: (set) => set.state === state || set.state === "failed",
          schedule: Schedule.spaced("1 second")
        })
      )

    const run = Effect.fnUntraced(function* (rows: number, price: number) {
      const operations = Array.from({ length: rows }, (_, n) =>
        JSON.stringify({
          op: "product.update",
          id: idOf("product", LARGE_STORE.store, n),
          patch: { price: price + n / 100 }
        })
      )
      const body = `${JSON.stringify({ mode: "each" })}\n${operations.join("\n")}\n`
      const sentAt = performance.now()
      const { id } = yield* call("POST", "/change-sets", body, "application/x-ndjson")
      const receivedAt = performance.now()
      yield* waitFor(id, "ready")
      const readyAt = performance.now()
      yield* call("POST", `/change-sets/${id}/apply`)
      const { counts } = yield* waitFor(id, "applied")
      const seconds = (performance.now() - readyAt) / 1000
      yield* printLine(
        `${rows.toLocaleString("en")} prices: received in ${((receivedAt - sentAt) / 1000).toFixed(1)} s, previewed in ${((readyAt - receivedAt) / 1000).toFixed(1)} s, applied in ${seconds.toFixed(1)} s; changed ${counts.changed}, refused ${counts.refused}`
      )
      return seconds
    })

    const alone = yield* run(Math.min(10_000, changeSetRows), 10)
    const all = yield* Effect.forkChild(run(changeSetRows, 20))
    const loud: Array<number> = []
    while (all.pollUnsafe() === undefined) loud.push(yield* probe)
    const seconds = yield* Fiber.join(all)
    const lines = [
      boundLine("10,000 prices, seconds", alone, SECONDS_PER_10_000, "s", 1),
      boundLine(
        `${changeSetRows.toLocaleString("en")} prices beside reads`,
        seconds,
        (SECONDS_PER_100_000 * changeSetRows) / 100_000,
        "s",
        1
      ),
      boundLine(
        "p99 of the others' reads beside it",
        medianOf(loud),
        Math.max(quiet, ACCEPTABLE / AT_MOST),
        "ms",
        AT_MOST
      ),
      boundLine("Resident memory meanwhile", memory, MEMORY, "MiB", 1)
    ]
    yield* printLine(`\n${formatTable(BOUND_HEADINGS, lines)}\n`)
    return allReached(lines)
  }).pipe(Effect.scoped)
