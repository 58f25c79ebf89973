import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import {
  Collection,
  CollectionId,
  CollectionLimitReached,
  CollectionNotFound,
  CreateCollection,
  RulesTooSlow,
  TooManyMembers,
  TooManyProductIds,
  UnknownProducts,
  UpdateCollection
} from "../../domain/catalog/Collection.ts"
import { withDescription } from "../../domain/catalog/Fields.ts"
import { Membership, Preview, PreviewRules, RulesToEvaluate } from "../../domain/catalog/Membership.ts"
import { ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { VersionMismatch } from "../../domain/Version.ts"
import { membersAndAgentsWith, AccessPolicy, ToolDescription } from "../Annotations.ts"
import { Authentication } from "../Authentication.ts"
import {
  Deleted,
  dryRunFields,
  versionedFields,
  storeFields,
  Page,
  pageFields,
  WriteError,
  WriteResult
} from "./CommonSchemas.ts"

/** Each with the products that it holds at this moment. */
export const listCollections = Rpc.make("collections.list", {
  payload: pageFields(CollectionId),
  success: Page(Collection, CollectionId),
  error: RulesTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    "Lists the store's collections, the oldest first, a page at a time, each with the first of its products and with how many they are. Use it to see how the store is arranged."
  )

export const getCollection = Rpc.make("collections.get", {
  payload: { ...storeFields, id: CollectionId },
  success: Collection,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    "Answers one collection: its rules if it is automated, the ids of its products at this moment, and how many they are. Use it before you change a collection."
  )

export const createCollection = Rpc.make("collections.create", {
  payload: { ...dryRunFields, collection: CreateCollection },
  success: WriteResult(Collection),
  error: Schema.Union([WriteError, CollectionLimitReached, SlugTaken, UnknownProducts, TooManyProductIds, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("write_collections"))
  .annotate(
    ToolDescription,
    'Makes a collection of products. Manual: name its `productIds`, at most 10,000, in order. Automated: give it `rules`, at most 60, and it holds whatever satisfies all of them, or any of them if `disjunctive` is true, now and later; the resource store://rules tells the fields and relations, and collections.preview what they would match. Example: { "idempotencyKey": "…", "collection": { "title": "Desks of oak", "rules": [{ "field": "tags", "relation": "equals", "value": "oak" }, { "field": "price", "relation": "less_than", "value": 500 }] } }'
  )

/** A merge patch, as of a product. */
export const updateCollection = Rpc.make("collections.update", {
  payload: { ...versionedFields, id: CollectionId, patch: UpdateCollection },
  success: WriteResult(Collection),
  error: Schema.Union([
    WriteError,
    CollectionNotFound,
    SlugTaken,
    UnknownProducts,
    TooManyProductIds,
    TooManyMembers,
    RulesTooSlow,
    VersionMismatch
  ])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("write_collections"))
  .annotate(
    ToolDescription,
    "Changes a collection: only what `patch` names; null clears a field that may be null. `rules` and `productIds` are replaced by those that are sent, so send all of them."
  )

/** Its products stay. */
export const deleteCollection = Rpc.make("collections.delete", {
  payload: { ...versionedFields, id: CollectionId },
  success: WriteResult(Deleted(CollectionId)),
  error: Schema.Union([WriteError, CollectionNotFound, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_collections"))
  .annotate(ToolDescription, "Deletes a collection. Its products stay.")

/** Nothing is kept of it. */
export const previewCollection = Rpc.make("collections.preview", {
  payload: { ...storeFields, ...PreviewRules.fields },
  success: Preview,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    'Says which products an automated collection would hold, without saving anything: how many, and the first of them in a small form. Use it before collections.create or collections.update, to see that the rules find what is meant. With `id` it tries out changes to that collection: `rules` replaces all of its rules. Example: rules [{ field: "tags", relation: "equals", value: "oak" }, { field: "price", relation: "less_than", value: 500 }] with disjunctive false finds what is tagged oak and costs less than 500.'
  )

/** Rule by rule, of what is saved or of rules that are tried out. */
export const explainMembership = Rpc.make("collections.why", {
  payload: {
    ...storeFields,
    ...RulesToEvaluate.fields,
    productId: withDescription(ProductId, "The product")
  },
  success: Membership,
  error: Schema.Union([CollectionNotFound, ProductNotFound])
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    "Explains why a product is in a collection or is not: each rule with what the product has there and whether it holds, how the rules combine, and what comes of it. Use it when somebody asks why a product is shown or missing. With `rules` or `disjunctive` it explains what would come of these, as collections.preview takes them. A manual collection has no reasons: it holds what was put into it."
  )

/** Products of a store, grouped by hand or by rules. */
export class CollectionRpcs extends RpcGroup.make(
  listCollections,
  getCollection,
  createCollection,
  updateCollection,
  deleteCollection,
  previewCollection,
  explainMembership
).middleware(Authentication) {}
