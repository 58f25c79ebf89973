import { Array } from "effect"
import type { EntryId } from "./Activity.ts"

/** What is looked at of a change to see whether others overlap with it. */
export interface Told {
  readonly id: EntryId
  readonly resourceId: string
  /** The members that it changed, null where the whole resource was made or deleted. */
  readonly members: ReadonlyArray<string> | null
  readonly undoes: EntryId | null
}

/** What is to be undone, and what stands in its way. */
export interface Overlaps {
  /** Of the entries that were given those that still count: the others were undone already. */
  readonly left: ReadonlySet<EntryId>
  /** Entries that were undone already, each with the one that did it. */
  readonly undoneBy: ReadonlyMap<EntryId, EntryId>
  readonly overlaps: ReadonlyArray<{ readonly id: EntryId; readonly changedBy: ReadonlyArray<EntryId> }>
}

/** The entries that another one takes back which was not taken back itself, each with that one. */
const takenBackBy = (history: ReadonlyArray<Told>): ReadonlyMap<EntryId, EntryId> => {
  const by = new Map<EntryId, EntryId>()
  for (const { id, undoes } of history.toReversed()) if (undoes !== null && !by.has(id)) by.set(undoes, id)
  return by
}

const overlap = (a: Told, b: Told) =>
  a.members === null || b.members === null || a.members.some((member) => b.members?.includes(member))

/**
 * What of these entries can be undone, given the history of their resources from the first of them on, each resource's in
 * the order of its versions.
 */
export const overlapsOf = (wanted: ReadonlySet<EntryId>, history: ReadonlyArray<Told>): Overlaps => {
  const takenBack = takenBackBy(history)
  /** Whether an entry takes back another, and was not taken back itself. */
  const isUndoOf = ({ id, undoes }: Told, others: ReadonlySet<EntryId>) =>
    undoes !== null && takenBack.get(undoes) === id && others.has(undoes)

  // An undo that is to be undone together with what it undid leaves both as they are.
  const left = new Set(
    history
      .filter((told) => wanted.has(told.id) && !takenBack.has(told.id) && !isUndoOf(told, wanted))
      .map(({ id }) => id)
  )

  /** Those that came later and stay: a change and the one that undid it are nothing together, unless that is undone now. */
  const standingOf = (later: ReadonlyArray<Told>) => {
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
