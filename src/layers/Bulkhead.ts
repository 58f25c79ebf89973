import { Effect, Layer, Semaphore } from "effect"
import { Bulkhead, MAX_WAITING, StoreBusy, type Weight } from "../domain/Bulkhead.ts"
import type { StoreId } from "../domain/Store.ts"
import { ConnectionPool } from "./sql/Postgres.ts"

/** Share of the connections that the operations of one store may use at once. */
const SHARE = 0.3

interface StorePermits {
  readonly all: Semaphore.Semaphore
  readonly heavy: Semaphore.Semaphore
  /** Operations that run or wait. */
  operations: number
}

/** Semaphores of the stores that have operations now. Heavy operations leave one permit to the others. */
export const BulkheadLive = Layer.effect(
  Bulkhead,
  Effect.map(ConnectionPool, ({ maxConnections }) => {
    const permits = Math.max(Math.min(2, maxConnections), Math.floor(maxConnections * SHARE))
    const heavyPermits = Math.max(1, permits - 1)
    const stores = new Map<StoreId, StorePermits>()

    const makePermits = (): StorePermits => ({
      all: Semaphore.makeUnsafe(permits),
      heavy: Semaphore.makeUnsafe(heavyPermits),
      operations: 0
    })

    return Bulkhead.of({
      withPermit: <A, E, R>(storeId: StoreId, weight: Weight, operation: Effect.Effect<A, E, R>) =>
        Effect.suspend((): Effect.Effect<A, E | StoreBusy, R> => {
          const store = stores.get(storeId) ?? makePermits()
          if (store.operations === permits + MAX_WAITING) return new StoreBusy()
          stores.set(storeId, store)
          store.operations++
          // Operations that waited for one permit each, or that are heavy, run in separate turns of the event loop.
          const isYielding = weight === "heavy" || store.operations > permits
          const permitted = store.all.withPermit(isYielding ? Effect.andThen(Effect.yieldNow, operation) : operation)
          return Effect.ensuring(
            weight === "heavy" ? store.heavy.withPermit(permitted) : permitted,
            Effect.sync(() => {
              store.operations--
              if (store.operations === 0) stores.delete(storeId)
            })
          )
        })
    })
  })
)
