import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { storeFields } from "./CommonSchemas.ts"

/**
 * Streams committed changes of the catalog in ascending order of id. The first item, `Following`, holds the start position.
 * Members, and agents for their read scopes.
 */
export const followChanges = Rpc.make("changes.follow", {
  payload: {
    ...storeFields,
    after: optional(
      withDescription(
        EventId,
        "Id of the last received change, or `after` of `Following`. Without it, the stream starts now"
      )
    )
  },
  success: ChangeStreamItem,
  error: Schema.Union([ChangesGone, TooManyFollowers]),
  stream: true
}).annotate(AccessPolicy, MEMBERS_AND_AGENTS)

/** Streams, which are available only over a WebSocket. */
export class Streams extends RpcGroup.make(followChanges).middleware(Authentication) {}
