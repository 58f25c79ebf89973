import { Context, type Effect, Schema } from "effect"
import type { UnknownStore } from "../access/Stores.ts"
import type { StoreId } from "../Store.ts"

/** What can be exported of a store. */
export const ExportKind = Schema.Literals(["products", "collections", "orders", "customers"])
export type ExportKind = typeof ExportKind.Type

/** Takes a store's data out of the service, in the form in which an import brings it back. */
export class Exports extends Context.Service<
  Exports,
  {
    /**
     * Hands all of a kind that a store holds to `write`, some lines of JSON at a time, in order of id and as they are at
     * one moment. Each has the fields of the API, and an `externalId`: the one that is kept, else the id. References are
     * external ids likewise; an automated collection comes without its products. Answers how many there were.
     */
    readonly exportAll: <E, R>(
      store: StoreId,
      kind: ExportKind,
      write: (lines: string) => Effect.Effect<void, E, R>
    ) => Effect.Effect<number, UnknownStore | E, R>
  }
>()("domain/Exports") {}
