import { Effect, Fiber } from "effect"
import type Pg from "pg"
import { printLine } from "../serverPair.ts"
import { openConnection, createDatabase, vacuumAndCheckpoint } from "../database.ts"
import { type LoadDriver, makeLoadDriver } from "../load/driver.ts"
import { type Attack, attacks, seedAttacks, type Target } from "./attacks.ts"
import { fillStore } from "../seed/manyProducts.ts"
import { medianOf } from "../measure/rounds.ts"
import type { Options } from "../options.ts"
import { MEDIUM_STORE, PRODUCTS, STORES, LARGE_STORE } from "../seed/population.ts"
import { allReached, BOUND_HEADINGS, boundLine, type Line, formatTable } from "../measure/report.ts"
import { seedServiceAccounts } from "../seed/seed.ts"
import { residentMiB, SERVICE, startServer } from "../servers.ts"
import { seedMerchantsAndAgents } from "./surfaces.ts"

/** Maximum ratio of the other stores' p99 during an attack to that without one. */
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

/** p99 of sequential reads of other stores, in milliseconds. */
const probeLatency = (drive: LoadDriver, port: number, millis: number) =>
  Effect.map(drive({ port, work: "listFew", connections: 1, requests: 0, millis }), ({ p99 }) => p99)

const measureAttack = (target: Target, drive: LoadDriver, { run, title }: Attack, millis: number) =>
  Effect.gen(function* () {
    const quiet = yield* probeLatency(drive, target.port, millis)
    const attack = yield* Effect.forkChild(run)
    const {
      memory,
      probes,
      result: loud,
      unready
    } = yield* observeServer(target, probeLatency(drive, target.port, millis))
    const summary = yield* Fiber.join(attack)
    yield* printLine(`${title}: ${summary}; not ready in ${unready} of ${probes} probes`)
    return { quiet, loud, memory, unready }
  })

/** Measures the effect of one store's load, within its limits, on the others. */
export const noisyNeighbour = (server: string, { only, rounds, roundMillis }: Options) =>
  Effect.gen(function* () {
    const url = yield* createDatabase(server, "noisy_neighbour")
    const { pid, port } = yield* startServer(SERVICE, url)
    const db = yield* openConnection(url)
    yield* seed(url, db)
    const target: Target = { url, port, pid, db }
    const drive = yield* makeLoadDriver
    yield* seedAttacks(target)
    yield* vacuumAndCheckpoint(db)
    yield* probeLatency(drive, port, roundMillis)

    const lines: Array<Line> = []
    let isReady = true
    for (const attack of attacks(target).filter(({ title }) => title.includes(only))) {
      const all = []
      for (let round = 0; round < Math.min(rounds, 3); round++) {
        all.push(yield* measureAttack(target, drive, attack, roundMillis * 2))
      }
      isReady &&= all.every(({ unready }) => unready === 0)
      const [quiet, loud] = [medianOf(all.map(({ quiet }) => quiet)), medianOf(all.map(({ loud }) => loud))]
      const against = Math.max(quiet, ACCEPTABLE / AT_MOST)
      lines.push(boundLine(`p99 of the others: ${attack.title}`, loud, against, "ms", AT_MOST))
      const memory = Math.max(...all.map(({ memory }) => memory))
      lines.push(boundLine(`Resident memory meanwhile`, memory, MEMORY, "MiB", 1))
    }
    yield* printLine(`\n${formatTable(BOUND_HEADINGS, lines)}\n`)
    return isReady && allReached(lines)
  }).pipe(Effect.scoped)
