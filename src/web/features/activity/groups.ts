import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import { millisOf } from "../../../domain/Uuid.ts"

/** Pause in milliseconds after which the next change of an actor starts a new group. */
const PAUSE_MILLIS = 30 * 60_000

/** Entries of one change set, or of one session of work of an actor, newest first. */
export type EntryGroup<Entry extends ActivityEntry> = readonly [newest: Entry, ...older: ReadonlyArray<Entry>]

const isSameWork = (later: ActivityEntry, earlier: ActivityEntry) =>
  later.changeSetId === earlier.changeSetId &&
  later.surface === earlier.surface &&
  (later.changeSetId !== null || millisOf(later.id) - millisOf(earlier.id) < PAUSE_MILLIS)

/**
 * Groups entries, newest first, by a key. An entry joins the latest group of its key if it `continues` the oldest entry
 * there, and otherwise starts another one.
 */
export const groupRuns = <Entry extends ActivityEntry>(
  entries: ReadonlyArray<Entry>,
  keyOf: (entry: Entry) => string,
  continues: (later: Entry, earlier: Entry) => boolean
): ReadonlyArray<EntryGroup<Entry>> => {
  const groups: Array<[Entry, ...Array<Entry>]> = []
  const latest = new Map<string, [Entry, ...Array<Entry>]>()
  for (const entry of entries) {
    const group = latest.get(keyOf(entry))
    const later = group?.at(-1)
    if (group !== undefined && later !== undefined && continues(later, entry)) group.push(entry)
    else {
      const started: [Entry, ...Array<Entry>] = [entry]
      latest.set(keyOf(entry), started)
      groups.push(started)
    }
  }
  return groups
}

/**
 * Groups entries, newest first, by actor and work. A group contains every listed entry of its actor between its oldest
 * and its newest one, so that the undo of this span undoes exactly the group.
 */
export const groupEntries = <Entry extends ActivityEntry>(
  entries: ReadonlyArray<Entry>
): ReadonlyArray<EntryGroup<Entry>> => groupRuns(entries, ({ actor }) => actor.id, isSameWork)
