import { HashMap, HashSet, Option, Result, Schema } from "effect"
import { ProductDocument } from "../../domain/catalog/Documents.ts"
import { withStock } from "../../domain/catalog/Inventory.ts"
import { patchProduct, type Product, type ProductId, ProductNotFound } from "../../domain/catalog/Product.ts"
import {
  decideChange,
  type Decided,
  decideCreation,
  decideDeletion,
  decideRestoration,
  findProduct,
  type ProductChange,
  type StoreState
} from "../../domain/catalog/ProductState.ts"
import { type Edit, editProduct } from "../../domain/changeSets/Edit.ts"
import { ChangedByOthers } from "../../domain/changeSets/Refusals.ts"
import type { NumberedOperation, Performed } from "../../domain/changeSets/StoredOperation.ts"
import { isOverlap, type Members } from "../../domain/journal/Conflicts.ts"
import { satisfies, type VersionCondition } from "../../domain/Version.ts"
import { slugRequestOf } from "../catalog/Slugify.ts"
import { membersOfSide } from "../journal/JournalRow.ts"
import { revertChange } from "../journal/UndoProducts.ts"
import {
  findTarget,
  isRestorable,
  type Loaded,
  type NumberedProductOperation,
  ownerOf,
  type ProductOperation,
  type Session
} from "./ProductTargets.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/* Pure decisions about operations of products. */

/** An error that refuses an operation. */
export interface Refusal {
  readonly message: string
  readonly issues?: ReadonlyArray<string> | undefined
}

/** A new product has the external id of another one. */
export class ExternalIdTaken extends Schema.TaggedError<ExternalIdTaken>()("ExternalIdTaken", {
  externalId: Schema.String
}) {
  override get message() {
    return `Another product has the external id ${JSON.stringify(this.externalId)}; change that product, or use another id`
  }
}

export const refused = (
  { index }: NumberedOperation,
  { issues, message }: Refusal,
  at: Pick<Performed, "resource" | "id" | "seen">
): Performed => ({
  index,
  outcome: "refused",
  ...at,
  version: null,
  entryId: null,
  error: message,
  issues: issues === undefined || issues.length === 0 ? null : issues
})

/** Facts that decide about the operations of a batch, beside the earlier ones. */
export interface BatchContext extends Pick<StoredChangeSet, "onConflict"> {
  readonly loaded: Loaded
  readonly edit: Edit | null
  /** Members that others changed since the preview, by the places of operations. */
  readonly conflicts: ReadonlyMap<number, Members>
}

/** Decision about one operation; undefined if it is not a simple change of a product. */
export type OperationDecision =
  { readonly session: Session; readonly performed: Performed; readonly change: ProductChange | null } | undefined

/** Computes the next state of a product. */
const nextOf = (
  operation: Exclude<ProductOperation, { readonly op: "product.create" | "product.delete" | "entry.undo" }>,
  product: Product,
  variantId: string | undefined,
  at: Date,
  edit: Edit | null
): Result.Result<Product, Refusal> => {
  switch (operation.op) {
    case "product.update":
      return Result.succeed(patchProduct(product, operation.patch, at))
    case "inventory.change": {
      const change = variantId === undefined ? operation.change : { ...operation.change, variantId }
      return withStock(product, change, at)
    }
    case "product.edit":
      return editProduct(product, edit ?? {}, at)
  }
}

const hasOtherSkus = ({ after, before }: ProductChange) => {
  if (before === null || after === null) return before === null
  const [old, next] = [before.product, after.product]
  return (
    old.sku !== next.sku ||
    old.variants.length !== next.variants.length ||
    next.variants.some(({ sku }, at) => sku !== old.variants[at]?.sku)
  )
}

/** Returns the result of a change, or of an operation that changes nothing. */
const performedBy = (
  { index }: NumberedOperation,
  { change, product: { product } }: Decided<StoreState>
): Performed => ({
  index,
  outcome:
    change === null ? "unchanged" : change.before === null ? "created" : change.after === null ? "deleted" : "updated",
  resource: "product",
  id: product.id,
  seen: change === null ? product.version : (change.before?.product.version ?? null),
  version: product.version,
  entryId: change?.eventId ?? null,
  error: null,
  issues: null
})

