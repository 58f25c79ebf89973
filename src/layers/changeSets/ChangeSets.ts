import { Effect, Layer, Option, Stream } from "effect"
import { maskChangeSet, maskItems, maskJson } from "../../domain/access/Masks.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import {
  ChangeSetId,
  type ChangeSetState,
  MAX_ATOMIC_OPERATIONS,
  MAX_OPERATIONS,
  MAX_UNFINISHED
} from "../../domain/changeSets/ChangeSet.ts"
import {
  ChangeSetNotFound,
  ChangeSetRefused,
  ChangeSetStateMismatch,
  ChangeSetUndone,
  NothingToUndo,
  OperationScopeMissing,
  TooManyChangeSets,
  TooManyOperations
} from "../../domain/changeSets/Refusals.ts"
import { membersEditsOf } from "../../domain/changeSets/Edit.ts"
import { ChangeSets, scopeGroupsOf } from "../../domain/changeSets/ChangeSets.ts"
import type { DataKind } from "../../domain/imports/DataKind.ts"
import { CATALOG_KINDS } from "../../domain/journal/Kinds.ts"
import type { StoreId } from "../../domain/Store.ts"
import { uuidOfMicros } from "../../domain/Uuid.ts"
import type { WriteContext } from "../../domain/Write.ts"
import { Budget } from "../access/Budget.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { Jobs } from "../jobs/Jobs.ts"
import { orDefect } from "../sql/Errors.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { missingScopesOf } from "./AuthorAccess.ts"
import { ChangeSetRepository } from "./ChangeSetRepository.ts"
import { FollowedChangeSets } from "./FollowedChangeSets.ts"
import type { NewStored, StoredChangeSet } from "./StoredChangeSet.ts"
import { OperationRepository } from "./OperationRepository.ts"

/** Scopes of a caller who undoes an import. The journal does not undo orders and customers. */
const IMPORT_SCOPES: Record<DataKind, ReadonlyArray<Scope>> = {
  products: [CATALOG_KINDS.product.scopes.write],
  collections: [CATALOG_KINDS.collection.scopes.write],
  orders: [],
  customers: []
}

const requireScopes = (set: StoredChangeSet, scopes: ReadonlyArray<string>) => {
  const missing = missingScopesOf(set, scopes)
  return missing === undefined ? Effect.void : Effect.fail(new OperationScopeMissing({ scopes: missing }))
}

