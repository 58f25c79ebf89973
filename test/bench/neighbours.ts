import { Effect, Fiber } from "effect"
import type Pg from "pg"
import { say } from "./arena.ts"
import { connection, freshDatabase, settle } from "./cluster.ts"
import { type Drive, makeDriver } from "./driver.ts"
import { type Attack, attacks, seedAttacks, type Target } from "./hostile.ts"
import { fillStore } from "./manyProducts.ts"
import { middle } from "./measure.ts"
import type { Options } from "./options.ts"
import { DEEP, PRODUCTS, STORES, VAST } from "./population.ts"
import { allReached, BOUND_HEADINGS, boundLine, type Line, table } from "./report.ts"
import { seedOurAccounts } from "./seed.ts"
import { residentMiB, SERVICE, startServer } from "./servers.ts"
import { seedCallers } from "./surfaces.ts"

/** What one store may cost the others: their p99 against the one in quiet. */
const AT_MOST = 5

/** Milliseconds of p99 that nobody notices, however quiet it was before. */
const UNNOTICED = 100

/** Resident memory of the server, in MiB, whatever one store does. */
const MEMORY = 300

const PROBE_MILLIS = 100

/** Products of the store whose collections match all of them. */
const MANY = 100_000

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Stores that ask little, and two that ask all they may. */
const seed = (url: string, db: Pg.Client) =>
  Effect.gen(function* () {
    const stores: ReadonlyArray<readonly [store: number, products: number]> = [
      ...range(STORES).map((store) => [store, PRODUCTS] as const),
      [DEEP.store, DEEP.products],
      [VAST.store, MANY]
    ]
    yield* Effect.promise(() => seedOurAccounts(db, stores))
    yield* Effect.promise(() => seedCallers(db))
    // Room beyond what is filled, for the creates of the attacks.
    yield* Effect.promise(() => db.query("update plans set product_limit = $1", [2 * MANY]))
    for (const [store, products] of stores) yield* fillStore(url, store, 0, products)
    yield* settle(db)
  })

/** How often the service said that it is not ready, and the most memory it held, while `work` was under way. */
const observed = <A, E>({ pid, port }: Target, work: Effect.Effect<A, E>) =>
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

/** p99 of other stores' reads, one at a time, in milliseconds. */
const listen = (drive: Drive, port: number, millis: number) =>
  Effect.map(drive({ port, work: "listFew", connections: 1, requests: 0, millis }), ({ p99 }) => p99)

const suffer = (target: Target, drive: Drive, { run, title }: Attack, millis: number) =>
  Effect.gen(function* () {
    const quiet = yield* listen(drive, target.port, millis)
    const attack = yield* Effect.forkChild(run)
    const { memory, probes, result: loud, unready } = yield* observed(target, listen(drive, target.port, millis))
    const came = yield* Fiber.join(attack)
    yield* say(`${title}: ${came}; not ready in ${unready} of ${probes} probes`)
    return { quiet, loud, memory, unready }
  })

/** What the worst that one store can do within its limits costs the others. */
export const neighbours = (server: string, { only, rounds, roundMillis }: Options) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(server, "neighbours")
    const { pid, port } = yield* startServer(SERVICE, url)
    const db = yield* connection(url)
    yield* seed(url, db)
    const target: Target = { url, port, pid, db }
    const drive = yield* makeDriver
    yield* seedAttacks(target)
    yield* settle(db)
    yield* listen(drive, port, roundMillis)

    const lines: Array<Line> = []
    let isReady = true
    for (const attack of attacks(target).filter(({ title }) => title.includes(only))) {
      const all = []
      for (let round = 0; round < Math.min(rounds, 3); round++) {
        all.push(yield* suffer(target, drive, attack, roundMillis * 2))
      }
      isReady &&= all.every(({ unready }) => unready === 0)
      const [quiet, loud] = [middle(all.map(({ quiet }) => quiet)), middle(all.map(({ loud }) => loud))]
      const against = Math.max(quiet, UNNOTICED / AT_MOST)
      lines.push(boundLine(`p99 of the others: ${attack.title}`, loud, against, "ms", AT_MOST))
      const memory = Math.max(...all.map(({ memory }) => memory))
      lines.push(boundLine(`Resident memory meanwhile`, memory, MEMORY, "MiB", 1))
    }
    yield* say(`\n${table(BOUND_HEADINGS, lines)}\n`)
    return isReady && allReached(lines)
  }).pipe(Effect.scoped)
