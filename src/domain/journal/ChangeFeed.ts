import { Context, Deferred, Effect, Result, Schema } from "effect"
import type { Scope as AccessScope } from "../access/Scope.ts"
import { InstallationId } from "../access/Ids.ts"
import type { Visibility } from "../access/Visibility.ts"
import type { StoreBusy, Weight } from "../Bulkhead.ts"
import { CollectionId, type RulesTooSlow } from "../catalog/Collection.ts"
import { JsonValue, optional, Timestamp, Version } from "../catalog/Fields.ts"
import { MembershipCause } from "../catalog/MembershipChange.ts"
import { ProductId } from "../catalog/Product.ts"
import { EventId } from "../Events.ts"
import type { JsonText } from "../json/Document.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { ActorType } from "./Activity.ts"
import type { ChangesGone, TooManyFollowers } from "./Changes.ts"
import { CATALOG_KINDS, type CatalogKind } from "./Kinds.ts"

/** Maximum number of seconds that a read of the feed waits for a change. */
export const MAX_WAIT_SECONDS = 30

/** Resources with changes and digests, as requests name them. */
export const FeedResource = Schema.Literals(["products", "collections"])
export type FeedResource = typeof FeedResource.Type

/** Kinds of items of the feed: changes of resources, and products that enter and leave collections because of them. */
export const FeedSubject = Schema.Literals([...FeedResource.literals, "memberships"])
export type FeedSubject = typeof FeedSubject.Type

export const KIND_OF_RESOURCE = {
  products: "product",
  collections: "collection"
} as const satisfies Record<FeedResource, CatalogKind>

/** Returns the scope that reads a resource. */
const readScopeOf = (resource: FeedResource): AccessScope => CATALOG_KINDS[KIND_OF_RESOURCE[resource]].scopes.read

/** Returns the resources that a subject reveals. */
const resourcesOf = (subject: FeedSubject): ReadonlyArray<FeedResource> =>
  subject === "memberships" ? FeedResource.literals : [subject]

/** Returns what a caller finds, of the named subjects or all resources. Fails with the first missing scope. */
export const readableSubjects = (
  { found }: Pick<Visibility, "found">,
  named: ReadonlyArray<FeedSubject> | undefined
): Result.Result<ReadonlyArray<FeedSubject>, AccessScope> => {
  const missingOf = (subject: FeedSubject) => {
    const missing = resourcesOf(subject).find((resource) => !found.includes(KIND_OF_RESOURCE[resource]))
    return missing && readScopeOf(missing)
  }
  const subjects = named ?? FeedResource.literals.filter((resource) => missingOf(resource) === undefined)
  const missing = (subjects.length === 0 ? FeedResource.literals : subjects)
    .map(missingOf)
    .find((scope) => scope !== undefined)
  return missing === undefined ? Result.succeed(subjects) : Result.fail(missing)
}

/** Committed change of a product or collection, as the feed lists it. */
export const FeedChange = Schema.Struct({
  position: Schema.toType(EventId).annotate({
    description: "Position of the change, to continue after it. It is the id of the journal entry and of the event",
    format: "uuid"
  }),
  resource: FeedResource,
  id: Schema.toType(Uuid).annotate({ description: "Id of the product or collection", format: "uuid" }),
  version: Version.annotate({ description: "Version that the change created; for a deletion, the last version" }),
  deleted: Schema.Boolean.annotate({ description: "True if the change deleted the resource" }),
  at: Timestamp,
  actor: Schema.Struct({ kind: ActorType }).annotate({ description: "Kind of author, as in events" }),
  originInstallationId: Schema.NullOr(Schema.toType(InstallationId)).annotate({
    description: "Installation whose app made the change; your own id marks your own changes",
    format: "uuid"
  }),
  changeSetId: Schema.NullOr(Schema.toType(Uuid)).annotate({
    description: "Change set that the change is part of",
    format: "uuid"
  }),
  document: optional(
    JsonValue.annotate({
      description:
        "With `include=document`: the current product or collection, which can be newer than the change; null if it no longer exists"
    })
  )
}).annotate({ identifier: "FeedChange", description: "A create, update or deletion" })

/** Maximum number of products that a change of a collection lists one by one. */
export const MAX_MEMBERSHIPS = 1_000

/** Maximum number of automated collections of a store whose memberships are followed. */
export const MAX_AUTOMATED = 1_000

/** Maximum number of later changes that are undone in memory to know the states at the time of a page. */
export const MAX_WALKED = 5_000

