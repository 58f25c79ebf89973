import { millisOf } from "../../../domain/Uuid.ts"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import type { Undone } from "../../../domain/journal/Undo.ts"
import type { Rehearsal } from "../../../domain/Rehearsal.ts"
import { count, number } from "../../data/Format.ts"

/** What an undo would come to, and what it would lead to. */
export interface Tried extends Rehearsal {
  readonly resource: Undone
}

/** The entries that tell of an undo: none where nothing was left to undo. */
const entriesOf = ({ undone }: Undone) => undone.flatMap(({ id }) => (id === null ? [] : [id]))

/** The span of time in which the entries of an undo lie, by which all of it can be undone in turn: nothing where there are none. */
export const spanOf = (undone: Undone): { readonly since: string; readonly until: string } | undefined => {
  const times = entriesOf(undone).map(millisOf)
  if (times.length === 0) return undefined
  return {
    since: new Date(Math.min(...times)).toISOString(),
    until: new Date(Math.max(...times) + 1).toISOString()
  }
}

/** Names of a list, of which as many are said as are read at a glance. */
const SAID = 5

const listed = (names: ReadonlyArray<string>) => {
  const said = [...new Set(names)]
  const rest = said.length - SAID
  return rest > 0 ? `${said.slice(0, SAID).join(", ")} and ${number(rest)} more` : said.join(", ")
}

/** What else a write would lead to, in sentences. */
export const consequences = ({ collections, events }: Rehearsal): ReadonlyArray<string> => {
  const told = listed(events.flatMap(({ recipients }) => recipients.map(({ appName }) => appName)))
  return [
    told === "" ? "No app is told of it." : `Apps that are told of it: ${told}.`,
    ...(collections === null || collections.entersCount === 0
      ? []
      : [
          `It enters ${count(collections.entersCount, "collection")}: ${listed(collections.enters.map(({ title }) => title))}.`
        ]),
    ...(collections === null || collections.leavesCount === 0
      ? []
      : [
          `It leaves ${count(collections.leavesCount, "collection")}: ${listed(collections.leaves.map(({ title }) => title))}.`
        ])
  ]
}

/** What an undo of one entry does, in a sentence. */
export const undoSentence = ({ resource, versions }: ActivityEntry, name: string): string => {
  if (versions.before === null) return `${name} is deleted: it was created by this change.`
  if (versions.after === null) return `${name} comes back, with its id and its places in collections made by hand.`
  return `These fields of the ${resource} ${name} are put back. What else was changed since stays.`
}

/** What an undo of many entries does, in a sentence. */
export const undoneSentence = ({ undone }: Undone): string => {
  const resources = (kind: "product" | "collection") =>
    new Set(undone.filter(({ resource }) => resource === kind).map(({ resourceId }) => resourceId)).size
  const touched = [
    [resources("product"), "product"],
    [resources("collection"), "collection"]
  ] as const
  const of = touched.flatMap(([many, kind]) => (many === 0 ? [] : [count(many, kind)])).join(" and ")
  return undone.length === 0
    ? "There is nothing to undo: it wrote nothing in this time, or all of that is undone already."
    : `${count(undone.length, "change")} of ${of} ${undone.length === 1 ? "is" : "are"} taken back: all or nothing.`
}
