import { Context, Effect, Layer, Metric, Option, Queue, Random, Schedule } from "effect"
import type { AppId } from "../../domain/access/Ids.ts"
import { CurrentCell } from "../../domain/cells/Cells.ts"
import { nextAttempt, retryAfterSeconds } from "../../domain/webhooks/Retry.ts"
import {
  deliveryAttempts,
  deliveryDuration,
  deliveryLatency,
  failingEndpoints,
  makeSeries,
  outboxAge,
  outboxDepth
} from "../../domain/Metrics.ts"
import { FAILING_HOURS } from "../../domain/webhooks/Webhook.ts"
import { DELIVERIES } from "./Outbox.ts"
import { parseTraceParent } from "../../domain/Traces.ts"
import { makeOutageRetry, PAUSE } from "../OutageRetry.ts"
import { Notifications } from "../sql/Postgres.ts"
import type { ClaimedDelivery } from "./Claims.ts"
import { DeliveryQueue, type DeliveryResult, type EndpointTransition, isSuccess } from "./DeliveryQueue.ts"
import { makeDeliverySlots, type NextClaim } from "./DeliverySlots.ts"
import { type Attempt, notSent, Outgoing } from "./Outgoing.ts"
import { sealing } from "./SecretKeys.ts"
import { signedRequest, WRONG_SECRET_KEY } from "./SignedRequest.ts"

/** Time between claims without a notification. */
const POLL = "250 millis"

/** Maximum milliseconds until the last requests have ended and are recorded when the worker stops. */
export const StopTimeout = Context.Reference("layers/webhooks/StopTimeout", { defaultValue: () => 15_000 })

/** Maximum number of results that one statement records, and the time between two such statements. */
const BATCH = 500
const RECORD_INTERVAL = "50 millis"

/** Time between claims that are not urgent: after notifications, which each write may send, and after a few free slots. */
const CLAIM_INTERVAL = "20 millis"

/** Time between two measurements of the outbox. */
const DEPTH_INTERVAL = "15 seconds"

/**
 * True if more deliveries may be due that slots are free for: the claim did not examine all endpoints, or one got all of
 * its share, and its share was below its limit.
 */
const isMoreDue = (claimed: ReadonlyArray<ClaimedDelivery>, busy: ReadonlyMap<AppId, number>) => {
  const counts = new Map<AppId, number>()
  for (const { appId } of claimed) counts.set(appId, (counts.get(appId) ?? 0) + 1)
  return claimed.some(
    ({ appId, isMore, limit, share }) => isMore || ((counts.get(appId) ?? 0) >= share && (busy.get(appId) ?? 0) < limit)
  )
}

