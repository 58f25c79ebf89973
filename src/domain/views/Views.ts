import { Context, type Effect, Result, Schema } from "effect"
import type { MerchantId } from "../access/Ids.ts"
import { Collection, type CreateCollection } from "../catalog/Collection.ts"
import { Bool, field, trimmed, withDescription } from "../catalog/Fields.ts"
import { Product } from "../catalog/Product.ts"
import { CollectionQuery, ProductQuery } from "../catalog/Queries.ts"
import { boundedArray } from "../json/Bounded.ts"
import type { JsonText } from "../json/Document.ts"
import { Customer, CustomerQuery } from "../records/Customer.ts"
import { Order, OrderQuery } from "../records/Order.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import { formatInteger } from "../Text.ts"
import { Uuid } from "../Uuid.ts"
import type { Write } from "../Write.ts"

/* Named queries of a store (docs/spec/views.md). */

export const ViewId = Uuid.pipe(Schema.brand("ViewId"))
export type ViewId = typeof ViewId.Type

/** Maximum number of views of a store, shared and private. */
export const MAX_VIEWS = 100

/** Maximum length of a view as JSON, so that a list of all views stays small. */
const MAX_VIEW_LENGTH = 16_384

/** Creates the fields of a view of one kind of resource. Its columns are fields of the documents. */
const fieldsOf = <const Resource extends string, Query extends Schema.Top, Fields extends Schema.Struct.Fields>(
  resource: Resource,
  query: Query,
  { fields }: Schema.Struct<Fields>
) => ({
  resource: Schema.Literal(resource),
  name: field(
    trimmed(100),
    "Name, unique among shared views of the resource, or among those of the member",
    "Sold out"
  ),
  query: withDescription(query, `Filter and sort order, as in \`${resource}.query\``),
  columns: withDescription(
    boundedArray(Schema.Literals(Object.keys(fields)).annotate({ message: "must be a field of the resource" }), 50),
    "Fields to show, in order. Empty: those that the client shows by default"
  ),
  isShared: field(Bool, "true: visible to all members. false: visible only to the member who stores it", true)
})

const FIELDS = {
  products: fieldsOf("products", ProductQuery, Product),
  collections: fieldsOf("collections", CollectionQuery, Collection),
  orders: fieldsOf("orders", OrderQuery, Order),
  customers: fieldsOf("customers", CustomerQuery, Customer)
}

export const ViewResource = Schema.Literals(["products", "collections", "orders", "customers"])
export type ViewResource = typeof ViewResource.Type

const OTHER_RESOURCE = { message: "must have the resource products, collections, orders or customers" }

/** All members of a view that its author decides. */
export const ViewInput = Schema.Union([
  Schema.Struct(FIELDS.products).annotate(OTHER_RESOURCE),
  Schema.Struct(FIELDS.collections).annotate(OTHER_RESOURCE),
  Schema.Struct(FIELDS.orders).annotate(OTHER_RESOURCE),
  Schema.Struct(FIELDS.customers).annotate(OTHER_RESOURCE)
]).check(
  Schema.makeFilter(
    (view) =>
      JSON.stringify(view).length <= MAX_VIEW_LENGTH ||
      `must have at most ${formatInteger(MAX_VIEW_LENGTH)} characters as JSON`
  )
)
export type ViewInput = typeof ViewInput.Type

const storedFields = { id: ViewId, createdAt: Schema.String, updatedAt: Schema.String }

/** A stored view. */
export const View = Schema.Union([
  Schema.Struct({ ...storedFields, ...FIELDS.products }),
  Schema.Struct({ ...storedFields, ...FIELDS.collections }),
  Schema.Struct({ ...storedFields, ...FIELDS.orders }),
  Schema.Struct({ ...storedFields, ...FIELDS.customers })
])
export type View = typeof View.Type

/** A view without its columns. */
export type ViewQuery = View extends infer One ? (One extends View ? Omit<One, "columns"> : never) : never

export class ViewNotFound extends Schema.TaggedError<ViewNotFound>()("ViewNotFound", { id: ViewId }) {
  override get message() {
    return `View ${this.id} was not found; views.list returns the views of the store that you see`
  }
}

export class ViewNameTaken extends Schema.TaggedError<ViewNameTaken>()("ViewNameTaken", { name: Schema.String }) {
  override get message() {
    return `Another view has the name "${this.name}"; choose another name, or update that view`
  }
}

export class ViewLimitReached extends Schema.TaggedError<ViewLimitReached>()("ViewLimitReached", {}) {
  override get message() {
    return `The store has ${MAX_VIEWS} views, the maximum; delete one first`
  }
}

/** The query of the view is not one that an automated collection can have. */
export class ViewNotConvertible extends Schema.TaggedError<ViewNotConvertible>()("ViewNotConvertible", {
  reason: Schema.Literals(["resource", "rules", "search"])
}) {
  override get message() {
    const advice = {
      resource: "it is not a view of products; choose one of products",
      rules: "it has no rules; add one, such as price greater_than 0",
      search: "it has a search, which collections lack; use rules instead, such as title contains"
    }
    return `The view cannot become a collection: ${advice[this.reason]}`
  }
}

/** Returns the automated collection with the rules of a view, whose title is the name of the view. */
export const collectionOf = ({
  name,
  query,
  resource
}: ViewQuery): Result.Result<CreateCollection, ViewNotConvertible> => {
  if (resource !== "products") return Result.fail(new ViewNotConvertible({ reason: "resource" }))
  const { disjunctive = false, rules = [], search } = query
  if (search !== undefined) return Result.fail(new ViewNotConvertible({ reason: "search" }))
  if (rules.length === 0) return Result.fail(new ViewNotConvertible({ reason: "rules" }))
  return Result.succeed({ title: name, type: "automated", rules, disjunctive })
}

/** Views of stores. A member sees the shared ones and their own. */
export class Views extends Context.Service<
  Views,
  {
    /** Returns the views in the order of their names, as a JSON array. */
    readonly list: (store: StoreId, member: MerchantId, resource?: ViewResource) => Effect.Effect<JsonText>
    readonly get: (store: StoreId, member: MerchantId, id: ViewId) => Effect.Effect<ViewQuery, ViewNotFound>
    readonly create: (
      store: StoreId,
      member: MerchantId,
      view: ViewInput
    ) => Write<JsonText, StoreNotFound | ViewLimitReached | ViewNameTaken>
    /** Replaces a view. A shared view that becomes private belongs to the member who changes it. */
    readonly update: (
      store: StoreId,
      member: MerchantId,
      id: ViewId,
      view: ViewInput
    ) => Write<JsonText, StoreNotFound | ViewNotFound | ViewNameTaken>
    readonly delete: (store: StoreId, member: MerchantId, id: ViewId) => Write<void, ViewNotFound>
  }
>()("domain/Views") {}