export const ChangeSetsLive = Layer.effect(
  ChangeSets,
  Effect.gen(function* () {
    const repository = yield* ChangeSetRepository
    const rows = yield* OperationRepository
    const followed = yield* FollowedChangeSets
    const jobs = yield* Jobs
    const { spend } = yield* Budget
    const { lockStore } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork

    const newId = Effect.sync(() =>
      ChangeSetId.make(uuidOfMicros(Date.now() * 1000), {
        disableChecks: true
      })
    )

    const json = Effect.fnUntraced(function* (store: StoreId, id: ChangeSetId) {
      const found = yield* repository.findJson(store, id, null)
      return Option.getOrThrow(found)
    })

    /** Stores a set and starts its job. The store is locked, so the number of unfinished sets is exact. */
    const insert = Effect.fnUntraced(function* (
      context: WriteContext,
      set: NewStored,
      state: "previewing" | "applying" = "previewing"
    ) {
      const { storeId } = context
      yield* lockStore(storeId)
      const { count } = yield* repository.countUnfinished(storeId)
      if (count >= MAX_UNFINISHED) return yield* new TooManyChangeSets()
      yield* repository.insert(context, set, state)
      const applyKind = set.import?.imageOrigin === undefined ? "changeSet.apply" : "import.copyImages"
      const kind = state === "previewing" ? "changeSet.preview" : applyKind
      yield* unitOfWork.add(jobs.insertStatement(storeId, set.id, kind, null))
      yield* unitOfWork.flush
      yield* jobs.notifyAfterCommit
      return yield* json(storeId, set.id)
    }, orDefect)

    /** Locks a set whose state allows a request. */
    const lockIn = Effect.fnUntraced(function* (
      store: StoreId,
      id: ChangeSetId,
      ownId: string | null,
      allowed: ReadonlyArray<ChangeSetState>
    ) {
      const found = yield* repository.lock(store, id, ownId)
      if (Option.isNone(found)) return yield* new ChangeSetNotFound({ id })
      const { state } = found.value
      return allowed.includes(state) ? found.value : yield* new ChangeSetStateMismatch({ state, allowed })
    })

    return ChangeSets.of({
      begin: Effect.fn("ChangeSets.begin")(function* (store) {
        const id = yield* newId
        yield* rows.insertUpload(store, id)
        return id
      }),

      stage: Effect.fn("ChangeSets.stage")(rows.insertOperations),

      restage: Effect.fn("ChangeSets.restage")(rows.changeOperations),

      discard: Effect.fn("ChangeSets.discard")(rows.discardUpload),

      create: Effect.fn("ChangeSets.create")(function* (context, id, { applyAt = null, mode, note = null }, content) {
        const isListed = "operations" in content
        const limit = mode === "atomic" ? MAX_ATOMIC_OPERATIONS : MAX_OPERATIONS
        if (isListed && content.operations > limit) return yield* new TooManyOperations({ limit })
        yield* rows.deleteUpload(context.storeId, id)
        // The ids are stored as operations, not in the set, which every reading of it would return.
        const ids = isListed ? [] : [...new Set(content.where.ids?.map((one) => one.toLowerCase()))]
        const members = isListed ? undefined : membersEditsOf(content.change)
        const edits =
          members === undefined
            ? ids.map((id) => JSON.stringify({ op: "product.edit", id }))
            : members.map(({ id, member }) => JSON.stringify({ op: "collection.members", id, [member]: ids }))
        if (ids.length > 0) yield* rows.insertOperations(context.storeId, id, 0, edits)
        return yield* insert(context, {
          id,
          mode,
          note,
          applyAt,
          import: null,
          selection: isListed || ids.length > 0 ? null : content.where,
          change: isListed ? null : content.change,
          undoes: null,
          scopes: [...new Set(scopeGroupsOf(content).map((group) => group.join("|")))],
          total: isListed ? content.operations : ids.length > 0 ? edits.length : -1
        })
      }),

      import: Effect.fn("ChangeSets.import")(function* (context, id, settings, rowCount) {
        yield* rows.deleteUpload(context.storeId, id)
        return yield* insert(
          context,
          {
            id,
            mode: "each",
            note: context.mode === "dryRun" ? "Dry run" : null,
            applyAt: null,
            import: settings,
            selection: null,
            change: null,
            undoes: null,
            scopes: IMPORT_SCOPES[settings.kind],
            total: rowCount
          },
          context.mode === "dryRun" ? "previewing" : "applying"
        )
      }),

      list: Effect.fn("ChangeSets.list")((store, page, right) =>
        Effect.map(repository.listPage(store, page, right.ownId), ({ items, nextCursor }) => ({
          items: maskItems(maskChangeSet, right, items),
          nextCursor
        }))
      ),

      get: Effect.fn("ChangeSets.get")(function* (store, id, right) {
        const found = yield* repository.findJson(store, id, right.ownId)
        if (Option.isNone(found)) return yield* new ChangeSetNotFound({ id })
        return maskJson(maskChangeSet, right, found.value)
      }),

      follow: (store, id, right) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const found = yield* repository.findJson(store, id, right.ownId)
            if (Option.isNone(found)) return yield* new ChangeSetNotFound({ id })
            return Stream.map(followed.follow(store, id, found.value), (set) => maskJson(maskChangeSet, right, set))
          })
        ),

      results: Effect.fn("ChangeSets.results")(function* (store, id, { cursor, limit }, outcome, { ownId, scopes }) {
        const found = yield* repository.find(store, id, ownId)
        if (Option.isNone(found)) return yield* new ChangeSetNotFound({ id })
        yield* requireScopes(found.value, scopes)
        return yield* rows.listResults(store, id, cursor === undefined ? -1 : Number(cursor), limit, outcome)
      }),

      apply: Effect.fn("ChangeSets.apply")(function* (storeId, id, onConflict, { ownId, scopes }, by) {
        const set = yield* lockIn(storeId, id, ownId, ["ready"])
        yield* requireScopes(set, scopes)
        // An undo that overwrites also performs what the preview refused because of later changes.
        const withRefused = onConflict === "overwrite" && set.undoes !== null
        const { refused } = set
        if (set.mode === "atomic" && refused > 0 && !withRefused) return yield* new ChangeSetRefused({ refused })
        const rows = set.changed + (withRefused ? refused : 0)
        if (by?._tag === "Agent" && rows > 0) yield* spend(storeId, by.id, "write", rows)
        const approvedBy = by?._tag === "Merchant" && by.id !== set.actorId ? by.id : null
        const next = set.applyAt === null ? "applying" : "scheduled"
        if (!(yield* repository.start(storeId, id, "ready", next, onConflict, approvedBy))) {
          return yield* new ChangeSetStateMismatch({ state: set.state, allowed: ["ready"] })
        }
        yield* unitOfWork.add(jobs.insertStatement(storeId, id, "changeSet.apply", set.applyAt))
        yield* unitOfWork.flush
        yield* jobs.notifyAfterCommit
        return yield* json(storeId, id)
      }, orDefect),

      cancel: Effect.fn("ChangeSets.cancel")(function* (store, id, { ownId }) {
        const set = yield* lockIn(store, id, ownId, ["previewing", "ready", "scheduled", "applying"])
        // A running job stops after its step. A set without one ends now.
        const waiting = yield* jobs.deleteWaiting(store, id)
        if (waiting > 0 || set.state === "ready" || set.state === "scheduled") {
          yield* repository.finish(store, id, "canceled", null)
        } else {
          yield* unitOfWork.add(jobs.cancelStatement(store, id))
          yield* unitOfWork.flush
          yield* jobs.notifyAfterCommit
        }
        return yield* json(store, id)
      }, orDefect),

      undo: Effect.fn("ChangeSets.undo")(function* (context, id, { ownId }) {
        const { storeId } = context
        const set = yield* lockIn(storeId, id, ownId, ["applied", "canceled", "failed"])
        const by = yield* repository.findUndo(storeId, id)
        if (Option.isSome(by)) return yield* new ChangeSetUndone({ by: by.value })
        const undo = yield* newId
        const total = yield* rows.insertUndo(storeId, undo, id)
        const { mode, scopes } = set
        if (total === 0) return yield* new NothingToUndo()
        const values = { applyAt: null, import: null, selection: null, change: null, note: null, mode, scopes, total }
        return yield* insert(context, { ...values, id: undo, undoes: id })
      }, orDefect),

      purge: Effect.zipWith(repository.cancelStale(), repository.deleteExpired(), (a, b) => a + b)
    })
  })
)
