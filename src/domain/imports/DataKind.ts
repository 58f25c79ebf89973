import { Schema } from "effect"

/** Resource kinds that can be imported and exported. */
export const DataKind = Schema.Literals(["products", "collections", "orders", "customers"])
export type DataKind = typeof DataKind.Type
