import { Array } from "effect"
import type { EntryId } from "./Activity.ts"
import { type ChangeFootprint, findUndone, isOverlap, overlapOf } from "./Conflicts.ts"

/** Changes to undo and their conflicts. */
export interface UndoConflicts {
  /** Given entries that are still in effect. The others are undone already. */
  readonly left: ReadonlySet<EntryId>
  /** Undone entries, each with the entry that undid it. */
  readonly undoneBy: ReadonlyMap<EntryId, EntryId>
  readonly overlaps: ReadonlyArray<{ readonly id: EntryId; readonly changedBy: ReadonlyArray<EntryId> }>
}

/**
 * Determines which entries can be undone. `history` contains all entries of their resources from the first one on, in
 * version order for each resource.
 */
export const findUndoConflicts = (
  requested: ReadonlySet<EntryId>,
  history: ReadonlyArray<ChangeFootprint>
): UndoConflicts => {
  const undoneBy = findUndone(history)
  /** Tests whether an entry undoes one of `ids` and is in effect. */
  const isUndoOf = ({ id, undoes }: ChangeFootprint, ids: ReadonlySet<EntryId>) =>
    undoes !== null && undoneBy.get(undoes) === id && ids.has(undoes)

  // Undoing an undo together with its original leaves both unchanged.
  const left = new Set(
    history
      .filter((change) => requested.has(change.id) && !undoneBy.has(change.id) && !isUndoOf(change, requested))
      .map(({ id }) => id)
  )

  /**
   * Returns later changes that stay in effect. A change and its undo cancel each other, unless the undo is undone now.
   */
  const standingOf = (later: ReadonlyArray<ChangeFootprint>) => {
    const ids = new Set(later.map(({ id }) => id))
    return later.filter((change) => {
      const undo = undoneBy.get(change.id)
      return !left.has(change.id) && (undo === undefined || left.has(undo)) && !isUndoOf(change, ids)
    })
  }

  const overlaps = Object.values(Array.groupBy(history, ({ resourceId }) => resourceId)).flatMap((changes) =>
    changes.flatMap((change, index) => {
      if (!left.has(change.id)) return []
      const changedBy = standingOf(changes.slice(index + 1)).filter(({ members }) =>
        isOverlap(overlapOf(change.members, members))
      )
      return changedBy.length === 0 ? [] : [{ id: change.id, changedBy: changedBy.map(({ id }) => id) }]
    })
  )
  return { left, undoneBy, overlaps }
}
