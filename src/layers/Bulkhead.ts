import { Duration, Effect, Layer, Metric } from "effect"
import { Bulkhead, LARGE_BYTES, type Operation, StoreBusy } from "../domain/Bulkhead.ts"
import { bulkheadRefusals, bulkheadWait } from "../domain/Metrics.ts"
import { OperatorLimits } from "../domain/OperatorLimits.ts"
import type { StoreId } from "../domain/Store.ts"
import { ConnectionPool } from "./sql/Postgres.ts"

/*
 * A bulkhead of counters. With one semaphore for all operations and one for heavy ones, a heavy operation waits in two
 * queues: operations that arrived later overtake it, and reads of a collection fail while a client changes its rules
 * (`Races.test.ts`). The library has no semaphore with two limits and one queue.
 */

/** Number of large operations of a store that may run at once. */
const LARGE_PERMITS = 1

/** Number of smaller results in a row after which an operation is no longer expected to be large. */
const SMALL_RESULTS = 16

/** Maximum number of stores whose large operations are remembered. */
const MAX_REMEMBERED = 1_000

interface Ticket {
  readonly operation: Operation
  /** Set when the operation gets a permit. */
  permit: "usual" | "large" | undefined
  /** Starts the operation when it gets a permit. */
  start: () => void
}

/** Operations of a store, in order of arrival. */
interface StoreQueue {
  running: number
  /** Number of heavy operations among the running ones. */
  heavy: number
  /** Number of large operations among the running ones. */
  large: number
  readonly waiting: Array<Ticket>
}

/** Remembers which operations of a store have large results. The sizes of later results are estimated by it. */
const makeResultSizes = () => {
  /** By store and name, the number of smaller results until the operation is forgotten. */
  const large = new Map<StoreId, Map<string, number>>()
  return {
    isLarge: ({ bytes, name, storeId }: Operation) =>
      bytes >= LARGE_BYTES || (large.size > 0 && large.get(storeId)?.has(name) === true),

    record: ({ name, storeId }: Operation, bytes: number) => {
      const names = large.get(storeId)
      if (bytes >= LARGE_BYTES) {
        large.delete(storeId)
        large.set(storeId, (names ?? new Map<string, number>()).set(name, SMALL_RESULTS))
        const [oldest] = large.keys()
        if (large.size > MAX_REMEMBERED && oldest !== undefined) large.delete(oldest)
        return
      }
      const left = names?.get(name)
      if (names === undefined || left === undefined) return
      if (left > 1) names.set(name, left - 1)
      else names.delete(name)
      if (names.size === 0) large.delete(storeId)
    }
  }
}

export const BulkheadLive = Layer.effect(
  Bulkhead,
  Effect.gen(function* () {
    const { maxConnections } = yield* ConnectionPool
    const { storeConnectionPercent, storeQueue } = yield* OperatorLimits
    const share = Math.floor((maxConnections * storeConnectionPercent) / 100)
    const permits = Math.max(Math.min(2, maxConnections), share)
    const heavyPermits = Math.max(1, permits - 1)
    const queues = new Map<StoreId, StoreQueue>()
    const { isLarge, record } = makeResultSizes()

    const canRun = ({ heavy, large, running }: StoreQueue, { operation }: Ticket) =>
      running < permits &&
      (operation.weight === "usual" || heavy < heavyPermits) &&
      (large < LARGE_PERMITS || !isLarge(operation))

    const run = (queue: StoreQueue, ticket: Ticket) => {
      ticket.permit = isLarge(ticket.operation) ? "large" : "usual"
      queue.running++
      if (ticket.operation.weight === "heavy") queue.heavy++
      if (ticket.permit === "large") queue.large++
    }

    const removeWaiting = ({ waiting }: StoreQueue, ticket: Ticket) => waiting.splice(waiting.indexOf(ticket), 1)

    /** Passes the permit to the first operations that can run, or removes a waiting operation. */
    const release = (queue: StoreQueue, ticket: Ticket) => {
      if (ticket.permit === undefined) removeWaiting(queue, ticket)
      else {
        queue.running--
        if (ticket.operation.weight === "heavy") queue.heavy--
        if (ticket.permit === "large") queue.large--
      }
      const startFirst = (): void => {
        const next = queue.waiting.find((waiting) => canRun(queue, waiting))
        if (next === undefined) return
        removeWaiting(queue, next)
        run(queue, next)
        next.start()
        startFirst()
      }
      startFirst()
      if (queue.running === 0) queues.delete(ticket.operation.storeId)
    }

    return Bulkhead.of({
      withPermit: <A, E, R>(operation: Operation, work: Effect.Effect<A, E, R>, bytesOf: (result: A) => number) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<A, E | StoreBusy, R> => {
          const { storeId, weight } = operation
          const queue = queues.get(storeId) ?? { running: 0, heavy: 0, large: 0, waiting: [] }
          if (queue.running + queue.waiting.length === permits + storeQueue)
            return Effect.andThen(Metric.update(bulkheadRefusals, 1), new StoreBusy())
          queues.set(storeId, queue)
          const ticket: Ticket = { operation, permit: undefined, start: () => {} }
          if (canRun(queue, ticket)) run(queue, ticket)
          else queue.waiting.push(ticket)
          const permit = Effect.callback<void>((resume) => {
            ticket.start = () => resume(Effect.void)
            if (ticket.permit !== undefined) ticket.start()
          }).pipe(Effect.trackDuration(bulkheadWait, Duration.toSeconds))
          // Operations that waited, or that are heavy, run in separate turns of the event loop.
          const yielding = Effect.andThen(Effect.yieldNow, work)
          const immediate = weight === "heavy" ? yielding : work
          return Effect.onExit(
            restore(ticket.permit === undefined ? Effect.andThen(permit, yielding) : immediate),
            (exit) => {
              if (exit._tag === "Success") record(operation, bytesOf(exit.value))
              release(queue, ticket)
              return Effect.void
            }
          )
        })
    })
  })
)
