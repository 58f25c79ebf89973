import { Context, type Effect } from "effect"

/** Whether the service can do its work now. */
export class Health extends Context.Service<
  Health,
  {
    /** True when the database answers, takes writes and holds the newest schema. Never fails: what is wrong goes to the log. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("domain/Health") {}
