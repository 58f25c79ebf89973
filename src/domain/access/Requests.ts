import { Context, type Effect, Schema } from "effect"
import { Timestamp } from "../catalog/Fields.ts"
import type { JsonText } from "../json/Document.ts"
import type { StoreId } from "../Store.ts"
import type { InstallationId } from "./Ids.ts"
import type { Installation, InstallationNotFound } from "./Installations.ts"

/** Number of recent requests kept for each installation. */
export const MAX_REQUESTS = 50

/**
 * Seconds between writes of the collected requests to the database. A process that dies loses the requests of this
 * interval.
 */
export const GATHER_SECONDS = 10

/** Request of an installation, as in the access log. */
export const RecentRequest = Schema.Struct({
  at: Timestamp.annotate({ description: "Time of the response" }),
  method: Schema.String,
  route: Schema.String.annotate({ description: "Route pattern, such as /products/:id" }),
  status: Schema.Union([Schema.Int, Schema.Literal("aborted")]).annotate({
    description: "Status of the response; `aborted` if the app disconnected before the response"
  }),
  milliseconds: Schema.Number,
  requestId: Schema.String.annotate({ description: "X-Request-Id of the response" })
})
export type RecentRequest = typeof RecentRequest.Type

/** Recent requests of the apps on a store, shown to its members. The list may be incomplete. */
export class Requests extends Context.Service<
  Requests,
  {
    /** Records an admitted request after its response. Requests are collected in memory and written in batches. */
    readonly note: (installation: Pick<Installation, "id" | "storeId">, request: RecentRequest) => void
    /** Lists recent requests, newest first: all of this process, and those that other processes have written. */
    readonly recent: (store: StoreId, installation: InstallationId) => Effect.Effect<JsonText, InstallationNotFound>
  }
>()("domain/Requests") {}
