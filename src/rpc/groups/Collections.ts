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
import { CollectionQuery } from "../../domain/catalog/Queries.ts"
import { SlugTaken } from "../../domain/catalog/Slug.ts"
import { QueryCursor, QueryTooSlow } from "../../domain/Query.ts"
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
  QueryPage,
  catalogPageFields,
  WriteError,
  WriteResult
} from "./CommonSchemas.ts"

/** Lists collections with their current products, in ascending order of id. Members, and agents with `read_collections`. */
export const listCollections = Rpc.make("collections.list", {
  payload: catalogPageFields(CollectionId),
  success: Page(Collection, CollectionId),
  error: RulesTooSlow
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    "Lists the collections of the store in pages, oldest first. Each has its number of products and the ids of the first 10. Use it to see how the store is organized, or to find the id of a collection. Pass `nextCursor` as `cursor` for the next page."
  )

/** Lists collections by search and sort order, with their products. Members, and agents with `read_collections`. */
export const queryCollections = Rpc.make("collections.query", {
  payload: { ...pageFields(QueryCursor), ...CollectionQuery.fields },
  success: QueryPage(Collection),
  error: Schema.Union([RulesTooSlow, QueryTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    'Lists the collections whose title or slug contains a text, sorted by title or time, with their number (`total`). Use it to find a collection by its title; to go through all collections, use collections.list. Pass `nextCursor` as `cursor` with the same search and sort for the next page. Example: { "search": "oak", "sort": "title" }'
  )

/** Reads one collection with its current products. Members, and agents with `read_collections`. */
export const getCollection = Rpc.make("collections.get", {
  payload: { ...storeFields, id: CollectionId },
  success: Collection,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections"))
  .annotate(
    ToolDescription,
    "Reads one collection by id: its rules if it is automated, the ids of its current products, and their number. Use it before collections.update, and send its `version` as `expectedVersion`."
  )

/** Creates a manual or automated collection. Members, and agents with `write_collections`. */
export const createCollection = Rpc.make("collections.create", {
  payload: { ...dryRunFields, collection: CreateCollection },
  success: WriteResult(Collection),
  error: Schema.Union([WriteError, CollectionLimitReached, SlugTaken, UnknownProducts, TooManyProductIds, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("write_collections"))
  .annotate(
    ToolDescription,
    'Creates a collection of products. A manual collection has `productIds`: at most 10,000, in display order. An automated collection has `rules`: at most 60. It always contains the products that satisfy every rule, or any rule if `disjunctive` is true. The resource store://rules lists fields and relations. Try rules with collections.preview first. Example: { "idempotencyKey": "<new UUID>", "collection": { "title": "Oak desks", "rules": [{ "field": "tags", "relation": "equals", "value": "oak" }, { "field": "price", "relation": "less_than", "value": 500 }] } }'
  )

/** Changes a collection with a merge patch: omitted fields stay, null clears. Members, and agents with `write_collections`. */
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
    'Changes fields of a collection. Fields that `patch` omits stay as they are; null clears an optional field. `rules` and `productIds` replace the stored lists: send all items. Try new rules with collections.preview first. Example: { "idempotencyKey": "<new UUID>", "id": "<collection id>", "expectedVersion": 2, "patch": { "title": "Oak desks and tables" } }'
  )

/** Deletes a collection, but not its products. Members, and agents with `write_collections`. */
export const deleteCollection = Rpc.make("collections.delete", {
  payload: { ...versionedFields, id: CollectionId },
  success: WriteResult(Deleted(CollectionId)),
  error: Schema.Union([WriteError, CollectionNotFound, VersionMismatch])
})
  .annotate(AccessPolicy, membersAndAgentsWith("write_collections"))
  .annotate(
    ToolDescription,
    "Deletes a collection. Its products are not deleted. activity.undo restores the collection."
  )

/** Evaluates rules without storing them. Members, and agents with `read_collections` and `read_products`. */
export const previewCollection = Rpc.make("collections.preview", {
  payload: { ...storeFields, ...PreviewRules.fields },
  success: Preview,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections", "read_products"))
  .annotate(
    ToolDescription,
    'Evaluates the rules of an automated collection without storing anything. Returns the number of matching products and a short form of the first ones. Use it before collections.create or collections.update to check that rules match the intended products. With `id`, it evaluates that collection; `rules` then replaces its rules. Example: { "rules": [{ "field": "tags", "relation": "equals", "value": "oak" }, { "field": "price", "relation": "less_than", "value": 500 }], "disjunctive": false } matches products with the tag "oak" that cost less than 500.'
  )

/**
 * Explains the membership of a product, with stored or given rules. Members, and agents with `read_collections` and
 * `read_products`.
 */
export const explainMembership = Rpc.make("collections.why", {
  payload: {
    ...storeFields,
    ...RulesToEvaluate.fields,
    productId: withDescription(ProductId, "Id of the product")
  },
  success: Membership,
  error: Schema.Union([CollectionNotFound, ProductNotFound])
})
  .annotate(AccessPolicy, membersAndAgentsWith("read_collections", "read_products"))
  .annotate(
    ToolDescription,
    'Explains why a collection contains a product or not: the result of each rule, the value of the product, and how the rules combine. Use it when someone asks why a product appears or is missing. With `rules` or `disjunctive`, it evaluates these instead, as in collections.preview. A manual collection has no rules: it contains the products of its list. Example: { "id": "<collection id>", "productId": "<product id>" }'
  )

/** Manual and automated collections of products. */
export class CollectionRpcs extends RpcGroup.make(
  listCollections,
  queryCollections,
  getCollection,
  createCollection,
  updateCollection,
  deleteCollection,
  previewCollection,
  explainMembership
).middleware(Authentication) {}
