import { Effect, Layer, Metric, Option, Queue, Random, Schedule } from "effect"
import type { AppId } from "../../domain/access/Apps.ts"
import { nextAttempt, retryAfterSeconds } from "../../domain/webhooks/Retry.ts"
import { FAILING_HOURS } from "../../domain/webhooks/Webhook.ts"
import { Database, Notifications } from "../sql/Postgres.ts"
import { DELIVERIES } from "../Events.ts"
import { allowedHosts } from "./AllowedHosts.ts"
import type { Attempt } from "./Outgoing.ts"
import { makeOutgoing, notSent } from "./Outgoing.ts"
import { makeOutageRetry, PAUSE } from "../Patience.ts"
import {
  type ClaimedDelivery,
  isSuccess,
  makeDeliveryQueue,
  type DeliveryResult,
  type EndpointTransition
} from "./DeliveryQueue.ts"
import { makeDeliverySlots, type NextClaim } from "./DeliverySlots.ts"
import { sealing } from "./SecretKeys.ts"
import { signedRequest, WRONG_SECRET_KEY } from "./SignedRequest.ts"

/** How often the queue is looked at when nobody says that there is something in it. */
const POLL = "250 millis"

/** How long the last requests may take to end, and to be written down, when the worker stops. */
const STOP_PATIENCE = "15 seconds"

/** Results that one statement writes down at most, and the time between two such statements in which they gather. */
const BATCH = 500
const GATHER = "50 millis"

/** Between claims for what is not urgent: notices, of which each write may bring one, and a little room again. */
const INTERVAL = "20 millis"

const attempts = Metric.counter("webhook.delivery.attempts", { description: "Attempts of deliveries by outcome" })

const depth = Metric.gauge("webhook.outbox.depth", { description: "Deliveries that are due or wait for a retry" })

/** The time between two measurements of the depth of the outbox. */
const MEASURING = "15 seconds"

/** Whether a claim left something behind that there is room for: an endpoint got all of a share that was not its limit. */
const leftSome = (claimed: ReadonlyArray<ClaimedDelivery>, busy: ReadonlyMap<AppId, number>) => {
  const got = new Map<AppId, number>()
  for (const { appId } of claimed) got.set(appId, (got.get(appId) ?? 0) + 1)
  return claimed.some(({ appId, limit, share }) => (got.get(appId) ?? 0) >= share && (busy.get(appId) ?? 0) < limit)
}

/** What becomes of a delivery after a request. */
const outcomeOf = (
  claimed: DeliveryResult["claimed"],
  { headers, ...attempt }: Attempt,
  chance: number
): DeliveryResult => {
  if (isSuccess(attempt)) return { claimed, attempt, outcome: "delivered", delay: 0 }
  const wait = retryAfterSeconds(headers["retry-after"] ?? null, claimed.now)
  return Option.match(nextAttempt(claimed.failures + 1, chance, wait), {
    onNone: () => ({ claimed, attempt, outcome: "dead", delay: 0 }),
    onSome: (delay) => ({ claimed, attempt, outcome: "retry", delay })
  })
}

const WHY = { operator: "as it was told", gone: "it answered 410", failing: `it failed for ${FAILING_HOURS} hours` }

/** What a receiver puts behind its host may be a secret. */
const originOf = (url: string) => new URL(url).origin

/** What an operator wants to read of an endpoint: when it begins to fail, when it is well again, when it is paused. */
const logTurn = ({ appId, failing, pauseReason, url }: EndpointTransition) =>
  pauseReason === null
    ? Effect.logInfo(`Webhook of app ${appId}: ${originOf(url)} ${failing ? "fails" : "answers again"}`)
    : Effect.logWarning(`Webhook of app ${appId}: ${originOf(url)} is paused: ${WHY[pauseReason]}`)

/**
 * Delivers what is due, `size` requests at once, until the scope ends; then what is under way may end first. A claim
 * lasts as long as its lease, so a worker that is killed holds up what it had for a lease, and loses none of it.
 */
