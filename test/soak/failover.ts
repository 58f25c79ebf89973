import { Effect, Schedule } from "effect"
import type Pg from "pg"
import { openConnection } from "../bench/database.ts"
import { attempt } from "../support/postgres/Postmasters.ts"
import { auditDeliveries, countReception } from "../support/process/DeliveryAudit.ts"
import { badReceivers } from "../support/webhooks/BadReceivers.ts"
import { type Acknowledged, makeLoad } from "./failoverLoad.ts"
import { makeStores } from "./fixture.ts"
import type { Sizes } from "./options.ts"
import { findPrograms, type FoundPrograms, type Node, patroniCluster, waitFor, type Way, WAYS } from "./patroni.ts"
import { startServer, startWorkers } from "./processes.ts"
import { makeInvariants, printLine, withProgress } from "./report.ts"

/** Stores, and subscribed apps of each. */
const STORES = 4
const FAN_OUT = 2
const WORKERS = 2

/** Milliseconds after Patroni's promotion in which clients must succeed again. */
const RECOVERY = 5_000

/** Seconds of writes before each kill. */
const SECONDS_BEFORE = 3

/** Milliseconds of one round: from the kill to the promotion, and the others from the promotion. */
interface Round {
  readonly way: Way
  readonly promoted: number
  readonly first: number
  readonly last: number
  readonly delivered: number
  readonly listening: number
  readonly rejoined: number
}

const longest = (rounds: ReadonlyArray<Round>, of: (round: Round) => number) => Math.max(0, ...rounds.map(of))

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)

/** Writes that are missing in the database, as `<id> <version>`: their entry, event, or the product at that version. */
const findLost = (db: Pg.Client, acknowledged: ReadonlyArray<Acknowledged>) =>
  Effect.promise(async () => {
    const { rows } = await db.query<{ lost: string }>(
      `select w.id || ' ' || w.version as lost
       from unnest($1::uuid[], $2::integer[]) as w (id, version)
       where not exists (select from journal j where j.resource_id = w.id and j.version = w.version)
         or not exists (select from events e where e.resource_id = w.id and e.resource_version = w.version)
         or not exists (select from products p where p.id = w.id and p.version >= w.version)`,
      [acknowledged.map(({ id }) => id), acknowledged.map(({ version }) => version)]
    )
    return rows.map(({ lost }) => lost)
  })

