import { type NamedEntry, verbOf } from "../activity/entries.ts"
import { groupRuns } from "../activity/groups.ts"

/** Consecutive changes of one kind by one actor, newest first. */
export interface ActivityGroup {
  readonly newest: NamedEntry
  readonly oldest: NamedEntry
  /** Number of different resources. */
  readonly resources: number
  readonly entries: number
}

/** Milliseconds between two changes that separate two jobs. */
const MAX_PAUSE = 10 * 60_000

/**
 * Names the job of a change. Changes with the same verb belong together if one actor made them on one surface for one
 * reason.
 */
const jobOf = (entry: NamedEntry) =>
  JSON.stringify([entry.actor, entry.surface, entry.reason, entry.approvedBy, entry.resource, verbOf(entry)])

const millisOf = ({ at }: NamedEntry) => Date.parse(at)

/**
 * Groups entries, which are sorted newest first, by actor and job. A group ends at a pause of {@link MAX_PAUSE}. Jobs that
 * run at the same time do not split each other's groups.
 */
export const groupActivity = (entries: ReadonlyArray<NamedEntry>): ReadonlyArray<ActivityGroup> =>
  groupRuns(entries, jobOf, (later, earlier) => millisOf(later) - millisOf(earlier) <= MAX_PAUSE).map((group) => ({
    newest: group[0],
    oldest: group.at(-1) ?? group[0],
    resources: new Set(group.map(({ resourceId }) => resourceId)).size,
    entries: group.length
  }))