export const makeWorker = Effect.fn("makeWorker")(function* (size: number) {
  const { hear } = yield* Notifications
  const queue = makeDeliveryQueue(yield* Database)
  const { post } = yield* makeOutgoing({ allowed: yield* allowedHosts })
  const room = makeDeliverySlots(size)
  const due = yield* Queue.sliding<void>(1)
  const wake = () => void Queue.offerUnsafe(due, undefined)
  const soonDue = yield* Queue.sliding<void>(1)
  const look = (when: NextClaim) => {
    if (when === "now") wake()
    if (when === "soon") Queue.offerUnsafe(soonDue, undefined)
  }
  const results = yield* Queue.unbounded<DeliveryResult>()
  const untilItWorks = makeOutageRetry("Deliveries")
  const { open } = yield* sealing
  const sayOnce = yield* Effect.cached(Effect.logError(`Webhooks are not sent. ${WRONG_SECRET_KEY}`))

  const request = (claimed: ClaimedDelivery) =>
    Option.match(signedRequest(open, claimed, claimed), {
      onNone: () => Effect.as(sayOnce, notSent(WRONG_SECRET_KEY)),
      onSome: post
    })

  /** What nobody foresaw costs this delivery an attempt, and not the worker a slot for good. */
  const attempt = (claimed: ClaimedDelivery) =>
    Effect.catchDefect(
      Effect.suspend(() => request(claimed)),
      (defect) => Effect.as(Effect.logError("A webhook could not be sent", defect), notSent("The worker failed"))
    )

  /** The payload, which may be long, is not kept until the result is written down. */
  const deliver = (one: ClaimedDelivery) => {
    const { payload: _, ...claimed } = one
    const result = claimed.isActive
      ? Effect.zipWith(attempt(one), Random.next, (attempted, chance) => outcomeOf(claimed, attempted, chance))
      : Effect.succeed<DeliveryResult>({ claimed, outcome: "canceled", delay: 0, attempt: null })
    return Effect.flatMap(result, (settled) => {
      if (settled.outcome === "delivered") look(room.ended(claimed))
      return Queue.offer(results, settled)
    })
  }

  /**
   * Results that come while a statement is under way, and a little longer, share the next one. An endpoint that failed
   * gets nothing more before that is written down, since then it may have less at once.
   */
  const writeDown = Effect.gen(function* () {
    const batch = [...(yield* Queue.takeBetween(results, 1, BATCH))]
    const turned = yield* untilItWorks(queue.settle(batch))
    for (const { outcome } of batch) yield* Metric.update(Metric.withAttributes(attempts, { outcome }), 1)
    for (const { claimed, outcome } of batch) if (outcome !== "delivered") look(room.ended(claimed))
    look(room.writtenDown(batch.length))
    yield* Effect.forEach(turned, logTurn, { discard: true })
    yield* Effect.sleep(GATHER)
  })

  /** Claimed and begun are one: what is claimed is always on its way. */
  const round = Effect.uninterruptible(
    Effect.gen(function* () {
      if (room.free() <= 0) return false
      const claimed = yield* queue.claim(room.free(), room.busy)
      for (const one of claimed) {
        room.take(one)
        yield* Effect.forkDetach(deliver(one))
      }
      return leftSome(claimed, room.busy)
    })
  )

  yield* Effect.forkScoped(Effect.forever(writeDown))
  yield* untilItWorks(queue.depth).pipe(
    Effect.flatMap(({ depth: measured }) => Metric.update(depth, measured)),
    Effect.repeat(Schedule.spaced(MEASURING)),
    Effect.forkScoped
  )
  yield* Queue.take(soonDue).pipe(
    Effect.andThen(Effect.sync(wake)),
    Effect.andThen(Effect.sleep(INTERVAL)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(room.isEmpty).pipe(
      Effect.repeat({ until: (isEmpty) => isEmpty, schedule: Schedule.spaced("10 millis") }),
      // A finalizer is not interrupted by itself, not even by its own time limit.
      Effect.interruptible,
      Effect.timeoutOption(STOP_PATIENCE)
    )
  )
  yield* Effect.sandbox(hear(DELIVERIES, () => look("soon"))).pipe(
    Effect.retry(Schedule.spaced(PAUSE)),
    Effect.forkScoped
  )
  // The last that begins is the first that stops: a worker that no longer listens takes nothing more.
  yield* untilItWorks(round).pipe(
    Effect.repeat({ while: (isMore) => isMore }),
    Effect.andThen(Effect.timeoutOption(Queue.take(due), POLL)),
    Effect.forever,
    Effect.forkScoped
  )
})

/** Delivers for as long as the server runs, unless `size` is 0. */
export const webhookWorker = (size: number) => Layer.effectDiscard(size === 0 ? Effect.void : makeWorker(size))
