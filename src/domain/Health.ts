import { Context, type Effect } from "effect"

/** Readiness of a database, or of a process: the listeners have that of the process. */
export class Health extends Context.Service<
  Health,
  {
    /**
     * True if the database responds, accepts writes and has the newest schema, or is only slow. A process needs one such
     * database. Never fails; problems are logged.
     */
    readonly isReady: Effect.Effect<boolean>
  }
>()("domain/Health") {}
