import { Schema } from "effect"
import { optional } from "../../domain/catalog/Fields.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { isObject, type JsonObject } from "../../domain/json/Json.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { EntryId } from "../../domain/journal/Activity.ts"
import { AdministeredKind, CatalogKind } from "../../domain/journal/Kinds.ts"
import { MembersText, StoredColumn } from "../sql/Documents.ts"
import { sql } from "../sql/Statement.ts"

/** Manual collection that contained a deleted product, and the number of products before it. */
const Membership = Schema.Struct({ collectionId: Schema.toType(CollectionId), rank: Schema.Int })
export const MembershipsDocument = storedDocument(Schema.Array(Membership))

/** Journal entry of a product or collection, with what its undo needs. */
export const JournalRow = Schema.Struct({
  id: Schema.toType(EntryId),
  resource: CatalogKind,
  resourceId: Schema.String,
  version: Schema.Int,
  actorId: Schema.String,
  before: Schema.NullOr(MembersText),
  after: Schema.NullOr(MembersText),
  omitted: Schema.Array(Schema.String),
  memberships: Schema.NullOr(StoredColumn(MembershipsDocument)),
  externalId: Schema.NullOr(Schema.String)
})
export type JournalRow = typeof JournalRow.Type

/** Columns of {@link JournalRow}. */
export const ENTRY_COLUMNS = sql.literal(`
  id, resource, resource_id as "resourceId", version, actor_id as "actorId", before, after, omitted, memberships,
  external_id as "externalId"
`)

/** Journal entry of a resource that members administer. It cannot be undone. */
export const AdministeredRow = Schema.Struct({ resource: AdministeredKind })

/** Members of a side of a change; none if the resource did not exist. */
export const membersOfSide = (side: unknown): JsonObject => (isObject(side) ? side : {})

const decodeProductIds = Schema.decodeUnknownSync(
  Schema.Struct({ productIds: optional(Schema.Array(Schema.toType(ProductId))) })
)

/** Products of a manual collection before the change; undefined if the change did not store them. */
export const productIdsOf = ({ before }: JournalRow): ReadonlyArray<ProductId> | undefined =>
  decodeProductIds(membersOfSide(before)).productIds
