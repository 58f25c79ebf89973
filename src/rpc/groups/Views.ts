import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { Collection } from "../../domain/catalog/Collection.ts"
import { optional } from "../../domain/catalog/Fields.ts"
import {
  View,
  ViewId,
  ViewInput,
  ViewLimitReached,
  ViewNameTaken,
  ViewNotConvertible,
  ViewNotFound,
  ViewResource
} from "../../domain/views/Views.ts"
import { Authentication } from "../Authentication.ts"
import { createCollection } from "./Collections.ts"
import { Deleted, dryRunFields, keyedFields, storeFields, WriteError, WriteResult } from "./CommonSchemas.ts"

/** Lists the views that the member sees, by name: all of them, or those of one resource. Members only. */
export const listViews = Rpc.make("views.list", {
  payload: { ...storeFields, resource: optional(ViewResource) },
  success: Schema.Array(View)
})

/** Stores a view, shared or private. Members only. */
export const createView = Rpc.make("views.create", {
  payload: { ...keyedFields, view: ViewInput },
  success: View,
  error: Schema.Union([WriteError, ViewLimitReached, ViewNameTaken])
})

/** Replaces a view. Members only. */
export const updateView = Rpc.make("views.update", {
  payload: { ...keyedFields, id: ViewId, view: ViewInput },
  success: View,
  error: Schema.Union([WriteError, ViewNotFound, ViewNameTaken])
})

/** Deletes a view. Members only. */
export const deleteView = Rpc.make("views.delete", {
  payload: { ...keyedFields, id: ViewId },
  success: Deleted(ViewId),
  error: Schema.Union([WriteError, ViewNotFound])
})

/** Creates an automated collection with the rules of a view of products. Members only. */
export const createCollectionOfView = Rpc.make("views.toCollection", {
  payload: { ...dryRunFields, id: ViewId },
  success: WriteResult(Collection),
  error: Schema.Union([createCollection.errorSchema, ViewNotFound, ViewNotConvertible])
}).annotate(WorkWeight, "heavy")

/** Named queries of a store, for its members. */
export class ViewRpcs extends RpcGroup.make(
  listViews,
  createView,
  updateView,
  deleteView,
  createCollectionOfView
).middleware(Authentication) {}
