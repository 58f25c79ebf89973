import { Array } from "effect"
import type { EntryId } from "./Activity.ts"

/** Part of a change that decides whether it overlaps with others. */
export interface ChangeFootprint {
  readonly id: EntryId
  readonly resourceId: string
  /** Changed members; null if the resource was created or deleted. */
  readonly members: ReadonlyArray<string> | null
  readonly undoes: EntryId | null
}

/** Changes to undo and their conflicts. */
export interface UndoConflicts {
  /** Given entries that are still in effect. The others are undone already. */
  readonly left: ReadonlySet<EntryId>
  /** Undone entries, each with the entry that undid it. */
  readonly undoneBy: ReadonlyMap<EntryId, EntryId>
  readonly overlaps: ReadonlyArray<{ readonly id: EntryId; readonly changedBy: ReadonlyArray<EntryId> }>
}

/** Maps each undone entry to the entry that undid it, unless that one was undone itself. */
const takenBackBy = (history: ReadonlyArray<ChangeFootprint>): ReadonlyMap<EntryId, EntryId> => {
  const by = new Map<EntryId, EntryId>()
  for (const { id, undoes } of history.toReversed()) if (undoes !== null && !by.has(id)) by.set(undoes, id)
  return by
}

const overlap = (a: ChangeFootprint, b: ChangeFootprint) =>
  a.members === null || b.members === null || a.members.some((member) => b.members?.includes(member))

/**
 * Determines which entries can be undone. `history` contains all entries of their resources from the first one on, in
 * version order for each resource.
 */
export const findUndoConflicts = (
  wanted: ReadonlySet<EntryId>,
  history: ReadonlyArray<ChangeFootprint>
): UndoConflicts => {
  const takenBack = takenBackBy(history)
  /** Tests whether an entry undoes one of `others` and is in effect. */
  const isUndoOf = ({ id, undoes }: ChangeFootprint, others: ReadonlySet<EntryId>) =>
    undoes !== null && takenBack.get(undoes) === id && others.has(undoes)

  // Undoing an undo together with its original leaves both unchanged.
  const left = new Set(
    history
      .filter((told) => wanted.has(told.id) && !takenBack.has(told.id) && !isUndoOf(told, wanted))
      .map(({ id }) => id)
  )

  /**
   * Returns later changes that stay in effect. A change and its undo cancel each other, unless the undo is undone now.
   */
  const standingOf = (later: ReadonlyArray<ChangeFootprint>) => {
    const ids = new Set(later.map(({ id }) => id))
    return later.filter((told) => {
      const undo = takenBack.get(told.id)
      return !left.has(told.id) && (undo === undefined || left.has(undo)) && !isUndoOf(told, ids)
    })
  }

  const overlaps = Object.values(Array.groupBy(history, ({ resourceId }) => resourceId)).flatMap((own) =>
    own.flatMap((told, place) => {
      if (!left.has(told.id)) return []
      const changedBy = standingOf(own.slice(place + 1)).filter((other) => overlap(told, other))
      return changedBy.length === 0 ? [] : [{ id: told.id, changedBy: changedBy.map(({ id }) => id) }]
    })
  )
  return { left, undoneBy: takenBack, overlaps }
}
