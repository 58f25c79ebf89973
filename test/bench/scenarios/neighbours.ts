import { Effect, Fiber } from "effect"
import type Pg from "pg"
import { begin, openTable, printLine, rounds, step } from "../output.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { makeLoadDriver } from "../load/driver.ts"
import { type Attack, attacks, seedAttacks, type Target } from "./attacks.ts"
import { makeJobAttacks } from "./jobAttacks.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { MEDIUM_STORE, PRODUCTS, STORES, LARGE_STORE } from "../seed/population.ts"
import { BOUND_HEADINGS, boundLine } from "../measure/report.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { residentMiB, SERVICE, startServer, temporaryFolder } from "../servers.ts"
import { seedMerchantsAndAgents } from "./surfaces.ts"

/** Maximum ratio of the other stores' p99 during the load of one store to that without it. */
const AT_MOST = 5

/** p99 in milliseconds that is acceptable in any case. */
const ACCEPTABLE = 100

/** Maximum resident memory of the server in MiB, so that a container of 512 MiB survives every attack. */
const MEMORY = 512

const PROBE_MILLIS = 100

/** Products of the large store, whose collections match all of them. */
const MANY = 100_000

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Inserts the quiet stores and the two that attack. */
const seed = (url: string, db: Pg.Client) =>
  Effect.gen(function* () {
    const stores: ReadonlyArray<readonly [store: number, products: number]> = [
      ...range(STORES).map((store) => [store, PRODUCTS] as const),
      [MEDIUM_STORE.store, MEDIUM_STORE.products],
      [LARGE_STORE.store, MANY]
    ]
    yield* Effect.promise(() => seedServiceAccounts(db, stores))
    yield* Effect.promise(() => seedMerchantsAndAgents(db))
    // Allows the creates of the attacks.
    yield* Effect.promise(() => db.query("update plans set product_limit = $1", [2 * MANY]))
    for (const [store, products] of stores) yield* fillStore(url, store, 0, products)
    yield* vacuumAndCheckpoint(db)
  })

/** Counts failed readiness probes, and measures the maximum memory, while `work` runs. */
const observeServer = <A, E>({ pid, port }: Target, work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const seen = { unready: 0, probes: 0, memory: 0 }
    const probe = Effect.promise(async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`)
      seen.probes++
      if (!ok) seen.unready++
      seen.memory = Math.max(seen.memory, residentMiB(pid))
    })
    const probing = yield* Effect.forkChild(Effect.forever(Effect.andThen(probe, Effect.sleep(PROBE_MILLIS))))
    const result = yield* work
    yield* Fiber.interrupt(probing)
    return { result, ...seen }
  })

/** p99 in milliseconds of other stores: of sequential reads, and of sequential creates beside them. */
interface Latency {
  readonly reads: number
  readonly writes: number
}

/** Makes a measurement that takes this time. */
const makeProbe = (port: number, millis: number) =>
  Effect.gen(function* () {
    const [reading, writing] = [yield* makeLoadDriver, yield* makeLoadDriver]
    const job = { port, connections: 1, requests: 0, millis }
    return Effect.zipWith(
      reading({ ...job, work: "listFew" }),
      writing({ ...job, work: "create" }),
      (reads, writes): Latency => ({ reads: reads.p99, writes: writes.p99 }),
      { concurrent: true }
    )
  })
type Probe = Effect.Success<ReturnType<typeof makeProbe>>

const measureAttack = (target: Target, probe: Probe, { run, title }: Attack) =>
  Effect.gen(function* () {
    const quiet = yield* probe
    const attack = yield* Effect.forkChild(run)
    const measured: Array<Latency> = []
    const probing = Effect.repeat(
      Effect.map(probe, (latency) => measured.push(latency)),
      { until: () => attack.pollUnsafe() !== undefined }
    )
    const { memory, probes, unready } = yield* observeServer(target, probing)
    const summary = yield* Fiber.join(attack)
    const loud: Latency = {
      reads: Math.max(...measured.map(({ reads }) => reads)),
      writes: Math.max(...measured.map(({ writes }) => writes))
    }
    return {
      quiet,
      loud,
      memory,
      unready,
      summary: `${title}: ${summary}; not ready in ${unready} of ${probes} probes`
    }
  })

/** Measures the effect of one store's load and jobs, within its limits, on the others. */
export const neighbours = (server: string, { attackOperations, attackRounds, only, roundMillis }: Options) =>
  Effect.gen(function* () {
    yield* begin("neighbours", 1)
    yield* step("seeding")
    const url = yield* createDatabase(server, "neighbours")
    const { pid, port } = yield* startServer(SERVICE, url, { DATA_DIR: yield* temporaryFolder })
    const db = yield* openConnection(url)
    yield* seed(url, db)
    const target: Target = { url, port, pid, db }
    const probe = yield* makeProbe(port, roundMillis)
    yield* seedAttacks(target)
    // Jobs take longest, so they come last.
    const all = [...attacks(target), ...(yield* makeJobAttacks(target, attackOperations))].filter(({ title }) =>
      title.includes(only)
    )
    yield* vacuumAndCheckpoint(db)
    yield* probe

    yield* begin("neighbours", all.length)
    const printRow = yield* openTable(BOUND_HEADINGS)
    const summaries: Array<string> = []
    for (const attack of all) {
      yield* step(attack.title)
      const measured = yield* rounds(attackRounds, () => measureAttack(target, probe, attack))
      summaries.push(...measured.map(({ summary }) => summary))
      for (const work of ["reads", "writes"] as const) {
        const [quiet, loud] = [
          medianOf(measured.map(({ quiet }) => quiet[work])),
          medianOf(measured.map(({ loud }) => loud[work]))
        ]
        const against = Math.max(quiet, ACCEPTABLE / AT_MOST)
        yield* printRow(boundLine(`p99 of the others' ${work}: ${attack.title}`, loud, against, "ms", AT_MOST))
      }
      const memory = Math.max(...measured.map(({ memory }) => memory))
      yield* printRow(boundLine(`Resident memory: ${attack.title}`, memory, MEMORY, "MiB", 1))
      const unready = measured.reduce((sum, one) => sum + one.unready, 0)
      yield* printRow({
        cells: [`Readiness probes that failed: ${attack.title}`, String(unready), "", "", "0"],
        reached: unready === 0
      })
    }
    yield* printLine(`\n${summaries.join("\n")}`)
  }).pipe(Effect.scoped)