const run = (programs: FoundPrograms, { "failover-kills": kills }: Sizes) =>
  Effect.gen(function* () {
    const invariants = makeInvariants("failover")
    const { nodes, synchronous, url } = yield* patroniCluster(programs)
    const arrivals = new Map<string, number>()
    const arrivedAt: Array<number> = []
    const receivers = yield* badReceivers((_, { headers, url: path = "" }) => {
      arrivedAt.push(performance.now())
      countReception(arrivals, [headers["webhook-id"]].flat()[0], path)
    })
    const stores = yield* makeStores(url, STORES, FAN_OUT, () => receivers.urlOf("well"))
    const load = makeLoad(yield* startServer(url), stores)
    const { acknowledged, clients } = load
    const workers = yield* startWorkers(url, WORKERS, 64)
    yield* Effect.forkScoped(
      Effect.repeat(attempt(url, "update rate_windows set hits = '{}' where hits <> '{}'"), Schedule.spaced("1 second"))
    )

    const rounds: Array<Round> = []
    const listeners = attempt(
      url,
      "select 1 from pg_stat_activity where state = 'idle' and query ilike 'listen%deliveries%'"
    )
    const killOne = Effect.gen(function* () {
      const primary = yield* synchronous
      yield* Effect.sleep((SECONDS_BEFORE + Math.random()) * 1000)
      const way = WAYS[rounds.length % WAYS.length] ?? "node"
      const killedAt = performance.now()
      primary.kill(way)
      const others = nodes.filter((node) => node !== primary)
      yield* waitFor("a promotion", firstPrimary(others))
      const promotedAt = performance.now()
      const after = (at: number) => at - killedAt
      const writers = Array.from({ length: load.writers }, (_, writer) => writer)
      /** First success of each writer after the promotion. */
      const successes = yield* waitFor(
        "all writers",
        Effect.sync(() => {
          const first = writers.map((n) => acknowledged.find(({ at, writer }) => writer === n && at >= promotedAt)?.at)
          const known = first.filter((at) => at !== undefined)
          return known.length === writers.length ? known : undefined
        })
      )
      const delivered = yield* waitFor(
        "a delivery",
        Effect.sync(() => arrivedAt.find((at) => at >= promotedAt))
      )
      yield* waitFor(
        "LISTEN of all workers",
        Effect.map(listeners, (rows) => (rows?.length === WORKERS ? rows : undefined))
      )
      const listeningAt = performance.now()
      primary.revive()
      yield* synchronous
      const round: Round = {
        way,
        promoted: after(promotedAt),
        first: Math.min(...successes) - promotedAt,
        last: Math.max(...successes) - promotedAt,
        delivered: delivered - promotedAt,
        listening: listeningAt - promotedAt,
        rejoined: performance.now() - listeningAt
      }
      rounds.push(round)
      yield* printLine(
        `${rounds.length}. ${way}: promoted after ${seconds(round.promoted)} s; then first write ${seconds(round.first)} s, ` +
          `last writer ${seconds(round.last)}, delivery ${seconds(round.delivered)}, LISTEN ${seconds(round.listening)}; ` +
          `synchronous again after ${seconds(round.rejoined)} s`
      )
    })
    const progress = () =>
      `kills ${rounds.length}/${kills}, acknowledged ${acknowledged.length}, events at apps ${arrivals.size}`
    const killing = Effect.ensuring(Effect.repeat(killOne, { until: () => rounds.length >= kills }), load.stop)
    yield* withProgress(progress, Effect.all([killing, load.run], { concurrency: "unbounded", discard: true }))

    const db = yield* openConnection(url)
    yield* waitFor(
      "the last deliveries",
      Effect.promise(async () => {
        const { rows } = await db.query("select 1 from deliveries where finished_at is null limit 1")
        return rows.length === 0 ? rows : undefined
      })
    )
    const lost = yield* findLost(db, acknowledged)
    const audit = yield* Effect.promise(() => auditDeliveries(db, arrivals))
    const changed = yield* load.changedReplays
    const { rows: versions } = yield* Effect.promise(() => db.query<Record<string, unknown>>("show server_version"))

    invariants.fact("PostgreSQL of the nodes", String(versions[0]?.["server_version"]))
    invariants.atLeast("primaries killed", rounds.length, kills)
    for (const way of WAYS) {
      invariants.fact(`kills of the kind ${way}`, String(rounds.filter((round) => round.way === way).length))
    }
    invariants.fact("acknowledged writes", String(acknowledged.length))
    invariants.none("acknowledged writes lost", lost)
    invariants.none("keys that do not replay their response", changed)
    invariants.fact("reads of acknowledged products", String(load.reads()))
    invariants.none("reads of an older version than acknowledged", load.stale)
    invariants.none("responses other than 2xx and 503 with Retry-After, or connection errors", clients.bad)
    for (const [status, n] of clients.seen) invariants.fact(`responses ${status}`, String(n))
    invariants.fact("longest request", `${seconds(clients.longest())} s`)
    invariants.deliveries(audit)
    invariants.fact("longest failover of Patroni", `${seconds(longest(rounds, ({ promoted }) => promoted))} s`)
    const recovered = (what: string, of: (round: Round) => number) =>
      invariants.atMost(`${what} after the promotion`, longest(rounds, of), RECOVERY, " ms")
    recovered("first write", ({ first }) => first)
    recovered("last writer", ({ last }) => last)
    recovered("first delivery", ({ delivered }) => delivered)
    recovered("LISTEN of all workers", ({ listening }) => listening)
    invariants.fact(
      "longest until there was a synchronous standby again",
      `${seconds(longest(rounds, ({ rejoined }) => rejoined))} s`
    )
    invariants.none("unexpected exits of workers", workers.unexpectedExits())
    return invariants.all
  }).pipe(Effect.scoped, Effect.orDie)

/** Returns a node once it is the primary. */
const firstPrimary = (nodes: ReadonlyArray<Node>) =>
  Effect.gen(function* () {
    for (const node of nodes) if (yield* node.isPrimary) return node
    return undefined
  })

/** Kills the primary of a Patroni cluster under load, in each way in turn. Skipped without its programs. */
export const killedPrimaries = (sizes: Sizes) =>
  Effect.gen(function* () {
    const programs = findPrograms()
    if (typeof programs !== "string") return yield* run(programs, sizes)
    const invariants = makeInvariants("failover")
    invariants.fact("not run", programs)
    return invariants.all
  })
