import { Schema } from "effect"
import { Uuid } from "./Uuid.ts"

export const StoreId = Uuid.pipe(Schema.brand("StoreId"))
export type StoreId = typeof StoreId.Type

/** The store was deleted, or never was: every request for it ends here (decisions, section 4). */
export class StoreNotFound extends Schema.TaggedError<StoreNotFound>()("StoreNotFound", {}) {
  override get message() {
    return "The store was not found"
  }
}

/** What a plan allows. Plans are rows, so that an operator changes them without a release. */
export class Plan extends Schema.Class<Plan>("Plan")({
  name: Schema.NonEmptyString,
  productLimit: Schema.NonNegativeInt,
  collectionLimit: Schema.NonNegativeInt
}) {}

/** A store as operators see it, with how much it holds. */
export const StoreSummary = Schema.Struct({
  storeId: Schema.typeSchema(StoreId),
  name: Schema.String,
  plan: Schema.String,
  currencyCode: Schema.String,
  products: Schema.Int,
  collections: Schema.Int,
  /** The active ones. */
  installations: Schema.Int,
  createdAt: Schema.DateFromSelf
})
export type StoreSummary = typeof StoreSummary.Type

/** What an operator named is no store, or no longer. */
export class UnknownStore extends Schema.TaggedError<UnknownStore>()("UnknownStore", { id: Schema.String }) {
  override get message() {
    return `There is no store ${this.id}; see: stores list`
  }
}

export class PlanNotFound extends Schema.TaggedError<PlanNotFound>()("PlanNotFound", {
  name: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no plan ${this.name}; choose one of ${this.known.join(", ")}`
  }
}

export class PlanExists extends Schema.TaggedError<PlanExists>()("PlanExists", { name: Schema.String }) {
  override get message() {
    return `There is a plan ${this.name} already; choose another name, or see: plans list`
  }
}
