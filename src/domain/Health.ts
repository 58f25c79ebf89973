import { Context, type Effect } from "effect"

/** Readiness of the service. */
export class Health extends Context.Service<
  Health,
  {
    /** True if the database responds, accepts writes and has the newest schema. Never fails; problems are logged. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("domain/Health") {}
