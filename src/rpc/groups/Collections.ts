import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { WorkWeight } from "../../domain/Bulkhead.ts"
import { CollectionNotFound, RulesTooSlow } from "../../domain/catalog/Collection.ts"
import { withDescription } from "../../domain/catalog/Fields.ts"
import { Membership, Preview, PreviewRules, RulesToEvaluate } from "../../domain/catalog/Membership.ts"
import { ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import { ForAgents } from "../Annotations.ts"
import { agentsWith, CallersOf, Identified } from "../Principal.ts"
import { inStore } from "./CommonSchemas.ts"

/** Nothing is kept of it. */
export const previewCollection = Rpc.make("collections.preview", {
  payload: { ...inStore, ...PreviewRules.fields },
  success: Preview,
  error: Schema.Union([CollectionNotFound, RulesTooSlow])
})
  .annotate(WorkWeight, "heavy")
  .annotate(CallersOf, agentsWith("read_collections"))
  .annotate(
    ForAgents,
    'Says which products an automated collection would hold, without saving anything: how many, and the first of them in a small form. Use it before collections.create or collections.update, to see that the rules find what is meant. With `id` it tries out changes to that collection: `rules` replaces all of its rules. Example: rules [{ field: "tags", relation: "equals", value: "oak" }, { field: "price", relation: "less_than", value: 500 }] with disjunctive false finds what is tagged oak and costs less than 500.'
  )

/** Rule by rule, of what is saved or of rules that are tried out. */
export const explainMembership = Rpc.make("collections.why", {
  payload: {
    ...inStore,
    ...RulesToEvaluate.fields,
    productId: withDescription(ProductId, "The product")
  },
  success: Membership,
  error: Schema.Union([CollectionNotFound, ProductNotFound])
})
  .annotate(CallersOf, agentsWith("read_collections"))
  .annotate(
    ForAgents,
    "Explains why a product is in a collection or is not: each rule with what the product has there and whether it holds, how the rules combine, and what comes of it. Use it when somebody asks why a product is shown or missing. With `rules` or `disjunctive` it explains what would come of these, as collections.preview takes them. A manual collection has no reasons: it holds what was put into it."
  )

/** What collections would hold, and why they hold what they do. */
export class MembershipRpcs extends RpcGroup.make(previewCollection, explainMembership).middleware(Identified) {}
