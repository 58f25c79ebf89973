import { Schema } from "effect"
import { Uuid } from "./Uuid.ts"

export const StoreId = Uuid.pipe(Schema.brand("StoreId"))
export type StoreId = typeof StoreId.Type

/** The store does not exist or was deleted (docs/spec/requests.md). */
export class StoreNotFound extends Schema.TaggedError<StoreNotFound>()("StoreNotFound", {}) {
  override get message() {
    return "The store was not found"
  }
}
