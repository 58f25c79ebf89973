import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields } from "./CommonSchemas.ts"

/**
 * What is committed in a store, as it happens, in ascending order of id. It begins with `Following`, which tells from
 * where. An agent is told of what its scopes let it read.
 */
export const followChanges = Rpc.make("changes.follow", {
  payload: {
    ...storeFields,
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
}).annotate(AccessPolicy, MEMBERS_AND_AGENTS)

/** What streams: over a WebSocket, and not beside calls. */
export class Streams extends RpcGroup.make(followChanges).middleware(Authentication) {}
