import { Effect, Schema } from "effect"
import type pg from "pg"
import { badReceivers, type BadReceivers, type Kind } from "../support/BadReceivers.ts"
import { memoryOf } from "../support/Memory.ts"
import type { Sizes } from "./options.ts"
import { startWorkers, type Workers } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeScene, type Shop, write } from "./scene.ts"

const BAD = ["fail", "reset", "redirect", "hang", "drip", "flood"] as const satisfies ReadonlyArray<Kind>

/** Milliseconds for which a slot may be taken: the limit of a request, and what a busy machine adds. */
const SLOT = 12_000

/** Requests at once to one app: at first, and when it is known to fail. */
const LIMIT = 32
const FAILING_LIMIT = 2

/** MiB of memory that the second half of the requests may take more than the first: buffers of sockets, no answers. */
const GROWTH = 64

const State = Schema.Struct({ made: Schema.Int, longest: Schema.Int, untried: Schema.Int, unknown: Schema.Int })
const stateOf = Schema.decodeUnknownPromise(Schema.Tuple([State]))

/** Attempts that are over, the longest of them, deliveries that had none, endpoints not yet known to fail. */
const look = (db: pg.Client, { apps, storeId }: Shop) =>
  Effect.promise(async () => {
    const { rows } = await db.query<Record<string, unknown>>(
      `select
         (select count(*)::int from delivery_attempts where store_id = $1) as made,
         (select coalesce(max(duration_ms), 0)::int from delivery_attempts where store_id = $1) as longest,
         (select count(*)::int from deliveries where store_id = $1 and attempts = 0) as untried,
         (select count(*)::int from webhooks where app_id = any($2) and failing_since is null) as unknown`,
      [storeId, apps]
    )
    const [state] = await stateOf(rows)
    return state
  })

const pause = (db: pg.Client, { apps }: Shop) =>
  Effect.promise(() =>
    db.query("update webhooks set paused_at = now(), pause_reason = 'operator' where app_id = any($1)", [apps])
  )

interface Stage {
  readonly db: pg.Client
  readonly base: string
  readonly receivers: BadReceivers
  readonly workers: Workers
}

/** Sends `requests` to the apps of one shop, all of one kind, and waits until the last slot is free. */
const ordeal = (stage: Stage, kind: Kind, shop: Shop, requests: number) =>
  Effect.gen(function* () {
    const { base, db, receivers, workers } = stage
    const invariants = makeInvariants(`receivers that ${kind}`)
    const [pid] = workers.pids()
    let [first, second, open, mostAtFirst] = [memoryOf(pid).now, 0, 0, 0]
    let isKnown = false
    const step = Effect.gen(function* () {
      const state = yield* look(db, shop)
      const { now } = memoryOf(pid)
      if (receivers.seen(kind).requests < requests / 2) first = Math.max(first, now)
      else second = Math.max(second, now)
      open = Math.max(open, receivers.seen(kind).open)
      if (!isKnown && state.unknown === 0) {
        isKnown = true
        mostAtFirst = receivers.seen(kind).most
        receivers.forgetMost()
      }
      yield* Effect.sleep("200 millis")
      return state
    })
    const work = Effect.gen(function* () {
      yield* Effect.forEach(Array.from({ length: Math.ceil(requests / shop.apps.length) }), (_, n) =>
        write(base, shop.token, `${kind}-${n}`)
      )
      yield* Effect.repeat(step, { until: ({ made, untried }) => untried === 0 && made >= requests })
      yield* pause(db, shop)
      const began = performance.now()
      yield* Effect.repeat(step, { until: () => receivers.seen(kind).open === 0 })
      return { ...(yield* look(db, shop)), freeing: performance.now() - began }
    })
    const began = performance.now()
    const progress = () => `${kind}: ${receivers.seen(kind).requests}/${requests} requests, ${open} at once at most`
    const { freeing, longest, made } = yield* withProgress(progress, work)
    invariants.atLeast("requests over", made, requests)
    invariants.atMost("the longest took", longest, SLOT, " ms")
    invariants.atMost("all slots were free after", freeing, SLOT, " ms")
    invariants.atMost("at once at one app before it was known to fail", mostAtFirst, LIMIT)
    invariants.atMost("at once at one app then", receivers.seen(kind).most, FAILING_LIMIT)
    invariants.atMost("memory of the worker grew by", second - first, GROWTH, " MiB")
    invariants.fact("memory of the worker", `${Math.round(second)} MiB`)
    invariants.none("redirects followed", receivers.seen("elsewhere").requests)
    invariants.none("workers that ended by themselves", workers.ownEnds())
    invariants.fact("at once in all", String(open))
    if (kind === "flood") invariants.fact("sent", `${Math.round(receivers.flooded() / 2 ** 30)} GiB`)
    invariants.fact("in all", `${Math.round((performance.now() - began) / 1000)} s`)
    return invariants.all
  })

/** Each kind of bad receiver in turn, at one worker. */
export const receivers = (server: string, { apps, requests, slots }: Sizes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const receivers = yield* badReceivers()
      const kindAt = (n: number) => BAD[Math.floor(n / apps)] ?? "well"
      const { shops, ...scene } = yield* makeScene(server, BAD.length, apps, (n) => receivers.urlOf(kindAt(n)))
      const workers = yield* startWorkers(scene.url, 1, slots)
      const done = yield* Effect.forEach(shops, (shop, n) =>
        ordeal({ ...scene, receivers, workers }, kindAt(n * apps), shop, requests)
      )
      return done.flat()
    })
  )
