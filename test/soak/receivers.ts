import { Effect, Schema } from "effect"
import type pg from "pg"
import { badReceivers, type BadReceivers, type Kind } from "../support/webhooks/BadReceivers.ts"
import { memoryOf } from "../support/process/Memory.ts"
import type { Sizes } from "./options.ts"
import { startWorkers, type Workers } from "./processes.ts"
import { makeInvariants, withProgress } from "./report.ts"
import { makeFixture, type SeededStore, createProduct } from "./fixture.ts"

const BAD = ["fail", "reset", "redirect", "hang", "drip", "flood"] as const satisfies ReadonlyArray<Kind>

/** Maximum milliseconds of a slot: the timeout of a request, plus a margin for a busy machine. */
const SLOT = 12_000

/** Maximum concurrent requests to one app: at first, and once it is failing. */
const LIMIT = 32
const FAILING_LIMIT = 2

/** Maximum growth of memory in MiB from the first half of the requests to the second, for buffers of sockets. */
const GROWTH = 64

const State = Schema.Struct({ attempts: Schema.Int, longest: Schema.Int, untried: Schema.Int, unknown: Schema.Int })
const stateOf = Schema.decodeUnknownPromise(Schema.Tuple([State]))

/** Reads finished attempts, the longest one, deliveries without attempts, and endpoints not yet failing. */
const readState = (db: pg.Client, { apps, storeId }: SeededStore) =>
  Effect.promise(async () => {
    const { rows } = await db.query<Record<string, unknown>>(
      `select
         (select count(*)::int from delivery_attempts where store_id = $1) as attempts,
         (select coalesce(max(duration_ms), 0)::int from delivery_attempts where store_id = $1) as longest,
         (select count(*)::int from deliveries where store_id = $1 and attempts = 0) as untried,
         (select count(*)::int from endpoints where app_id = any($2) and failing_since is null) as unknown`,
      [storeId, apps]
    )
    const [state] = await stateOf(rows)
    return state
  })

const pause = (db: pg.Client, { apps }: SeededStore) =>
  Effect.promise(() =>
    db.query("update webhooks set paused_at = now(), pause_reason = 'operator' where app_id = any($1)", [apps])
  )

interface ReceiverTest {
  readonly db: pg.Client
  readonly base: string
  readonly receivers: BadReceivers
  readonly workers: Workers
}

/** Sends `requests` to receivers of one kind and waits until the last slot is free. */
const measureReceiver = (test: ReceiverTest, kind: Kind, shop: SeededStore, requests: number) =>
  Effect.gen(function* () {
    const { base, db, receivers, workers } = test
    const invariants = makeInvariants(`receivers that ${kind}`)
    const [pid] = workers.pids()
    let [first, second, open, mostAtFirst] = [memoryOf(pid).now, 0, 0, 0]
    let isKnown = false
    const step = Effect.gen(function* () {
      const state = yield* readState(db, shop)
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
        createProduct(base, shop.token, `${kind}-${n}`)
      )
      yield* Effect.repeat(step, { until: ({ attempts, untried }) => untried === 0 && attempts >= requests })
      yield* pause(db, shop)
      const began = performance.now()
      yield* Effect.repeat(step, { until: () => receivers.seen(kind).open === 0 })
      return { ...(yield* readState(db, shop)), freeing: performance.now() - began }
    })
    const began = performance.now()
    const progress = () => `${kind}: ${receivers.seen(kind).requests}/${requests} requests, ${open} at once at most`
    const { freeing, longest, attempts } = yield* withProgress(progress, work)
    invariants.atLeast("finished requests", attempts, requests)
    invariants.atMost("duration of the longest", longest, SLOT, " ms")
    invariants.atMost("time until all slots were free", freeing, SLOT, " ms")
    invariants.atMost("concurrent at one app before it was failing", mostAtFirst, LIMIT)
    invariants.atMost("concurrent at one failing app", receivers.seen(kind).most, FAILING_LIMIT)
    invariants.atMost("growth of the worker's memory", second - first, GROWTH, " MiB")
    invariants.fact("memory of the worker", `${Math.round(second)} MiB`)
    invariants.none("redirects followed", receivers.seen("elsewhere").requests)
    invariants.none("unexpected exits of workers", workers.unexpectedExits())
    invariants.fact("concurrent in total", String(open))
    if (kind === "flood") invariants.fact("sent", `${Math.round(receivers.flooded() / 2 ** 30)} GiB`)
    invariants.fact("duration", `${Math.round((performance.now() - began) / 1000)} s`)
    return invariants.all
  })

/** Delivers to each kind of bad receiver in turn, by one worker. */
export const badEndpoints = (server: string, { apps, requests, slots }: Sizes) =>
  Effect.scoped(
    Effect.gen(function* () {
      const receivers = yield* badReceivers()
      const kindAt = (n: number) => BAD[Math.floor(n / apps)] ?? "well"
      const { shops, ...fixture } = yield* makeFixture(server, BAD.length, apps, (n) => receivers.urlOf(kindAt(n)))
      const workers = yield* startWorkers(fixture.url, 1, slots)
      const done = yield* Effect.forEach(shops, (shop, n) =>
        measureReceiver({ ...fixture, receivers, workers }, kindAt(n * apps), shop, requests)
      )
      return done.flat()
    })
  )
