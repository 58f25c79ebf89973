import { Schema } from "effect"
import { ProductId } from "../catalog/Product.ts"
import { EntryId } from "../journal/Activity.ts"
import { storedDocument } from "../json/StoredDocument.ts"
import { CatalogKind } from "../journal/Kinds.ts"
import { Uuid } from "../Uuid.ts"
import type { ChangedKind, Outcome } from "./ChangeSet.ts"
import { Operation } from "./Operation.ts"

/** Change of a product that the rules of a set selected. The set holds the change. */
const EditOperation = Schema.Struct({ op: Schema.Literal("product.edit"), id: Schema.toType(ProductId) })

/** Undo of an operation of an earlier set. */
const UndoOperation = Schema.Struct({
  op: Schema.Literal("entry.undo"),
  entryId: Schema.toType(EntryId),
  resource: CatalogKind,
  id: Schema.toType(Uuid)
})

/** Operation as it is stored: one that a client sent, or one that the service made from a selection or an earlier set. */
export const StoredOperation = Schema.Union([Operation, EditOperation, UndoOperation])
export type StoredOperation = typeof StoredOperation.Type

/** Stored form of an operation. */
export const OperationDocument = storedDocument(StoredOperation)

/** Resource that the preview of an operation was computed from. */
export interface Base {
  /** Null if the preview did not store it. */
  readonly id: string | null
  /** Version before the transaction of the preview; 0 if an earlier operation in it created the resource. */
  readonly version: number
}

/** Operation with its place in the set. Without a `base`, changes of others since the preview do not matter. */
export interface NumberedOperation {
  readonly index: number
  readonly operation: StoredOperation
  readonly base: Base | null
}

/** Result of performing an operation. */
export interface Performed {
  readonly index: number
  readonly outcome: Outcome
  readonly resource: ChangedKind
  readonly id: string | null
  /** Versions before and after. */
  readonly seen: number | null
  readonly version: number | null
  /** Version before the transaction; 0 if an earlier operation in it created the resource. */
  readonly base?: number | null
  readonly entryId: string | null
  readonly error: string | null
  readonly issues: ReadonlyArray<string> | null
  /** Row of an import. */
  readonly row?: { readonly line: number; readonly externalId: string | null }
}