/** Decides about one operation. */
export const decideOperation = (
  session: Session,
  numbered: NumberedProductOperation,
  { conflicts, edit, loaded, onConflict }: BatchContext
): OperationDecision => {
  const { named, state, undoneTo } = session
  const { operation } = numbered

  const refuse = (error: Refusal, id: string | null, seen: number | null): OperationDecision => ({
    session,
    performed: refused(numbered, error, { resource: "product", id, seen }),
    change: null
  })
  const end = (
    result: Result.Result<Decided<StoreState>, Refusal>,
    id: ProductId | null,
    seen: number | null,
    next: Partial<Session> = {}
  ): OperationDecision => {
    if (Result.isFailure(result)) return refuse(result.failure, id, seen)
    const { change, product } = result.success
    const after: Session = {
      ...session,
      undoneTo: change === null ? undoneTo : HashMap.remove(undoneTo, change.id),
      withSkus: change !== null && hasOtherSkus(change) ? HashSet.add(session.withSkus, change.id) : session.withSkus,
      ...next,
      state: result.success.state
    }
    const given = change?.externalId
    return {
      session: given === undefined ? after : { ...after, named: HashMap.set(named, given, product.product.id) },
      performed: performedBy(numbered, result.success),
      change
    }
  }

  if (operation.op === "product.create") {
    const { externalId, product } = operation
    const owner = externalId === undefined ? undefined : ownerOf(externalId, named, loaded)
    if (externalId !== undefined && owner !== undefined && findProduct(state, owner) !== undefined) {
      return refuse(new ExternalIdTaken({ externalId }), null, null)
    }
    return end(decideCreation(state, product, slugRequestOf(product), { externalId }), null, null)
  }
  const target = findTarget(operation, session, loaded)
  if (Result.isFailure(target)) return refuse(target.failure, null, null)
  const { id, variantId } = target.success
  const before = findProduct(state, id)
  if (operation.op === "entry.undo") {
    const entry = loaded.entries.get(operation.entryId)
    if (entry === undefined) return undefined
    const undoes = { undoes: entry.id }
    if (before === undefined) {
      if (!isRestorable(entry) || loaded.restored.has(id)) return undefined
      const deleted = ProductDocument.decode(membersOfSide(entry.before))
      const { externalId } = entry
      return end(decideRestoration(state, deleted, undoes), id, null, {
        undoneTo: HashMap.set(undoneTo, id, entry.version),
        named: externalId === null ? named : HashMap.set(named, externalId, id)
      })
    }
    const { version } = before.product
    const isLast = entry.version === Option.getOrElse(HashMap.get(undoneTo, id), () => version)
    if (entry.before === null && isLast) return end(decideDeletion(state, id, "any", undoes), id, version)
    const isSimple = entry.before !== null && entry.after !== null && entry.omitted.length === 0
    if (!isSimple || (!isLast && onConflict === "skip")) return undefined
    const nextOfUndo = (product: Product, at: Date) => Result.succeed(revertChange(product, entry, at))
    return end(
      decideChange(state, id, "any", nextOfUndo, undoes),
      id,
      version,
      isLast ? { undoneTo: HashMap.set(undoneTo, id, entry.version - 1) } : {}
    )
  }
  if (before === undefined) return refuse(new ProductNotFound({ id }), id, null)
  const { version } = before.product
  const expected = "expectedVersion" in operation ? operation.expectedVersion : undefined
  const condition: VersionCondition = expected === undefined ? "any" : [expected]
  const members = conflicts.get(numbered.index)
  if (members !== undefined && isOverlap(members) && satisfies(version, condition)) {
    return refuse(new ChangedByOthers({ members, current: version }), id, version)
  }
  if (operation.op === "product.delete" || (operation.op === "product.edit" && edit?.delete === true)) {
    return end(decideDeletion(state, id, condition), id, version)
  }
  const reason = operation.op === "inventory.change" ? (operation.change.reason ?? null) : null
  const nextOfOperation = (product: Product, at: Date) => nextOf(operation, product, variantId, at, edit)
  return end(decideChange(state, id, condition, nextOfOperation, { reason }), id, version)
}
