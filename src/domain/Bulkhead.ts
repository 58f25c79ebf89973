import { Context, type Effect, Schema } from "effect"
import type { StoreId } from "./Store.ts"

/** Maximum number of waiting requests of one store in a process, in addition to the running ones. */
export const MAX_WAITING = 128

/** The queue of the store is full in this process. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", {}) {
  override get message() {
    return `More than ${MAX_WAITING} requests of this store are waiting; repeat the request in a few seconds, with the same Idempotency-Key`
  }
}

/** Cost class of an operation. `heavy` operations apply rules to all products of a store and can take seconds. */
export type Weight = "usual" | "heavy"

/** Annotation of an endpoint or procedure: cost class of its work. */
export const WorkWeight = Context.Reference<Weight>("domain/WorkWeight", {
  defaultValue: (): Weight => "usual"
})

/**
 * Limits how many operations of one store run at the same time in a process (the bulkhead pattern), so that one store
 * cannot take all database connections. Further requests of the store wait in a queue of their own.
 */
export class Bulkhead extends Context.Service<
  Bulkhead,
  {
    /**
     * Runs the operation when the store has a free slot. Requests start in order of arrival, and heavy operations leave
     * one slot free for others. Interruption removes a waiting request from the queue. Fails immediately with
     * `StoreBusy` when {@link MAX_WAITING} requests are waiting.
     */
    readonly withPermit: <A, E, R>(
      store: StoreId,
      weight: Weight,
      operation: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StoreBusy, R>
  }
>()("domain/Bulkhead") {}
