import { Effect, Layer } from "effect"
import { Bulkhead, MAX_WAITING, StoreBusy, type Weight } from "../domain/Bulkhead.ts"
import type { StoreId } from "../domain/Store.ts"
import { ConnectionPool } from "./sql/Postgres.ts"

/*
 * A bulkhead of counters. With one semaphore for all operations and one for heavy ones, a heavy operation waits in two
 * queues: operations that arrived later overtake it, and reads of a collection fail while a client changes its rules
 * (`Races.test.ts`). The library has no semaphore with two limits and one queue.
 */

/** Share of the connections that the operations of one store may use at once. */
const SHARE = 0.3

interface Ticket {
  readonly weight: Weight
  isRunning: boolean
  /** Starts the operation when it gets a permit. */
  start: () => void
}

/** Operations of a store, in order of arrival. */
interface StoreQueue {
  running: number
  /** Number of heavy operations among the running ones. */
  heavy: number
  readonly waiting: Array<Ticket>
}

export const BulkheadLive = Layer.effect(
  Bulkhead,
  Effect.map(ConnectionPool, ({ maxConnections }) => {
    const permits = Math.max(Math.min(2, maxConnections), Math.floor(maxConnections * SHARE))
    const heavyPermits = Math.max(1, permits - 1)
    const queues = new Map<StoreId, StoreQueue>()

    const canRun = ({ heavy, running }: StoreQueue, { weight }: Ticket) =>
      running < permits && (weight === "usual" || heavy < heavyPermits)

    const run = (queue: StoreQueue, ticket: Ticket) => {
      ticket.isRunning = true
      queue.running++
      if (ticket.weight === "heavy") queue.heavy++
    }

    const removeWaiting = ({ waiting }: StoreQueue, ticket: Ticket) => waiting.splice(waiting.indexOf(ticket), 1)

    /** Passes the permit to the first operation that can run, or removes a waiting operation. */
    const release = (storeId: StoreId, queue: StoreQueue, ticket: Ticket) => {
      if (ticket.isRunning) {
        queue.running--
        if (ticket.weight === "heavy") queue.heavy--
      } else removeWaiting(queue, ticket)
      const next = queue.waiting.find((waiting) => canRun(queue, waiting))
      if (next !== undefined) {
        removeWaiting(queue, next)
        run(queue, next)
        next.start()
      }
      if (queue.running === 0) queues.delete(storeId)
    }

    return Bulkhead.of({
      withPermit: <A, E, R>(storeId: StoreId, weight: Weight, operation: Effect.Effect<A, E, R>) =>
        Effect.uninterruptibleMask((restore): Effect.Effect<A, E | StoreBusy, R> => {
          const queue = queues.get(storeId) ?? { running: 0, heavy: 0, waiting: [] }
          if (queue.running + queue.waiting.length === permits + MAX_WAITING) return new StoreBusy()
          queues.set(storeId, queue)
          const ticket: Ticket = { weight, isRunning: false, start: () => {} }
          if (canRun(queue, ticket)) run(queue, ticket)
          else queue.waiting.push(ticket)
          const permit = Effect.callback<void>((resume) => {
            ticket.start = () => resume(Effect.void)
            if (ticket.isRunning) ticket.start()
          })
          // Operations that waited, or that are heavy, run in separate turns of the event loop.
          const yielding = Effect.andThen(Effect.yieldNow, operation)
          const immediate = weight === "heavy" ? yielding : operation
          return Effect.ensuring(
            restore(ticket.isRunning ? immediate : Effect.andThen(permit, yielding)),
            Effect.sync(() => release(storeId, queue, ticket))
          )
        })
    })
  })
)
