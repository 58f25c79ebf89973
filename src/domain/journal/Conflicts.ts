import type { EntryId } from "./Activity.ts"

/*
 * A change conflicts with later changes of what it writes or computes from, not with the version of the resource.
 */

/**
 * Members of a resource that a change writes or computes from; null for the whole resource. Writes merge variants by id, so
 * these are named one by one: {@link VARIANT_IDS} for their list, {@link pathOfVariant} for one of them or its member.
 */
export type Members = ReadonlyArray<string> | null

/** Path of the list of variants: their ids and order. */
export const VARIANT_IDS = "variants/ids"

/** Path of a variant, or of one of its members. */
export const pathOfVariant = (id: string, member?: string) =>
  member === undefined ? `variants/${id}` : `variants/${id}/${member}`

/** True if members contain a part of a variant, so that changes must be compared variant by variant. */
export const isByVariant = (members: Members) => members?.some((path) => path.startsWith("variants/")) ?? false

/** Part of a change that decides whether it overlaps with others. */
export interface ChangeFootprint {
  readonly id: EntryId
  readonly resourceId: string
  /** Changed members; null if the resource was created or deleted. */
  readonly members: Members
  readonly undoes: EntryId | null
}

const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`)

/** Returns the members of the first change that the other one touches too; null for the whole resource. */
export const overlapOf = (a: Members, b: Members): Members =>
  a?.length === 0 || b?.length === 0
    ? []
    : a === null || b === null
      ? null
      : a.filter((one) => b.some((other) => isWithin(one, other) || isWithin(other, one)))

/** True if an overlap or a conflict is not empty. */
export const isOverlap = (members: Members) => members === null || members.length > 0

/** Maps each undone entry to the entry that undid it, unless that one was undone itself. */
export const findUndone = (history: ReadonlyArray<ChangeFootprint>): ReadonlyMap<EntryId, EntryId> => {
  const by = new Map<EntryId, EntryId>()
  for (const { id, undoes } of history.toReversed()) if (undoes !== null && !by.has(id)) by.set(undoes, id)
  return by
}

/** Returns the changes that stay in effect. A change and its undo cancel each other. */
const standingChanges = (changes: ReadonlyArray<ChangeFootprint>): ReadonlyArray<ChangeFootprint> => {
  const undoneBy = findUndone(changes)
  const ids = new Set(changes.map(({ id }) => id))
  return changes.filter(
    ({ id, undoes }) => !undoneBy.has(id) && !(undoes !== null && ids.has(undoes) && undoneBy.get(undoes) === id)
  )
}

/** Returns the members that changes have changed and not restored; null for the whole resource. */
export const changedBy = (changes: ReadonlyArray<ChangeFootprint>): Members => {
  const members = standingChanges(changes).map((change) => change.members)
  return members.includes(null) ? null : [...new Set(members.flatMap((some) => some ?? []))]
}
