import { millisOf } from "../../../domain/Uuid.ts"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import type { UndoResult } from "../../../domain/journal/Undo.ts"
import type { DryRunResult } from "../../../domain/DryRun.ts"
import { count, number } from "../../data/format.ts"

/** Dry run of an undo. */
export interface UndoPreview extends DryRunResult {
  readonly resource: UndoResult
}

/** Ids of the new entries. Empty if nothing was left to undo. */
const entryIdsOf = ({ undone }: UndoResult) => undone.flatMap(({ id }) => (id === null ? [] : [id]))

/** Time span that contains the entries of an undo, to redo all of them. Undefined if there are none. */
export const spanOf = (undone: UndoResult): { readonly since: string; readonly until: string } | undefined => {
  const times = entryIdsOf(undone).map(millisOf)
  if (times.length === 0) return undefined
  return {
    since: new Date(Math.min(...times)).toISOString(),
    until: new Date(Math.max(...times) + 1).toISOString()
  }
}

/** Names in a list before the rest is counted. */
const MAX_NAMES = 5

const joinNames = (names: ReadonlyArray<string>) => {
  const distinct = [...new Set(names)]
  const rest = distinct.length - MAX_NAMES
  return rest > 0 ? `${distinct.slice(0, MAX_NAMES).join(", ")} and ${number(rest)} more` : distinct.join(", ")
}

/** Side effects of a write, as sentences. */
export const consequences = ({ collections, events }: DryRunResult): ReadonlyArray<string> => {
  const appNames = joinNames(events.flatMap(({ recipients }) => recipients.map(({ appName }) => appName)))
  return [
    appNames === "" ? "No app is notified." : `Notified apps: ${appNames}.`,
    ...(collections === null || collections.entersCount === 0
      ? []
      : [
          `Added to ${count(collections.entersCount, "collection")}: ${joinNames(collections.enters.map(({ title }) => title))}.`
        ]),
    ...(collections === null || collections.leavesCount === 0
      ? []
      : [
          `Removed from ${count(collections.leavesCount, "collection")}: ${joinNames(collections.leaves.map(({ title }) => title))}.`
        ])
  ]
}

/** Effect of the undo of one entry. */
export const undoSentence = ({ resource, versions }: ActivityEntry, name: string): string => {
  if (versions.before === null) return `Deletes ${name}, which this change created.`
  if (versions.after === null) return `Restores ${name} with its ID and its places in manual collections.`
  return `Restores these fields of the ${resource} ${name}. Other changes are kept.`
}

/** Effect of the undo of many entries. */
export const undoSpanSentence = ({ undone }: UndoResult): string => {
  const resources = (kind: "product" | "collection") =>
    new Set(undone.filter(({ resource }) => resource === kind).map(({ resourceId }) => resourceId)).size
  const counts = [
    [resources("product"), "product"],
    [resources("collection"), "collection"]
  ] as const
  const resourceCounts = counts.flatMap(([total, kind]) => (total === 0 ? [] : [count(total, kind)])).join(" and ")
  return undone.length === 0
    ? "No changes to undo. Nothing was changed in this period, or all of it is already undone."
    : `Undoes ${count(undone.length, "change")} to ${resourceCounts}. If one change cannot be undone, none is.`
}