const resultOf = (
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

const PAUSE_REASONS = {
  operator: "an operator paused it",
  gone: "it responded with 410",
  failing: `it failed for ${FAILING_HOURS} hours`
}

/** Leaves out the path, which may contain a secret. */
const originOf = (url: string) => new URL(url).origin

/** Logs that an endpoint started to fail, recovered, or was paused. */
const logTransition = ({ appId, failing, pauseReason, url }: EndpointTransition) =>
  pauseReason === null
    ? Effect.logInfo(`Webhook of app ${appId}: ${originOf(url)} ${failing ? "fails" : "recovered"}`)
    : Effect.logWarning(`Webhook of app ${appId}: ${originOf(url)} is paused: ${PAUSE_REASONS[pauseReason]}`)

/**
 * Delivers due events with up to `size` concurrent requests until the scope ends, and then lets running requests finish.
 * If the worker is killed, its leases expire and other workers send its deliveries.
 */
const makeWorker = Effect.fn("makeWorker")(function* (size: number) {
  const { listen } = yield* Notifications
  const queue = yield* DeliveryQueue
  const { post } = yield* Outgoing
  const slots = makeDeliverySlots(size)
  const stopTimeout = yield* StopTimeout
  const dueNow = yield* Queue.sliding<void>(1)
  const claimNow = () => void Queue.offerUnsafe(dueNow, undefined)
  const dueSoon = yield* Queue.sliding<void>(1)
  const schedule = (next: NextClaim) => {
    if (next === "now") claimNow()
    if (next === "soon") Queue.offerUnsafe(dueSoon, undefined)
  }
  const results = yield* Queue.unbounded<DeliveryResult>()
  const retryOutages = makeOutageRetry("Deliveries")
  const { open } = yield* sealing
  const logWrongKey = yield* Effect.cached(Effect.logError(`Webhooks are not sent. ${WRONG_SECRET_KEY}`))

  const send = (claimed: ClaimedDelivery) =>
    Option.match(signedRequest(open, claimed, claimed), {
      onNone: () => Effect.as(logWrongKey, notSent(WRONG_SECRET_KEY)),
      onSome: post
    })

  const context = yield* Effect.context<never>()
  const cell = { cell: yield* CurrentCell }
  const [countAttempt, recordDuration] = [makeSeries(deliveryAttempts), makeSeries(deliveryDuration)]

  const observe = ({ attempt, claimed, outcome }: DeliveryResult) => {
    countAttempt(context, 1, { outcome })
    if (attempt === null) return
    const seconds = attempt.durationMillis / 1000
    recordDuration(context, seconds, { outcome })
    if (outcome === "delivered") deliveryLatency.updateUnsafe(claimed.now - claimed.createdAt + seconds, context)
  }

  /** A defect counts as a failed attempt, so that the worker does not lose the slot. */
  const attempt = (claimed: ClaimedDelivery) =>
    Effect.catchDefect(
      Effect.suspend(() => send(claimed)),
      (defect) => Effect.as(Effect.logError("A webhook could not be sent", defect), notSent("The worker failed"))
    )

  /** Drops the payload, which may be large, before the result waits to be recorded. */
  const deliver = (delivery: ClaimedDelivery) => {
    const { payload: _, ...claimed } = delivery
    const request = claimed.isActive
      ? Effect.zipWith(attempt(delivery), Random.next, (response, chance) => resultOf(claimed, response, chance))
      : Effect.succeed<DeliveryResult>({ claimed, outcome: "canceled", delay: 0, attempt: null })
    const traced = Effect.withSpan(request, "webhook.deliver", {
      kind: "producer",
      parent: Option.getOrUndefined(Option.flatMap(Option.fromNullOr(claimed.traceParent), parseTraceParent)),
      attributes: { "messaging.message.id": claimed.eventId, "app.id": claimed.appId, attempt: claimed.attempt }
    })
    return Effect.flatMap(traced, (result) => {
      if (result.outcome === "delivered") schedule(slots.release(claimed))
      return Queue.offer(results, result)
    })
  }

  /**
   * Records the results that arrived since the last batch. A failed delivery keeps its slot until it is recorded: the
   * endpoint may have a lower limit from then on.
   */
  const recordBatch = Effect.gen(function* () {
    const batch = [...(yield* Queue.takeBetween(results, 1, BATCH))]
    const transitions = yield* retryOutages(Effect.withTracerEnabled(queue.recordResults(batch), false))
    for (const result of batch) observe(result)
    for (const { claimed, outcome } of batch) if (outcome !== "delivered") schedule(slots.release(claimed))
    schedule(slots.recorded(batch.length))
    yield* Effect.forEach(transitions, logTransition, { discard: true })
    yield* Effect.sleep(RECORD_INTERVAL)
  })

  /** Claims deliveries and starts to send them. Uninterruptible, so that each claimed delivery is sent. */
  const claimBatch = Effect.uninterruptible(
    Effect.gen(function* () {
      if (slots.free() <= 0) return false
      const claimed = yield* Effect.withTracerEnabled(queue.claim(slots.free(), slots.busy), false)
      for (const delivery of claimed) {
        slots.take(delivery)
        yield* Effect.forkDetach(deliver(delivery))
      }
      return isMoreDue(claimed, slots.busy)
    })
  )

  yield* Effect.forkScoped(Effect.forever(recordBatch))
  yield* retryOutages(Effect.withTracerEnabled(queue.measure, false)).pipe(
    Effect.flatMap(({ age, depth, failing }) =>
      Effect.all(
        [
          Metric.update(Metric.withAttributes(outboxDepth, cell), depth),
          Metric.update(Metric.withAttributes(outboxAge, cell), age),
          Metric.update(Metric.withAttributes(failingEndpoints, cell), failing)
        ],
        { discard: true }
      )
    ),
    Effect.repeat(Schedule.spaced(DEPTH_INTERVAL)),
    Effect.forkScoped
  )
  yield* Queue.take(dueSoon).pipe(
    Effect.andThen(Effect.sync(claimNow)),
    Effect.andThen(Effect.sleep(CLAIM_INTERVAL)),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(slots.isEmpty).pipe(
      Effect.repeat({ until: (isEmpty) => isEmpty, schedule: Schedule.spaced("10 millis") }),
      // Finalizers are uninterruptible, which would disable the timeout.
      Effect.interruptible,
      Effect.timeoutOption(stopTimeout)
    )
  )
  yield* Effect.sandbox(listen(DELIVERIES, () => schedule("soon"))).pipe(
    Effect.retry(Schedule.spaced(PAUSE)),
    Effect.forkScoped
  )
  // Forked last and therefore interrupted first: a worker that stops claims nothing more.
  yield* retryOutages(claimBatch).pipe(
    Effect.repeat({ while: (isMore) => isMore }),
    Effect.andThen(Effect.timeoutOption(Queue.take(dueNow), POLL)),
    Effect.forever,
    Effect.forkScoped
  )
})

/** Delivers webhooks, unless `size` is 0. */
export const webhookWorker = (size: number) =>
  Layer.effectDiscard(size === 0 ? Effect.void : makeWorker(size)).pipe(
    Layer.provide(Layer.mergeAll(DeliveryQueue.layer, Outgoing.layer))
  )
