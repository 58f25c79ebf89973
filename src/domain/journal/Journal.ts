import { Context, type Effect } from "effect"

/** History of changes: author, time and surface. `Writes` and `Idempotency` add the changes of each write. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Empties the partitions whose entries have all expired and returns their number. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/journal/Journal") {}
