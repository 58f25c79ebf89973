import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { CallersOf, EVERYBODY } from "../Annotations.ts"
import { Identified } from "../Authentication.ts"
import { inStore } from "./CommonSchemas.ts"

/**
 * What is committed in a store, as it happens, in ascending order of id. It begins with `Following`, which tells from
 * where. An agent is told of what its scopes let it read.
 */
export const followChanges = Rpc.make("changes.follow", {
  payload: {
    ...inStore,
    after: optional(
      withDescription(
        EventId,
        "The id of the last change that was told, or `after` of `Following`: from now on if not said"
      )
    )
  },
  success: ChangeStreamItem,
  error: Schema.Union([ChangesGone, TooManyFollowers]),
  stream: true
}).annotate(CallersOf, EVERYBODY)

/** What streams: over a WebSocket, and not beside calls. */
export class Streams extends RpcGroup.make(followChanges).middleware(Identified) {}
