import { Context, type Effect, Schema, Struct } from "effect"
import { MerchantId } from "../access/Ids.ts"
import { JsonValue, Timestamp } from "../catalog/Fields.ts"
import type { JsonText, DocumentPage } from "../json/Document.ts"
import { MAX_JOURNAL_DAYS } from "../OperatorLimits.ts"
import { MAX_LIMIT, type PageRequest } from "../Page.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import type { Surface } from "../Write.ts"
import { type CatalogKind, ResourceKind } from "./Kinds.ts"

export const EntryId = Uuid.pipe(Schema.brand("EntryId"), Schema.annotate({ identifier: "EntryId" }))
export type EntryId = typeof EntryId.Type

export const ActorType = Schema.Literals(["app", "merchant", "agent"])
export type ActorType = typeof ActorType.Type

const surfaces = ["rest", "rpc", "mcp", "cli", "import", "consent"] as const satisfies ReadonlyArray<Surface>

/** Surface through which a write came. */
export const EntrySurface = Schema.Literals([...surfaces])

const Side = Schema.NullOr(Schema.Record(Schema.String, JsonValue))
const VersionOf = Schema.NullOr(Schema.Int)
const Id = Schema.toType(Uuid)

/** Journal entry: one change of one resource. */
export const ActivityEntry = Schema.Struct({
  id: Schema.toType(EntryId).annotate({
    description: "Entry id, which is also the id of the event, if the change sent one"
  }),
  at: Timestamp,
  actor: Schema.Struct({ type: ActorType, id: Id }).annotate({
    description: "Author: an installation of an app, a merchant or an agent"
  }),
  surface: EntrySurface.annotate({ description: "Surface through which the write came" }),
  resource: ResourceKind,
  resourceId: Id,
  versions: Schema.Struct({ before: VersionOf, after: VersionOf }).annotate({
    description:
      "Versions before and after the change. `before` is null for a creation, `after` for a deletion, and both for resources without versions"
  }),
  omitted: Schema.Array(Schema.String).annotate({
    description: "Changed members that were too large to store: an entry stores at most 65,536 characters of JSON"
  }),
  idempotencyKey: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String).annotate({ description: "Request id in the log of the service" }),
  hops: Schema.Int.annotate({ description: "Number of consecutive event deliveries that led to the change" }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Reason given by the author" }),
  undoes: Schema.NullOr(Schema.toType(EntryId)).annotate({ description: "Entry that this change undoes" }),
  changeSetId: Schema.NullOr(Id).annotate({ description: "Change set that the change was part of" }),
  approvedBy: Schema.NullOr(Schema.toType(MerchantId)).annotate({
    description: "Merchant who approved the proposal of the agent"
  }),
  before: Side.annotate({
    description: "Old values of the changed members; the whole resource for a deletion, null for a creation"
  }),
  after: Side.annotate({
    description: "New values of the changed members; the whole resource for a creation, null for a deletion"
  })
}).annotate({ identifier: "ActivityEntry" })
export type ActivityEntry = typeof ActivityEntry.Type

/** Entry that last set fields of a resource. */
export const FieldsEntry = ActivityEntry.mapFields(Struct.omit(["before", "after"]))
  .mapFields(
    Struct.assign({
      fields: Schema.Array(Schema.String).annotate({ description: "Fields that no later change set" })
    })
  )
  .annotate({ identifier: "FieldsEntry" })
export type FieldsEntry = typeof FieldsEntry.Type

/** Maximum bytes of entries examined for the fields of a resource. */
export const MAX_EXAMINED_BYTES = 16 * 1024 * 1024

export class EntryNotFound extends Schema.TaggedError<EntryNotFound>()("EntryNotFound", { id: EntryId }) {
  override get message() {
    return `Entry ${this.id} was not found; entries are kept for up to ${MAX_JOURNAL_DAYS} days`
  }
}

/** Filter and page of a list of entries. All given criteria must match. */
export interface ActivityRequest extends PageRequest<EntryId> {
  /** Only resources of these kinds. */
  readonly kinds: ReadonlyArray<ResourceKind>
  readonly resourceId?: string | undefined
  /** True: of consecutive entries of a change set, a page has the newest only. */
  readonly collapseChangeSets?: boolean | undefined
  readonly actorType?: ActorType | undefined
  readonly actorId?: string | undefined
  readonly surface?: Surface | undefined
  /** Start (inclusive) and end (exclusive) of the time range: RFC 3339 in UTC with milliseconds. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Maximum number of entries examined for one page. A page of a selective filter ends early, with a cursor. */
export const MAX_EXAMINED_ENTRIES = 5_000

/** Entry and the kind of its resource. */
export interface EntryDocument {
  readonly resource: ResourceKind
  readonly json: JsonText
}

/** Display name of an actor or resource, or the note of a change set, which may be empty. */
export const DisplayName = Schema.Struct({
  id: Id,
  name: Schema.String,
  changes: Schema.optionalKey(
    Schema.NullOr(Schema.Int).annotate({ description: "Rows that a change set changes; null for all others" })
  )
})
export type DisplayName = typeof DisplayName.Type

/** Maximum number of ids in one request for names: enough for the actors and resources of a page. */
export const MAX_DISPLAY_NAMES = 2 * MAX_LIMIT

/** Change history of a store, read from the journal. */
export class Activity extends Context.Service<
  Activity,
  {
    /** Lists entries in descending order of id, newest first. */
    readonly list: (store: StoreId, request: ActivityRequest) => Effect.Effect<DocumentPage<EntryId>>
    readonly get: (store: StoreId, id: EntryId) => Effect.Effect<EntryDocument, EntryNotFound>
    /** Returns the entries that last set the fields of a resource, newest first, as JSON. */
    readonly fields: (store: StoreId, resource: CatalogKind, id: string) => Effect.Effect<JsonText>
    /**
     * Returns the names of products, collections, agents, installed apps and members with these ids. A subscription has
     * the name of its app.
     */
    readonly names: (store: StoreId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DisplayName>>
  }
>()("domain/journal/Activity") {}
