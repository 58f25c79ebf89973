import { Context, type Effect, Schema } from "effect"
import { withDescription, Timestamp } from "../catalog/Fields.ts"
import type { CellClosed } from "../cells/Cells.ts"
import { StoreId, type StoreNotFound } from "../Store.ts"
import type { Write } from "../Write.ts"
import { Settings, type UpdateSettings } from "./Settings.ts"

/** Limits of a store. Plans are rows, so that operators can change them without a release. */
export class Plan extends Schema.Class<Plan>("Plan")({
  name: Schema.NonEmptyString,
  productLimit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  collectionLimit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  mediaLimit: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "Maximum bytes of files" })
}) {}

/** Store with its settings, plan and product count. */
export const Store = Schema.Struct({
  id: withDescription(StoreId, "Store id"),
  name: Schema.String.annotate({ description: "Name of the store" }),
  ...Settings.fields,
  currencyCode: Schema.String.annotate({ description: "Currency of prices (ISO 4217)" }),
  plan: Schema.Struct(Plan.fields).annotate({ description: "Plan, with the limits of the store" }),
  productCount: Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
    description: "Number of products; null for callers without access to products"
  }),
  createdAt: Timestamp
}).annotate({ identifier: "Store", description: "A store with its settings and plan" })
export type Store = typeof Store.Type

/** Store as operators see it, with counts. */
export const StoreSummary = Schema.Struct({
  storeId: Schema.toType(StoreId),
  name: Schema.String,
  plan: Schema.String,
  currencyCode: Schema.String,
  products: Schema.Int,
  collections: Schema.Int,
  /** Number of active installations. */
  installations: Schema.Int,
  createdAt: Schema.Date
})
export type StoreSummary = typeof StoreSummary.Type

/** The operator named a store that does not exist or was deleted. */
export class UnknownStore extends Schema.TaggedError<UnknownStore>()("UnknownStore", { id: StoreId }) {
  override get message() {
    return `Store ${this.id} was not found; list the stores with: stores list`
  }
}

export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", {
  name: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Plan ${this.name} was not found; choose one of ${this.known.join(", ")}`
  }
}

export class PlanExists extends Schema.TaggedError<PlanExists>()("PlanExists", { name: Schema.String }) {
  override get message() {
    return `Plan ${this.name} already exists; choose another name`
  }
}

/** Stores and their plans. */
export class Stores extends Context.Service<
  Stores,
  {
    readonly listPlans: Effect.Effect<ReadonlyArray<Plan>>
    readonly createPlan: (plan: Plan) => Effect.Effect<void, PlanExists>

    readonly create: (
      store: Partial<Settings> & { readonly name: string; readonly plan: string; readonly currencyCode: string }
    ) => Effect.Effect<StoreId, PlanNotFound | CellClosed>
    /** Returns a store that is not deleted. */
    readonly get: (id: StoreId) => Effect.Effect<Store, StoreNotFound>
    /** Changes the settings of a store and returns the store. */
    readonly updateSettings: (id: StoreId, settings: UpdateSettings) => Write<Store, StoreNotFound>
    /** Lists the newest stores, at most `limit`, excluding deleted ones. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<StoreSummary>>
    /** Changes the plan of a store. Its limits apply from the commit; existing resources above them stay. */
    readonly setPlan: (id: StoreId, plan: string) => Write<void, UnknownStore | PlanNotFound>
    /**
     * Marks a store as deleted. After the commit, all its requests are rejected with 404 and its deliveries stop. Its
     * rows are kept.
     */
    readonly delete: (id: StoreId) => Effect.Effect<void, UnknownStore>
  }
>()("domain/Stores") {}
