import { type NamedEntry, verbOf } from "../activity/entries.ts"

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
export const groupActivity = (entries: ReadonlyArray<NamedEntry>): ReadonlyArray<ActivityGroup> => {
  const groups: Array<[NamedEntry, ...Array<NamedEntry>]> = []
  const running = new Map<string, [NamedEntry, ...Array<NamedEntry>]>()
  for (const entry of entries) {
    const job = jobOf(entry)
    const group = running.get(job)
    const last = group?.at(-1)
    if (group !== undefined && last !== undefined && millisOf(last) - millisOf(entry) <= MAX_PAUSE) {
      group.push(entry)
    } else {
      const started: [NamedEntry] = [entry]
      running.set(job, started)
      groups.push(started)
    }
  }
  return groups.map((group) => ({
    newest: group[0],
    oldest: group.at(-1) ?? group[0],
    resources: new Set(group.map(({ resourceId }) => resourceId)).size,
    entries: group.length
  }))
}
