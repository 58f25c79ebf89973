import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { EntryId, EntryNotFound } from "../../domain/journal/Activity.ts"
import { CATALOG_KINDS, CatalogKind } from "../../domain/journal/Kinds.ts"
import type { ChangeFootprint } from "../../domain/journal/Conflicts.ts"
import { findUndoConflicts } from "../../domain/journal/UndoConflicts.ts"
import {
  ChangedSince,
  EntryNotOwn,
  MAX_SINCE,
  MAX_UNDONE,
  OldValuesUnavailable,
  NotUndoable,
  TooMuchToUndo,
  Undo,
  type UndoRefused,
  type UndoResult,
  type UndoRight
} from "../../domain/journal/Undo.ts"
import type { StoreId } from "../../domain/Store.ts"
import { leastUuidOf } from "../../domain/Uuid.ts"
import type { Change, Write } from "../../domain/Write.ts"
import { StoreAllocation } from "../catalog/StoreAllocation.ts"
import { partOf } from "./Journal.ts"
import { plainArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader, rowsReader } from "../sql/Rows.ts"
import { UnitOfWork } from "../sql/UnitOfWork.ts"
import { collectChanges, recordAll } from "../Writes.ts"
import { CATALOG_TABLES } from "./CatalogTables.ts"
import { AdministeredRow, ENTRY_COLUMNS, JournalRow, membersOfSide } from "./JournalRow.ts"
import { laterChanges } from "./LaterChanges.ts"
import { collectionUndo } from "./UndoCollections.ts"
import { productUndo } from "./UndoProducts.ts"

const toEntryId = Schema.decodeSync(EntryId)

/** Returns the entry with the lowest version of each resource. */
const firstOfEachResource = (entries: ReadonlyArray<JournalRow>): ReadonlyArray<JournalRow> => {
  const firsts = new Map<string, JournalRow>()
  for (const entry of entries) {
    const known = firsts.get(entry.resourceId)
    if (known === undefined || entry.version < known.version) firsts.set(entry.resourceId, entry)
  }
  return [...firsts.values()]
}

/** Returns the members whose old values the undo needs and the journal does not contain. */
const missingMembersOf = ({ after, before, memberships, omitted, resource }: JournalRow): ReadonlyArray<string> => {
  if (before === null) return []
  const isUnplaced = CATALOG_KINDS[resource].isCollected && after === null && memberships === null
  return isUnplaced ? [...omitted, "the collections that held it"] : omitted
}

const readEntry = rowReader(Schema.Union([JournalRow, AdministeredRow]))
const readEntries = rowsReader(JournalRow)
const leastIdAt = (time: string) => leastUuidOf(new Date(time))

