import { Array, Context, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Catalog } from "../../domain/catalog/Catalog.ts"
import { CollectionId, CollectionNotFound } from "../../domain/catalog/Collection.ts"
import { ProductId } from "../../domain/catalog/Product.ts"
import { recordOf } from "../../domain/catalog/ProductState.ts"
import { ChangedByOthers } from "../../domain/changeSets/Refusals.ts"
import type { NumberedOperation, Performed, StoredOperation } from "../../domain/changeSets/StoredOperation.ts"
import { touchedByOperation } from "../../domain/changeSets/Touched.ts"
import { isOverlap } from "../../domain/journal/Conflicts.ts"
import { CatalogKind } from "../../domain/journal/Kinds.ts"
import { Undo } from "../../domain/journal/Undo.ts"
import type { StoreId, StoreNotFound } from "../../domain/Store.ts"
import { satisfies, type VersionCondition, VersionMismatch } from "../../domain/Version.ts"
import type { Change, Write } from "../../domain/Write.ts"
import { CollectionRepository } from "../catalog/CollectionRepository.ts"
import { decodeMembers } from "../catalog/Collections.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { type FindConflicts, laterChanges } from "../journal/LaterChanges.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { observeChanges, recordAll } from "../Writes.ts"
import { versionsOf } from "./JobSteps.ts"
import { type Refusal, refused } from "./ProductDecisions.ts"
import { type Previewed, ProductOperations } from "./ProductOperations.ts"
import { isBatched, type NumberedProductOperation, type Session } from "./ProductTargets.ts"
import type { StoredChangeSet } from "./StoredChangeSet.ts"

/** Maximum number of operations that are decided together, and the rest after them (docs/performance.md, Import). */
const BATCH = 200
const REST = "1 millis"

/** Maximum characters of JSON of the products that a preview keeps in memory. */
const PREVIEWED_SIZE = 32 * 1024 * 1024

/** An operation and the resource that it names. */
const targetOf = (operation: StoredOperation): Pick<Performed, "resource" | "id"> => {
  switch (operation.op) {
    case "product.create":
      return { resource: "product", id: null }
    case "product.update":
    case "product.delete":
    case "product.edit":
    case "inventory.change":
      return { resource: "product", id: operation.id ?? null }
    case "collection.create":
      return { resource: "collection", id: null }
    case "collection.update":
    case "collection.delete":
    case "collection.members":
      return { resource: "collection", id: operation.id }
    case "entry.undo":
      return { resource: operation.resource, id: operation.id }
  }
}

/** Adds to results the versions of their resources before the first of them. `bases` are those of earlier results. */
const withBases = (results: ReadonlyArray<Performed>, bases = new Map<string, number>()): ReadonlyArray<Performed> =>
  results.map((result) => {
    if (result.id === null) return result
    const base = bases.get(result.id) ?? (result.outcome === "created" ? 0 : result.seen)
    if (base !== null) bases.set(result.id, base)
    return { ...result, base }
  })

/** State that the steps of a preview leave for the next one. */
export interface PreviewedSteps {
  readonly previewed: Previewed | undefined
  /** Versions of resources before the set. */
  readonly bases: ReadonlyMap<string, number>
}

/** Right of the service to undo all entries of a set: the caller's own right was checked before. */
const ALL_ENTRIES = { kinds: CatalogKind.literals, ownId: null }

