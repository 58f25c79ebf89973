import { Context, type Effect } from "effect"

/** Days that an entry is kept, at least. */
export const ENTRY_DAYS = 400

/** Who changed what, when, and through which surface. `Writes` and `Idempotency` add to it, each write its own changes. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Empties the parts whose entries have all ended. Answers how many went. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/journal/Journal") {}
