import { Context, type Effect, Schema } from "effect"
import { Timestamp } from "../catalog/Fields.ts"
import type { JsonText } from "../Document.ts"
import type { StoreId } from "../Store.ts"
import type { Installation, InstallationId, InstallationNotFound } from "./Installations.ts"

/** Requests of an installation that are kept: the last ones. */
export const MAX_REQUESTS = 50

/** Seconds after which those of a process are written down. Of a process that dies they are lost. */
export const GATHER_SECONDS = 10

/** A request of an installation, as the access log tells of it. */
export const RecentRequest = Schema.Struct({
  at: Timestamp.annotate({ description: "When it was answered" }),
  method: Schema.String,
  route: Schema.String.annotate({ description: "The pattern that its path met, as in /products/:id" }),
  status: Schema.Union([Schema.Int, Schema.Literal("aborted")]).annotate({
    description: "Of the answer; aborted where the app was gone before it was written"
  }),
  milliseconds: Schema.Number,
  requestId: Schema.String.annotate({ description: "What the answer carried as X-Request-Id" })
})
export type RecentRequest = typeof RecentRequest.Type

/** What the apps on a store ask for, for its members to look at: a glance, and no account of it. */
export class Requests extends Context.Service<
  Requests,
  {
    /** Notes a request that was admitted, once it is answered. It is kept in memory, and written down with others. */
    readonly note: (installation: Pick<Installation, "id" | "storeId">, request: RecentRequest) => void
    /** The last requests, the newest first: all of this process, and of the others what they have written down. */
    readonly recent: (store: StoreId, installation: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
  }
>()("domain/Requests") {}
