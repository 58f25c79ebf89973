import { Effect } from "effect"
import type pg from "pg"
import { badReceivers, type Kind } from "../support/BadReceivers.ts"
import { enter, reckon } from "../support/Books.ts"
import type { Sizes } from "./options.ts"
import { startWorkers } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeScene, writeOn } from "./scene.ts"

/** Apps that are told of each write. */
const FAN_OUT = 5

/** Requests that a worker has under way at most. */
const CONCURRENCY = 256

const pending = (db: pg.Client) =>
  Effect.promise(async () => {
    const { rows } = await db.query<Record<string, unknown>>(
      "select count(*)::int as n from deliveries where finished_at is null"
    )
    return Number(rows[0]?.["n"])
  })

const drained = (db: pg.Client) =>
  Effect.repeat(Effect.andThen(Effect.sleep("500 millis"), pending(db)), { until: (n) => n === 0 })

/** Receivers of one kind that count what reaches whom, and everything else that both halves need. */
const open = Effect.fn(function* (server: string, { endpoints, workers }: Sizes, kind: Kind) {
  const arrivals = new Map<string, number>()
  const receivers = yield* badReceivers((_, { headers, url = "" }) => {
    enter(arrivals, [headers["webhook-id"]].flat()[0], url)
  })
  const shops = Math.ceil(endpoints / FAN_OUT)
  const scene = yield* makeScene(server, shops, FAN_OUT, () => receivers.urlOf(kind))
  return { ...scene, arrivals, workers: yield* startWorkers(scene.url, workers, CONCURRENCY) }
})

/** Workers are killed at random times while writes go on, at receivers that take up to a second to answer. */
const killing = (server: string, sizes: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("workers killed")
    const scene = yield* open(server, sizes, "slow")
    const { arrivals, db, workers } = scene
    const writes = Math.ceil(sizes.deliveries / FAN_OUT)
    const seconds = sizes.kills * sizes["kill-seconds"]
    let kills = 0
    let drainSeconds = 0
    const progress = () => `kills ${kills}/${sizes.kills}, events at apps ${arrivals.size}/${writes * FAN_OUT}`
    const killOne = Effect.gen(function* () {
      // As likely at any moment as at any other, and sometimes two in a row.
      yield* Effect.sleep(-Math.log(1 - Math.random()) * sizes["kill-seconds"] * 1000)
      yield* workers.killOne
      kills += 1
    })
    const work = Effect.gen(function* () {
      const writing = writeOn(scene, writes / seconds, (written) => written >= writes && kills >= sizes.kills)
      const killing = Effect.repeat(killOne, { until: () => kills >= sizes.kills })
      yield* Effect.all([writing, killing], { concurrency: "unbounded" })
      const began = performance.now()
      yield* drained(db)
      drainSeconds = (performance.now() - began) / 1000
    })
    yield* withProgress(progress, work)
    const books = yield* Effect.promise(() => reckon(db, arrivals))
    invariants.atLeast("kills", kills, sizes.kills)
    invariants.atLeast("deliveries", books.due, sizes.deliveries)
    invariants.none("lost", books.lost)
    invariants.none("arrived at somebody who was not to be told", books.strange)
    invariants.none("arrived more often than was attempted", books.unexplained)
    invariants.none("not delivered by the log, or attempts missing in it", books.unwritten)
    invariants.none("arrived twice without an attempt that lapsed", Math.max(0, books.doubled - books.lapsed))
    invariants.none("workers that ended by themselves", workers.ownEnds())
    invariants.fact("attempts that lapsed with their worker", String(books.lapsed))
    invariants.fact("arrivals beyond the first", String(books.doubled))
    invariants.fact("from the last write to the last delivery", `${Math.round(drainSeconds)} s`)
    return invariants.all
  })

/** The same processes with no faults, at receivers that answer at once. */
const calm = (server: string, sizes: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("without faults")
    const scene = yield* open(server, sizes, "well")
    const { arrivals, db, workers } = scene
    const writes = Math.ceil(sizes.calm / FAN_OUT)
    const progress = () => `without faults, events at apps ${arrivals.size}/${writes * FAN_OUT}`
    const work = writeOn(scene, Infinity, (written) => written >= writes)
    yield* withProgress(progress, Effect.andThen(work, drained(db)))
    const books = yield* Effect.promise(() => reckon(db, arrivals))
    invariants.atLeast("deliveries", books.due, sizes.calm)
    invariants.none("lost", books.lost)
    invariants.none("arrived at somebody who was not to be told", books.strange)
    invariants.none("doubled", books.doubled)
    invariants.none("not delivered by the log, or attempts missing in it", books.unwritten)
    invariants.none("attempts that lapsed", books.lapsed)
    invariants.none("workers that ended by themselves", workers.ownEnds())
    return invariants.all
  })

/** Both halves, one after the other. */
export const kills = (server: string, sizes: Sizes) =>
  Effect.zipWith(Effect.scoped(killing(server, sizes)), Effect.scoped(calm(server, sizes)), (a, b) => [...a, ...b])
