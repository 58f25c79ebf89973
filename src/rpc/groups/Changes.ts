import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { withDescription, optional } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import { ChangesGone, ChangeStreamItem, TooManyFollowers } from "../../domain/journal/Changes.ts"
import {
  FeedPage,
  FeedResource,
  FeedSubject,
  MAX_WAIT_SECONDS,
  MembershipsTooFar
} from "../../domain/journal/ChangeFeed.ts"
import { Digest, DigestTooSlow } from "../../domain/journal/Digest.ts"
import { boundedArray } from "../../domain/json/Bounded.ts"
import { MAX_LIMIT } from "../../domain/Page.ts"
import { AccessPolicy, MEMBERS_AND_AGENTS, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import { followChangeSet } from "./ChangeSets.ts"
import { integerBetween, storeFields } from "./CommonSchemas.ts"

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

/**
 * Lists changes of the catalog after a position, in commit order, with deletions. Members, and agents for their read scopes.
 */
export const listChanges = Rpc.make("changes.list", {
  payload: {
    ...storeFields,
    after: optional(
      withDescription(
        EventId,
        "Position to continue after: `nextPosition` of the previous page. Without it, the page is empty and names the newest position"
      )
    ),
    limit: optional(integerBetween(1, MAX_LIMIT, "Maximum number of changes. A page can hold fewer")),
    resources: optional(
      boundedArray(FeedSubject, FeedSubject.literals.length, "resources").annotate({
        description:
          "Kinds of items: changes of products and collections, and `memberships`: products that enter and leave collections, with the cause. Default: the changes that the caller may read"
      })
    ),
    include: optional(
      Schema.Literal("document").annotate({
        message: "must be document",
        description: "`document` adds the current product or collection to each change"
      })
    ),
    wait: optional(integerBetween(0, MAX_WAIT_SECONDS, "Seconds to wait for a change if none is readable. Default: 0"))
  },
  success: FeedPage,
  error: Schema.Union([ChangesGone, TooManyFollowers, RulesTooSlow, MembershipsTooFar])
})
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    'Lists what changed in products and collections after a position, oldest first: creates, updates and deletions, with author and version. Use it to notice changes since your last look without reading everything again. The first call without `after` returns the newest position; pass `nextPosition` as `after` in the next call. Use activity.list for old and new values. Example: { "after": "<nextPosition>", "resources": ["products"] }'
  )

/** Computes the digest of products or collections. Members, and agents for their read scopes. */
export const getDigest = Rpc.make("digest.get", {
  payload: {
    ...storeFields,
    resource: FeedResource.annotate({
      message: "must be products or collections",
      description: "Resource whose rows are hashed"
    })
  },
  success: Digest,
  error: DigestTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, MEMBERS_AND_AGENTS)
  .annotate(
    ToolDescription,
    "Returns the number of products or collections and a digest of their ids and versions, in total and for 256 ranges of ids. Two equal digests mean that nothing changed in between. Use it to count, or to check if a copy is complete."
  )

/** Changes and digests of the catalog. */
export class FeedRpcs extends RpcGroup.make(listChanges, getDigest).middleware(Authentication) {}

/** Streams, which are available only over a WebSocket. */
export class Streams extends RpcGroup.make(followChanges, followChangeSet).middleware(Authentication) {}
