import { millisOf } from "../../../domain/Uuid.ts"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import { CatalogKind } from "../../../domain/journal/Kinds.ts"
import type { UndoResult } from "../../../domain/journal/Undo.ts"
import type { DryRunResult } from "../../../domain/DryRun.ts"
import { activityTexts } from "./activityTexts.ts"

/** Dry run of an undo. */
export interface UndoPreview extends DryRunResult {
  readonly resource: UndoResult
}

/** Ids of the new entries. Empty if nothing was left to undo. */
export const entryIdsOf = ({ undone }: UndoResult) => undone.flatMap(({ id }) => (id === null ? [] : [id]))

/** Least time span that contains entries. Undefined if there are none. */
export const spanOf = (ids: ReadonlyArray<string>): { readonly since: string; readonly until: string } | undefined => {
  const times = ids.map(millisOf)
  if (times.length === 0) return undefined
  return {
    since: new Date(Math.min(...times)).toISOString(),
    until: new Date(Math.max(...times) + 1).toISOString()
  }
}

/** Names in a list before the rest is counted. */
const MAX_NAMES = 5

/** Distinct names, such as "Cup, Jug and 3 more". */
export const joinNames = (names: ReadonlyArray<string>) => {
  const distinct = [...new Set(names)]
  const rest = distinct.length - MAX_NAMES
  return rest > 0
    ? activityTexts.preview.namesAndMore(distinct.slice(0, MAX_NAMES).join(", "), rest)
    : distinct.join(", ")
}

/** Side effects of a write, as sentences. */
export const consequences = ({ collections, events }: DryRunResult): ReadonlyArray<string> => {
  const appNames = joinNames(events.flatMap(({ recipients }) => recipients.map(({ appName }) => appName)))
  return [
    appNames === "" ? activityTexts.preview.noNotifications : activityTexts.preview.notifications(appNames),
    ...(collections === null || collections.entersCount === 0
      ? []
      : [
          activityTexts.preview.added(collections.entersCount, joinNames(collections.enters.map(({ title }) => title)))
        ]),
    ...(collections === null || collections.leavesCount === 0
      ? []
      : [
          activityTexts.preview.removed(
            collections.leavesCount,
            joinNames(collections.leaves.map(({ title }) => title))
          )
        ])
  ]
}

/** Effect of the undo of one entry. */
export const undoSentence = ({ resource, versions }: ActivityEntry, name: string): string => {
  if (versions.before === null) return activityTexts.preview.deletes(name)
  if (versions.after === null) return activityTexts.preview.restoresDeleted(name)
  return activityTexts.preview.restoresFields(resource, name)
}

/** Effect of the undo of many entries. */
export const undoSpanSentence = ({ undone }: UndoResult): string => {
  const counts = CatalogKind.literals.map((kind) => {
    const ids = new Set(undone.filter(({ resource }) => resource === kind).map(({ resourceId }) => resourceId))
    return [kind, ids.size] as const
  })
  return undone.length === 0
    ? activityTexts.preview.nothing
    : activityTexts.preview.undoes(
        undone.length,
        counts.filter(([, resources]) => resources > 0)
      )
}
