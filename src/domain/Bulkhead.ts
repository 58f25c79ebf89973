import { Context, type Effect, Schema } from "effect"
import { PAGE_BYTES } from "./Page.ts"
import type { StoreId } from "./Store.ts"

/** The queue of the store is full in this process. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", {}) {
  override get message() {
    return "Too many requests of this store are waiting; repeat the request in a few seconds, with the same Idempotency-Key"
  }
}

/** Cost class of an operation. `heavy` operations apply rules to all products of a store and can take seconds. */
export type Weight = "usual" | "heavy"

/** Annotation of an endpoint or procedure: cost class of its work. */
export const WorkWeight = Context.Reference<Weight>("domain/WorkWeight", {
  defaultValue: (): Weight => "usual"
})

/** Annotation of an endpoint: its handler takes the permits, so that it holds none while it waits. */
export const TakesPermits = Context.Reference("domain/TakesPermits", { defaultValue: () => false })

/** Size in bytes of a body or result that counts as large: its work takes about as long as that of three usual ones. */
export const LARGE_BYTES = PAGE_BYTES / 2

/** An operation of a store. */
export interface Operation {
  readonly storeId: StoreId
  /** Name of the endpoint or procedure. The sizes of its results are remembered for the store. */
  readonly name: string
  readonly weight: Weight
  /** Size of the request body in bytes. */
  readonly bytes: number
}

/**
 * Limits how many operations of one store run at the same time in a process (the bulkhead pattern), so that one store
 * cannot take all database connections. Further requests of the store wait in a queue of their own.
 */
export class Bulkhead extends Context.Service<
  Bulkhead,
  {
    /**
     * Runs an operation when the store has a free slot. Operations start in order of arrival, and heavy ones leave one
     * slot free for others. One operation with a body or an expected result of {@link LARGE_BYTES} runs at a time.
     * Interruption removes a waiting operation from the queue. Fails immediately with `StoreBusy` when
     * the queue of the store is full.
     */
    readonly withPermit: <A, E, R>(
      operation: Operation,
      work: Effect.Effect<A, E, R>,
      bytesOf: (result: A) => number
    ) => Effect.Effect<A, E | StoreBusy, R>
  }
>()("domain/Bulkhead") {}