/** A product that entered or left a collection. */
export const FeedMembership = Schema.Struct({
  position: Schema.toType(EventId).annotate({ description: "Position of the change that caused it", format: "uuid" }),
  resource: Schema.Literal("memberships"),
  collectionId: Schema.toType(CollectionId).annotate({ format: "uuid" }),
  productId: Schema.NullOr(Schema.toType(ProductId)).annotate({
    description: `The product; null if a change of the collection affects more than ${MAX_MEMBERSHIPS} products: read the collection again`,
    format: "uuid"
  }),
  entered: Schema.NullOr(Schema.Boolean).annotate({
    description: "True if the product entered the collection, false if it left; null without a product"
  }),
  cause: MembershipCause
}).annotate({ identifier: "FeedMembership", description: "A product entered or left a collection" })
export type FeedMembership = typeof FeedMembership.Type

export class MembershipsTooFar extends Schema.TaggedError<MembershipsTooFar>()("MembershipsTooFar", {}) {
  override get message() {
    return `Memberships need at most ${MAX_WALKED} later changes of the page's products and collections, and at most ${MAX_AUTOMATED} automated collections; use a smaller \`limit\`, or read the collections again and follow from the newest position`
  }
}

/** Page of the feed. */
export const FeedPage = Schema.Struct({
  changes: Schema.Array(Schema.Union([FeedChange, FeedMembership])).annotate({
    description: "Changes in commit order, each followed by its memberships"
  }),
  nextPosition: Schema.toType(EventId).annotate({
    description: "The `after` of the next request. Store it with what the changes changed",
    format: "uuid"
  }),
  isLatest: Schema.Boolean.annotate({ description: "True if no further change is readable now" })
}).annotate({ identifier: "FeedPage", description: "A page of the change feed" })

/** Page of the feed with its changes as JSON. */
export interface FeedPageDocument {
  readonly changes: ReadonlyArray<JsonText>
  readonly nextPosition: EventId
  readonly isLatest: boolean
}

/** Encodes a page as JSON. */
export const feedPageJson = ({ changes, isLatest, nextPosition }: FeedPageDocument): JsonText =>
  `{"changes":[${changes.join(",")}],"nextPosition":"${nextPosition}","isLatest":${isLatest}}`

/** Returns the size of a page as JSON, about. */
export const feedPageSize = ({ changes }: FeedPageDocument): number =>
  changes.reduce((sum, { length }) => sum + length, 0)

/** Returns the weight of a read: current documents and memberships take more work than changes. */
export const feedWeight = ({ include, resources }: Pick<FeedRequest, "include" | "resources">): Weight =>
  include === "document" || resources.includes("memberships") ? "heavy" : "usual"

export interface FeedRequest {
  /** Position of the last read change. Without it, the page has no changes and names the newest position. */
  readonly after?: EventId | undefined
  readonly limit: number
  readonly resources: ReadonlyArray<FeedSubject>
  /** `document` adds the current documents. */
  readonly include?: "document" | undefined
  /** Seconds to wait for a change if none is readable. */
  readonly wait?: number | undefined
}

/** Functions of a surface for a read of the feed. */
export interface FeedReading<E> {
  /** Runs a read in the bulkhead of the store. A waiting request holds no permit. */
  readonly permit: <E2>(read: Effect.Effect<FeedPageDocument, E2>) => Effect.Effect<FeedPageDocument, E2 | StoreBusy>
  /** Fails once the caller may no longer read what the request names. Runs while the request waits. */
  readonly recheck: Effect.Effect<unknown, E>
  /** Done when waiting requests must be answered, because the server stops. */
  readonly stopping: Effect.Effect<void>
}

/** Changes of the catalog in pages, for copies that continue from a stored position. */
export class ChangeFeed extends Context.Service<
  ChangeFeed,
  {
    /**
     * Lists the changes after a position. A change is listed once every change of its store that began before it has ended, so
     * a reader misses none. Waits for the next change if the request says so.
     */
    readonly list: <E>(
      store: StoreId,
      request: FeedRequest,
      reading: FeedReading<E>
    ) => Effect.Effect<
      FeedPageDocument,
      ChangesGone | MembershipsTooFar | RulesTooSlow | TooManyFollowers | StoreBusy | E
    >
  }
>()("domain/journal/ChangeFeed") {}

/** Makes an effect that is done when the current scope ends. */
export const scopeEnd = Effect.gen(function* () {
  const ended = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(ended, undefined))
  return Deferred.await(ended)
})
