import { Context, type Effect, Schema } from "effect"
import type { UnknownStore } from "../access/Stores.ts"
import type { StoreId } from "../Store.ts"

/** Resource kinds that can be exported. */
export const ExportKind = Schema.Literals(["products", "collections", "orders", "customers"])
export type ExportKind = typeof ExportKind.Type

/** Exports the data of a store in the format that an import reads. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Passes all resources of a kind to `write`, several JSON lines at a time, in ascending order of id and from one
     * consistent snapshot. Each has the fields of the API and an `externalId`: the stored one, else its id. References
     * also use external ids. Automated collections are exported without products. Returns the number of resources.
     */
    readonly exportAll: <E, R>(
      store: StoreId,
      kind: ExportKind,
      write: (lines: string) => Effect.Effect<void, E, R>
    ) => Effect.Effect<number, UnknownStore | E, R>
  }
>()("domain/Exports") {}