/** Performs the operations of change sets by the functions of single writes. */
export class Operations extends Context.Service<Operations>()("layers/changeSets/Operations", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const catalog = yield* Catalog
    const { undo } = yield* Undo
    const { lockStore } = yield* StoreAllocation
    const collections = yield* CollectionRepository
    const products = yield* ProductOperations
    const unitOfWork = yield* UnitOfWork
    const { conflictsSince } = yield* laterChanges

    /** Locks the collections that operations name before the store, in the lock order of ARCHITECTURE.md. */
    const lockCollections = Effect.fnUntraced(function* (store: StoreId, operations: ReadonlyArray<NumberedOperation>) {
      const ids = operations.flatMap(({ operation }) => {
        const { id, resource } = targetOf(operation)
        return resource === "collection" && id !== null ? [id] : []
      })
      if (ids.length === 0) return
      yield* sql`
        select from collections where store_id = ${store} and id = any((select ${plainArray([...new Set(ids)])}::uuid[])::uuid[])
        order by id for no key update
      `
    }, orDefect)

    /** Adds products to a manual collection and removes others. */
    const changeMembers = Effect.fnUntraced(function* (
      store: StoreId,
      id: CollectionId,
      {
        add = [],
        remove = []
      }: { readonly add?: ReadonlyArray<ProductId>; readonly remove?: ReadonlyArray<ProductId> },
      condition: VersionCondition
    ) {
      const row = yield* collections.lock(store, id)
      if (row._tag === "None") return yield* new CollectionNotFound({ id })
      const { head } = row.value
      if (!satisfies(head.version, condition)) return yield* new VersionMismatch({ current: head.version })
      const removed = new Set<string>(remove.map((one) => one.toLowerCase()))
      const kept =
        head.type === "manual"
          ? decodeMembers(yield* collections.findMembers(store, id)).filter((one) => !removed.has(one))
          : []
      const added = add.map((one) => ProductId.make(one.toLowerCase(), { disableChecks: true }))
      return yield* catalog.updateCollection(store, id, { productIds: [...kept, ...added] }, condition)
    })

    const write = (
      store: StoreId,
      operation: StoredOperation,
      condition: VersionCondition
    ): Write<{ readonly version: number | null }, Refusal> => {
      switch (operation.op) {
        case "collection.create":
          return catalog.createCollection(store, operation.collection)
        case "collection.update":
          return catalog.updateCollection(store, operation.id, operation.patch, condition)
        case "collection.delete":
          return Effect.as(catalog.deleteCollection(store, operation.id, condition), { version: null })
        case "collection.members":
          return changeMembers(store, operation.id, operation, condition)
        case "entry.undo":
          return Effect.map(undo(store, operation.entryId, ALL_ENTRIES), ({ undone: [one] }) => ({
            version: one?.version ?? null
          }))
        case "product.create":
        case "product.update":
        case "product.delete":
        case "product.edit":
        case "inventory.change":
          return Effect.die(new Error(`${operation.op} is written in batches`))
      }
    }

    /** Finds the changes of others since the preview with which an operation of a collection conflicts. */
    const findConflict = Effect.fnUntraced(function* (
      store: StoreId,
      { base, operation }: NumberedOperation,
      findConflicts: FindConflicts
    ) {
      const { id, resource } = targetOf(operation)
      const touched = touchedByOperation(operation, null, {})
      if (base === null || resource !== "collection" || id === null || touched?.length === 0) return undefined
      const row = yield* collections.lock(store, CollectionId.make(id, { disableChecks: true }))
      if (row._tag === "None") return undefined
      const current = row.value.head.version
      if (current === base.version) return undefined
      const [members] = yield* findConflicts([{ id, version: base.version, current, touched }])
      return members === undefined || !isOverlap(members) ? undefined : new ChangedByOthers({ members, current })
    }, orDefect)

    /** Performs one operation in a savepoint, so that its refusal undoes nothing else. */
    const performOne = Effect.fnUntraced(function* (
      store: StoreId,
      numbered: NumberedOperation,
      findConflicts: FindConflicts
    ) {
      const { base, index, operation } = numbered
      const target = targetOf(operation)
      const conflict = yield* findConflict(store, numbered, findConflicts)
      const seen = base === null ? null : (conflict?.current ?? base.version)
      if (conflict !== undefined) return refused(numbered, conflict, { ...target, seen })
      const expected = "expectedVersion" in operation ? operation.expectedVersion : undefined
      const changes: Array<Change> = []
      const result = yield* Effect.result(
        unitOfWork.run(
          observeChanges(write(store, operation, expected === undefined ? "any" : [expected]), (some) =>
            changes.push(...some)
          )
        )
      )
      if (Result.isFailure(result)) return refused(numbered, result.failure, { ...target, seen })
      const [change] = changes
      const none = { error: null, issues: null }
      if (change === undefined) {
        const { version } = result.success
        return { index, outcome: "unchanged", ...target, seen: version, version, entryId: null, ...none } as const
      }
      const performed: Performed = {
        index,
        outcome: change.before === null ? "created" : change.after === null ? "deleted" : "updated",
        resource: target.resource,
        ...versionsOf(change),
        ...none
      }
      return performed
    })

    return {
      /**
       * Performs operations in their order. Each is performed or refused by itself. `pace` is called when the store is
       * locked. Its effect runs between groups of operations; the others are left when it returns true.
       */
      perform: <E>(
        store: StoreId,
        operations: ReadonlyArray<NumberedOperation>,
        set: Pick<StoredChangeSet, "id" | "change" | "onConflict">,
        pace: () => Effect.Effect<boolean, E>
      ): Write<ReadonlyArray<Performed>, StoreNotFound | E> =>
        Effect.gen(function* () {
          yield* lockCollections(store, operations)
          yield* lockStore(store)
          const isOver = pace()
          const performed: Array<Performed> = []
          const findConflicts = conflictsSince(store, set.id, set.id)
          let size = BATCH
          let undoneTo: Session["undoneTo"] | undefined
          while (performed.length < operations.length) {
            const rest = operations.slice(performed.length, performed.length + size)
            const batched = Array.takeWhile(rest, isBatched)
            const batch =
              batched.length === 0 ? undefined : yield* products.perform(store, batched, set, findConflicts, undoneTo)
            const count = batch?.performed.length ?? 0
            performed.push(...(batch?.performed ?? []))
            undoneTo = batch?.undoneTo ?? undoneTo
            // Operations that are performed one by one follow each other, so no others are loaded with the next one.
            size = count === 0 ? 1 : Math.min(BATCH, size * 2)
            const [next] = rest
            if (count === 0 && next !== undefined) {
              performed.push(yield* performOne(store, next, findConflicts))
              undoneTo = undefined
            }
            // The next operations may read what these ones change.
            yield* unitOfWork.flush
            if (performed.length < operations.length && (yield* isOver)) break
            if (batched.length > 0) yield* Effect.sleep(REST)
          }
          return withBases(performed)
        }).pipe(Effect.withSpan("Operations.perform")),

      /**
       * Computes the results of operations on products without locks, and records their changes. `earlier` is what the steps before leave.
       * Ends when `isOver` returns true, or when the changed products take too much memory; the next step then starts from what
       * is stored. Returns none if only `perform` can carry out one of the operations.
       */
      preview: <E>(
        store: StoreId,
        operations: ReadonlyArray<NumberedProductOperation>,
        set: Pick<StoredChangeSet, "change" | "onConflict">,
        isOver: Effect.Effect<boolean, E>,
        earlier: PreviewedSteps | undefined
      ): Write<
        Option.Option<{ readonly results: ReadonlyArray<Performed>; readonly steps: PreviewedSteps | undefined }>,
        StoreNotFound | E
      > =>
        Effect.gen(function* () {
          const performed: Array<Performed> = []
          let previewed = earlier?.previewed
          let isFull = false
          while (performed.length < operations.length) {
            const batched = operations.slice(performed.length, performed.length + BATCH)
            const batch = yield* products.preview(store, batched, set, previewed)
            yield* recordAll(batch.changes.map((change) => recordOf(change, undefined)))
            performed.push(...batch.performed)
            if (batch.performed.length < batched.length) return Option.none()
            ;({ previewed } = batch)
            isFull = previewed.size > PREVIEWED_SIZE
            if (isFull || (performed.length < operations.length && (yield* isOver))) break
            yield* Effect.sleep(REST)
          }
          const bases = new Map(earlier?.bases)
          const results = withBases(performed, bases)
          return Option.some({ results, steps: isFull ? undefined : { previewed, bases } })
        }).pipe(Effect.withSpan("Operations.preview"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
