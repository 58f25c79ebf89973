import { Context, type Effect, Schema } from "effect"
import type { StoreId } from "./Store.ts"

/** Requests of one store that may wait for their turn in a process, beside those under way. */
export const MAX_WAITING = 128

/** More of a store's requests wait than a process keeps in line. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", {}) {
  override get message() {
    return `More than ${MAX_WAITING} requests of this store are waiting; repeat the request in a few seconds, with the same Idempotency-Key`
  }
}

/** What an operation may take: `heavy` is one that applies rules to all products of a store, which may be seconds. */
export type Weight = "usual" | "heavy"

/** What the work of an endpoint or procedure may take, where it is not the usual: an annotation of its definition. */
export const WorkWeight = Context.Reference<Weight>("domain/WorkWeight", {
  defaultValue: (): Weight => "usual"
})

/**
 * Keeps the load of one store its own (the bulkhead pattern): a store has a few operations under way in a process, never
 * all connections to the database, and its other requests wait in a line of their own.
 */
export class Bulkhead extends Context.Service<
  Bulkhead,
  {
    /**
     * Runs the operation when it is its turn among those of the store, first come, first served, but that heavy ones leave
     * one turn to the others. It leaves the line when it is interrupted. Fails at once with `StoreBusy` when the line is
     * full.
     */
    readonly inTurn: <A, E, R>(
      store: StoreId,
      weight: Weight,
      operation: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StoreBusy, R>
  }
>()("domain/Bulkhead") {}
