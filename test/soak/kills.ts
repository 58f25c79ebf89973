import { Effect } from "effect"
import type pg from "pg"
import { badReceivers, type Kind } from "../support/webhooks/BadReceivers.ts"
import { countReception, auditDeliveries } from "../support/process/DeliveryAudit.ts"
import type { Sizes } from "./options.ts"
import { startWorkers } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeFixture, writeContinuously } from "./fixture.ts"

/** Subscribed apps of each store. */
const FAN_OUT = 5

/** Maximum concurrent requests of a worker. */
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

/** Makes receivers of one kind that count deliveries, a fixture and workers. */
const open = Effect.fn(function* (server: string, { endpoints, workers }: Sizes, kind: Kind) {
  const arrivals = new Map<string, number>()
  const receivers = yield* badReceivers((_, { headers, url = "" }) => {
    countReception(arrivals, [headers["webhook-id"]].flat()[0], url)
  })
  const shops = Math.ceil(endpoints / FAN_OUT)
  const fixture = yield* makeFixture(server, shops, FAN_OUT, () => receivers.urlOf(kind))
  return { ...fixture, arrivals, workers: yield* startWorkers(fixture.url, workers, CONCURRENCY) }
})

/** Kills workers at random times during writes, with receivers that respond within a second. */
const killing = (server: string, sizes: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("workers killed")
    const fixture = yield* open(server, sizes, "slow")
    const { arrivals, db, workers } = fixture
    const writes = Math.ceil(sizes.deliveries / FAN_OUT)
    const seconds = sizes.kills * sizes["kill-seconds"]
    let kills = 0
    let drainSeconds = 0
    const progress = () => `kills ${kills}/${sizes.kills}, events at apps ${arrivals.size}/${writes * FAN_OUT}`
    const killOne = Effect.gen(function* () {
      // Exponentially distributed pauses.
      yield* Effect.sleep(-Math.log(1 - Math.random()) * sizes["kill-seconds"] * 1000)
      yield* workers.killOne
      kills += 1
    })
    const work = Effect.gen(function* () {
      const writing = writeContinuously(
        fixture,
        writes / seconds,
        (written) => written >= writes && kills >= sizes.kills
      )
      const killing = Effect.repeat(killOne, { until: () => kills >= sizes.kills })
      yield* Effect.all([writing, killing], { concurrency: "unbounded" })
      const began = performance.now()
      yield* drained(db)
      drainSeconds = (performance.now() - began) / 1000
    })
    yield* withProgress(progress, work)
    const books = yield* Effect.promise(() => auditDeliveries(db, arrivals))
    invariants.atLeast("kills", kills, sizes.kills)
    invariants.atLeast("deliveries", books.due, sizes.deliveries)
    invariants.none("lost", books.lost)
    invariants.none("delivered to an app without a subscription", books.unexpected)
    invariants.none("more arrivals than attempts", books.unexplained)
    invariants.none("deliveries without a complete log", books.unrecorded)
    invariants.none("duplicates without an expired lease", Math.max(0, books.duplicates - books.expiredLeases))
    invariants.none("unexpected exits of workers", workers.unexpectedExits())
    invariants.fact("attempts whose lease expired", String(books.expiredLeases))
    invariants.fact("arrivals beyond the first", String(books.duplicates))
    invariants.fact("from the last write to the last delivery", `${Math.round(drainSeconds)} s`)
    return invariants.all
  })

/** Delivers without faults, to receivers that respond at once. */
const calm = (server: string, sizes: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("without faults")
    const fixture = yield* open(server, sizes, "well")
    const { arrivals, db, workers } = fixture
    const writes = Math.ceil(sizes.calm / FAN_OUT)
    const progress = () => `without faults, events at apps ${arrivals.size}/${writes * FAN_OUT}`
    const work = writeContinuously(fixture, Infinity, (written) => written >= writes)
    yield* withProgress(progress, Effect.andThen(work, drained(db)))
    const books = yield* Effect.promise(() => auditDeliveries(db, arrivals))
    invariants.atLeast("deliveries", books.due, sizes.calm)
    invariants.none("lost", books.lost)
    invariants.none("delivered to an app without a subscription", books.unexpected)
    invariants.none("duplicates", books.duplicates)
    invariants.none("deliveries without a complete log", books.unrecorded)
    invariants.none("attempts whose lease expired", books.expiredLeases)
    invariants.none("unexpected exits of workers", workers.unexpectedExits())
    return invariants.all
  })

/** Delivers with killed workers, then without faults. */
export const killedWorkers = (server: string, sizes: Sizes) =>
  Effect.zipWith(Effect.scoped(killing(server, sizes)), Effect.scoped(calm(server, sizes)), (a, b) => [...a, ...b])
