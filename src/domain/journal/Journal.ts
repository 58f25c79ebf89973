import { Context, type Effect } from "effect"

/** Minimum days for which an entry is kept. */
export const ENTRY_DAYS = 400

/** History of changes: author, time and surface. `Writes` and `Idempotency` add the changes of each write. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Empties the partitions whose entries have all expired and returns their number. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/journal/Journal") {}
