import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyScope } from "../../domain/access/AccessRule.ts"
import { StoreBusy, TakesPermits, WorkWeight } from "../../domain/Bulkhead.ts"
import { RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { optional, withDescription } from "../../domain/catalog/Fields.ts"
import { EventId } from "../../domain/Events.ts"
import {
  FeedPage,
  FeedResource,
  FeedSubject,
  MAX_WAIT_SECONDS,
  MembershipsTooFar
} from "../../domain/journal/ChangeFeed.ts"
import { ChangesGone, TooManyFollowers } from "../../domain/journal/Changes.ts"
import { Digest, DigestTooSlow } from "../../domain/journal/Digest.ts"
import { MAX_JOURNAL_DAYS } from "../../domain/OperatorLimits.ts"
import { publicError } from "../ErrorTable.ts"
import { ReadsLatest, requireAccess } from "./Middleware.ts"
import { commaSeparated, DataResponse, JSON_SCHEMA, pageQuery } from "./Shapes.ts"

const READ_CATALOG = requireAccess(AnyScope.make({ scopes: ["read_products", "read_collections"] }))

/** Whole seconds as text. */
const WaitSeconds = Schema.String.annotate({
  message: "must be given once",
  [JSON_SCHEMA]: {
    type: "integer",
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: `Seconds to wait for a change if none is readable, at most ${MAX_WAIT_SECONDS}`
  }
}).pipe(
  Schema.decodeTo(
    Schema.String.check(
      Schema.makeFilter((text) => /^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT_SECONDS, {
        message: `must be an integer from 0 to ${MAX_WAIT_SECONDS}`
      })
    )
  ),
  Schema.decodeTo(Schema.Int, SchemaTransformation.transform({ decode: Number, encode: String }))
)

export const listChanges = HttpApiEndpoint.get("listChanges", "/changes", {
  query: {
    after: optional(
      withDescription(
        EventId,
        `The position to continue after: the \`nextPosition\` of the previous page, or the \`position\` of a change. Without it, the page is empty and names the newest position. Positions are valid for up to ${MAX_JOURNAL_DAYS} days`
      )
    ),
    limit: pageQuery(EventId).limit,
    resources: optional(
      commaSeparated(
        FeedSubject,
        FeedSubject.literals.length,
        "must be products, collections or memberships, or some of them with commas between them",
        "Kinds of items, with commas between them: changes of `products` and `collections`, and `memberships`, the products that enter and leave collections, for which you need both scopes. Default: the changes that your scopes read"
      )
    ),
    include: optional(
      Schema.Literal("document").annotate({
        message: "must be document",
        description: "`document` adds the current product or collection to each change"
      })
    ),
    wait: optional(WaitSeconds)
  },
  success: FeedPage,
  error: [
    publicError(ChangesGone),
    publicError(TooManyFollowers),
    publicError(RulesTooSlow),
    publicError(MembershipsTooFar),
    publicError(StoreBusy)
  ]
})
  .annotateMerge(READ_CATALOG)
  .annotate(ReadsLatest, true)
  .annotate(TakesPermits, true)
  .annotate(OpenApi.Summary, "List changes")
  .annotate(
    OpenApi.Description,
    "Returns every create, update and deletion after a position, in commit order, including your own. None is missed: a change is listed once all changes that began before it have ended. With `wait`, an empty page is returned only after that time. Rules: `docs/sync.md`."
  )

export const getDigest = HttpApiEndpoint.get("getDigest", "/digest", {
  query: {
    resource: FeedResource.annotate({
      message: "must be products or collections",
      description: "The resource whose rows are hashed",
      examples: ["products"]
    })
  },
  success: DataResponse(Digest, "The digest"),
  error: publicError(DigestTooSlow)
})
  .annotateMerge(READ_CATALOG)
  .annotate(WorkWeight, "heavy")
  .annotate(OpenApi.Summary, "Read a digest")
  .annotate(
    OpenApi.Description,
    "Returns the number of rows and a digest of their ids and versions, in total and for 256 ranges. A copy with the same digest is complete. Read the ranges that differ with `range` of the lists."
  )

/** Changes and digests of the catalog, for complete copies. */
export class FeedGroup extends HttpApiGroup.make("Feed")
  .add(listChanges, getDigest)
  .annotate(OpenApi.Description, "Changes and digests, for complete copies of a catalog. Guide: `docs/sync.md`") {}
