import { Schema, SchemaTransformation } from "effect"
import { compileTrustedDecoder } from "../../domain/Decoder.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import { EntryId } from "../../domain/journal/Activity.ts"
import { AdministeredKind, CatalogKind } from "../../domain/journal/Kinds.ts"
import { isObject, type JsonObject, parse } from "../../domain/Json.ts"
import type { StoreId } from "../../domain/Store.ts"
import { sql } from "../sql/Statement.ts"

/*
 * What the journal keeps of a change, read to take it back.
 */

/** JSON as the service reads it, numbers with all of their digits. */
const Json = Schema.String.pipe(
  Schema.decodeTo(Schema.Unknown, SchemaTransformation.transform({ decode: parse, encode: () => "not written" }))
)

/** A manual collection that held a product, and how many stood before it. */
const Membership = Schema.Struct({ collectionId: Schema.toType(CollectionId), rank: Schema.Int })

export const JournalRow = Schema.Struct({
  id: Schema.toType(EntryId),
  resource: CatalogKind,
  resourceId: Schema.String,
  version: Schema.Int,
  actorId: Schema.String,
  before: Schema.NullOr(Json),
  after: Schema.NullOr(Json),
  omitted: Schema.Array(Schema.String),
  memberships: Schema.NullOr(Schema.fromJsonString(Schema.Array(Membership))),
  externalId: Schema.NullOr(Schema.String)
})
export type JournalRow = typeof JournalRow.Type

/** What is read of a change of what members administer, which is not taken back. */
export const AdministeredRow = Schema.Struct({ resource: AdministeredKind })

/** A side of a change, which is null where the resource was not there. */
export const membersOfSide = (side: unknown): JsonObject => (isObject(side) ? side : {})

const decodeProducts = compileTrustedDecoder(
  Schema.Struct({ productIds: optional(Schema.Array(Schema.toType(ProductId))) })
)

/** The products that a collection held by hand before the change, where it kept them. */
export const productIdsOf = ({ before }: JournalRow): ReadonlyArray<ProductId> | undefined =>
  decodeProducts(membersOfSide(before)).productIds

const COLUMNS = sql`
  id, resource, resource_id as "resourceId", version, actor_id as "actorId", before, after, omitted, memberships,
  external_id as "externalId"
`

export const selectKept = (store: StoreId, id: string, part: number) => sql`
  select ${COLUMNS} from journal where store_id = ${store} and id = ${id} and part = ${part}
`

/** What an actor wrote of what has versions, from one id to before another, the newest first. */
export const selectSpan = (store: StoreId, actorId: string, from: string, before: string, limit: number) => sql`
  select ${COLUMNS} from journal
  where store_id = ${store} and actor_id = ${actorId} and id >= ${from} and id < ${before} and version is not null
  order by id desc limit ${limit}
`
