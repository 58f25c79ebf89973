import { Array, Context, Effect, HashMap, HashSet, Layer } from "effect"
import type { ProductChange, StoredProduct, StoreState } from "../../domain/catalog/ProductState.ts"
import type { Performed } from "../../domain/changeSets/StoredOperation.ts"
import type { Members } from "../../domain/journal/Conflicts.ts"
import type { StoreId } from "../../domain/Store.ts"
import { ProductWrites } from "../catalog/ProductWrites.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import type { FindConflicts } from "../journal/LaterChanges.ts"
import { productReferences } from "../journal/UndoProducts.ts"
import { FileRows } from "../media/FileRows.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { loadedProducts } from "./LoadedProducts.ts"
import { type BatchContext, decideOperation } from "./ProductDecisions.ts"
import {
  findOutdated,
  type Loaded,
  type NumberedProductOperation,
  type Session,
  slugsOfOperation
} from "./ProductTargets.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

const NO_CONFLICTS: ReadonlyMap<number, Members> = new Map()

const NOTHING_UNDONE: Session["undoneTo"] = HashMap.empty()

/** Decisions about the first operations of a batch, up to one that is not a simple change of a product. */
interface Batch {
  readonly session: Session
  readonly performed: ReadonlyArray<Performed>
  readonly changes: ReadonlyArray<ProductChange>
}

const decideAll = (
  start: Session,
  operations: ReadonlyArray<NumberedProductOperation>,
  context: BatchContext
): Batch => {
  const performed: globalThis.Array<Performed> = []
  const changes: globalThis.Array<ProductChange> = []
  let session = start
  for (const numbered of operations) {
    const decision = decideOperation(session, numbered, context)
    if (decision === undefined) break
    session = decision.session
    performed.push(decision.performed)
    if (decision.change !== null) changes.push(decision.change)
  }
  return { session, performed, changes }
}

const sessionOf = (state: StoreState, loaded: Loaded, undoneTo: Session["undoneTo"]): Session => ({
  state: { ...state, products: HashMap.fromIterable<string, StoredProduct | null>(loaded.products) },
  named: HashMap.empty(),
  withSkus: HashSet.empty(),
  undoneTo
})

/** State that earlier batches of a preview leave for the next one. */
export interface Previewed {
  readonly session: Session
  /** Products that they change; null if they delete one. */
  readonly changed: HashMap.HashMap<string, StoredProduct | null>
  /** Characters of JSON of these products. */
  readonly size: number
}

/** Continues a preview with what its next operations name. */
const resume = ({ changed, session }: Previewed, { slugs: { free } }: StoreState, { products }: Loaded): Session => ({
  ...session,
  state: {
    ...session.state,
    products: HashMap.setMany(
      changed,
      [...products].filter(([id]) => !HashMap.has(changed, id))
    ),
    slugs: { ...session.state.slugs, free }
  }
})

/** Creations, changes and deletions of products by change sets. Many operations are decided, then written together. */
export class ProductOperations extends Context.Service<ProductOperations>()("layers/changeSets/ProductOperations", {
  make: Effect.gen(function* () {
    const { allocateProducts, viewProducts } = yield* StoreAllocation
    const writes = yield* ProductWrites
    const unitOfWork = yield* UnitOfWork
    const load = yield* loadedProducts
    const restoreReferences = yield* productReferences
    const { restore: restoreFiles } = yield* FileRows

    /** Finds the changes of others since the preview with which operations conflict, by their places in the set. */
    const listConflicts = Effect.fnUntraced(function* (
      operations: ReadonlyArray<NumberedProductOperation>,
      session: Session,
      loaded: Loaded,
      { change }: Pick<StoredChangeSet, "change">,
      findConflicts: FindConflicts
    ) {
      const outdated = operations.flatMap((numbered) => {
        const found = findOutdated(numbered, session, loaded, change)
        return found === undefined ? [] : [{ ...found, index: numbered.index }]
      })
      const conflicts = outdated.length === 0 ? [] : yield* findConflicts(outdated)
      return new Map(Array.zip(outdated, conflicts).map(([{ index }, members]) => [index, members] as const))
    })

    /** Restores what referred to products of which a deletion is undone, and pictures of those with an undone change. */
    const restore = Effect.fnUntraced(function* (
      store: StoreId,
      changes: ReadonlyArray<ProductChange>,
      { entries }: Loaded
    ) {
      for (const { after, before, id, undoes } of changes) {
        const entry = undoes === undefined ? undefined : entries.get(undoes)
        if (entry === undefined || after === null) continue
        yield* unitOfWork.flush
        if (before === null) yield* restoreReferences(store, id, entry)
        else yield* restoreFiles(store, after.product, before.product)
      }
    })

    return {
      /**
       * Performs the first operations, up to one that is not a simple change. The store is locked. `undoneTo` is that of the
       * operations before them.
       */
      perform: Effect.fn("ProductOperations.perform")(function* (
        store: StoreId,
        operations: ReadonlyArray<NumberedProductOperation>,
        { change: edit, onConflict }: Pick<StoredChangeSet, "change" | "onConflict">,
        findConflicts: FindConflicts,
        undoneTo: Session["undoneTo"] = NOTHING_UNDONE
      ) {
        const loaded = yield* load(store, operations, "write")
        const slugs = operations.flatMap((numbered) => slugsOfOperation(numbered, edit, loaded))
        const state = yield* allocateProducts(store, { instants: operations.length, slugs })
        const start = sessionOf(state, loaded, undoneTo)
        const conflicts = yield* listConflicts(operations, start, loaded, { change: edit }, findConflicts)
        const { changes, performed, session } = decideAll(start, operations, { conflicts, edit, loaded, onConflict })
        yield* writes.store(store, changes)
        yield* restore(store, changes, loaded)
        return { performed, undoneTo: session.undoneTo }
      }),

      /** Decides about the first operations like `perform`, without locks and writes. `earlier` is what those before leave. */
      preview: Effect.fn("ProductOperations.preview")(function* (
        store: StoreId,
        operations: ReadonlyArray<NumberedProductOperation>,
        { change: edit, onConflict }: Pick<StoredChangeSet, "change" | "onConflict">,
        earlier: Previewed | undefined
      ) {
        const loaded = yield* load(store, operations, "preview")
        const slugs = operations.flatMap((numbered) => slugsOfOperation(numbered, edit, loaded))
        const taken = earlier === undefined ? [] : [...earlier.session.state.slugs.taken]
        const state = yield* viewProducts(store, slugs, taken)
        const start = earlier === undefined ? sessionOf(state, loaded, NOTHING_UNDONE) : resume(earlier, state, loaded)
        const batch = decideAll(start, operations, { conflicts: NO_CONFLICTS, edit, loaded, onConflict })
        const changed = batch.changes.map(({ after, id }) => [id, after] as const)
        const previewed: Previewed = {
          session: batch.session,
          changed: HashMap.setMany(earlier?.changed ?? HashMap.empty(), changed),
          size: changed.reduce((size, [, after]) => size + (after?.json.length ?? 0), earlier?.size ?? 0)
        }
        return { ...batch, previewed }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