export const UndoLive = Layer.effect(
  Undo,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { lockStore } = yield* StoreAllocation
    const unitOfWork = yield* UnitOfWork
    const { list: listLater } = yield* laterChanges
    const undoChange: Record<CatalogKind, (store: StoreId, entry: JournalRow) => Write<void, UndoRefused>> = {
      product: yield* productUndo,
      collection: yield* collectionUndo
    }

    /** Locks everything that the undo changes, in the lock order of ARCHITECTURE.md. */
    const lockAll = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const resources = [
        ...entries,
        ...entries
          .flatMap(({ memberships }) => memberships ?? [])
          .map(({ collectionId }) => ({ resource: "collection" as const, resourceId: collectionId }))
      ]
      const lockKinds = Effect.fnUntraced(function* (when: "before the store" | "after the store") {
        for (const kind of CatalogKind.literals) {
          const { table, undoLock } = CATALOG_TABLES[kind]
          const ids = resources.filter(({ resource }) => resource === kind).map(({ resourceId }) => resourceId)
          if (undoLock.when !== when || ids.length === 0) continue
          yield* sql`
            select from ${sql(table)} where store_id = ${storeId} and id = any(${plainArray(ids)}::uuid[])
            order by id for ${sql.literal(undoLock.strength)}
          `
        }
      })
      yield* lockKinds("before the store")
      yield* lockStore(storeId)
      yield* lockKinds("after the store")
    })

    /** Lists the changes of the resources since the first of the entries, by version. */
    const findHistory = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const withVariants = new Set(
        entries.filter(({ after }) => "variants" in membersOfSide(after)).map(({ resourceId }) => resourceId)
      )
      const history = yield* listLater(
        storeId,
        firstOfEachResource(entries).map(({ id, resourceId, version }) => ({
          id: resourceId,
          version,
          since: id,
          isByVariant: withVariants.has(resourceId)
        }))
      )
      if (history.length > MAX_SINCE) return yield* new TooMuchToUndo()
      const sorted: ReadonlyArray<ChangeFootprint> = history.toSorted(
        (a, b) => a.version - b.version || Number(a.isEnd) - Number(b.isEnd)
      )
      return sorted
    })

    /** Checks that entries can be undone and locks their resources, so that this stays true until the transaction ends. */
    const prepare = Effect.fnUntraced(function* (
      storeId: StoreId,
      entries: ReadonlyArray<JournalRow>,
      right: UndoRight
    ) {
      for (const { actorId, resource } of entries) {
        if (!right.kinds.includes(resource))
          yield* new AgentScopeMissing({ scope: CATALOG_KINDS[resource].scopes.write })
        if (right.ownId !== null && right.ownId !== actorId) yield* new EntryNotOwn()
      }
      yield* lockAll(storeId, entries)
      const history = yield* findHistory(storeId, entries)
      const conflicts = findUndoConflicts(new Set(entries.map(({ id }) => id)), history)
      return conflicts.overlaps.length > 0 ? yield* Effect.fail(ChangedSince.of(conflicts.overlaps)) : conflicts
    })

    /** Undoes entries, newest first, all or nothing. */
    const undoAll = Effect.fnUntraced(function* (storeId: StoreId, entries: ReadonlyArray<JournalRow>) {
      const changes: Array<Change> = []
      const undone: Array<UndoResult["undone"][number]> = []
      for (const entry of entries) {
        const { id, resource, resourceId } = entry
        const members = missingMembersOf(entry)
        if (members.length > 0) yield* new OldValuesUnavailable({ id, members })
        const { changes: recorded } = yield* collectChanges(undoChange[resource](storeId, entry))
        // The next undo may read the same resource.
        yield* unitOfWork.flush
        changes.push(...recorded.map((change) => ({ ...change, undoes: id })))
        const [change] = recorded
        undone.push({
          undoes: id,
          id: change === undefined ? null : toEntryId(change.id),
          resource,
          resourceId,
          version: change === undefined || change.after === null ? null : change.version
        })
      }
      yield* recordAll(changes)
      return { undone }
    })

    return Undo.of({
      undo: Effect.fn("Undo.undo")(function* (storeId, id, right) {
        const found = yield* readEntry(sql`
          select ${ENTRY_COLUMNS} from journal where store_id = ${storeId} and id = ${id} and part = ${partOf(id)}
        `)
        const entry = Option.getOrUndefined(found)
        if (entry === undefined) return yield* new EntryNotFound({ id })
        if (!("version" in entry)) {
          return yield* Effect.fail(right.ownId === null ? new NotUndoable({ id, ...entry }) : new EntryNotOwn())
        }
        const { undoneBy } = yield* prepare(storeId, [entry], right)
        const undo = undoneBy.get(id)
        if (undo !== undefined) return yield* Effect.fail(ChangedSince.of([{ id, changedBy: [undo] }]))
        return yield* undoAll(storeId, [entry])
      }, orDefect),

      undoSpan: Effect.fn("Undo.undoSpan")(function* (storeId, { actorId, since, until }, right) {
        // Changes of products and collections, newest first.
        const entries = yield* readEntries(sql`
          select ${ENTRY_COLUMNS} from journal
          where store_id = ${storeId} and actor_id = ${actorId} and id >= ${leastIdAt(since)} and id < ${leastIdAt(until)}
            and version is not null
          order by id desc limit ${MAX_UNDONE + 1}
        `)
        if (entries.length > MAX_UNDONE) return yield* new TooMuchToUndo()
        const { left } = yield* prepare(storeId, entries, right)
        return yield* undoAll(
          storeId,
          entries.filter(({ id }) => left.has(id))
        )
      }, orDefect)
    })
  })
)
