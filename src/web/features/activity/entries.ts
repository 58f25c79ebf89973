import { Effect, Schema } from "effect"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import { millisOf } from "../../../domain/Uuid.ts"
import type { Actor } from "../../../domain/Actor.ts"
import { CatalogKind } from "../../../domain/journal/Kinds.ts"
import type { JsonObject } from "../../../domain/json/Json.ts"
import type { Client, EntryId, StoreId } from "../../../rpc/Client.ts"
import { cutText } from "../../../domain/Text.ts"
import type { Dates } from "../../shared/data/format.ts"
import { differencesOf, type ValueFormat } from "../../shared/data/differences.ts"
import type { ListPage } from "../../shared/data/queries.ts"
import { activityTexts } from "./activityTexts.ts"

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

/** Joins the groups of one change set, which entries of other work separate. */
const joinSets = <Entry extends ActivityEntry>(
  groups: ReadonlyArray<EntryGroup<Entry>>
): ReadonlyArray<EntryGroup<Entry>> => {
  const joined = new Map<string, EntryGroup<Entry>>()
  for (const group of groups) {
    const key = group[0].changeSetId ?? group[0].id
    const later = joined.get(key)
    joined.set(key, later === undefined ? group : [...later, ...group])
  }
  return [...joined.values()]
}

/**
 * Groups entries, newest first, by actor and work. A group contains every listed entry of its actor between its oldest
 * and its newest one, so that the undo of this span undoes exactly the group. A change set is one group.
 */
export const groupEntries = <Entry extends ActivityEntry>(
  entries: ReadonlyArray<Entry>
): ReadonlyArray<EntryGroup<Entry>> => joinSets(groupRuns(entries, ({ actor }) => actor.id, isSameWork))

/** Entry with the names of its actor, resource and approver. */
export interface NamedEntry extends ActivityEntry {
  readonly actorName: string
  readonly resourceName: string
  /** False after the resource was deleted. */
  readonly exists: boolean
  readonly approverName: string | null
  /** Changes of the entry's change set. Null without one, and after it was deleted. */
  readonly setChanges: number | null
}

/** True if the entry stands for a change set of more changes than the entry itself. */
export const isOfLargeSet = ({ changeSetId, setChanges }: NamedEntry): boolean =>
  changeSetId !== null && setChanges !== 1

export type ListEntriesRequest = Parameters<Client["activity"]["list"]>[0]

/** Fallback name of an actor. The command line and imports belong to the service operator. */
const formerName = ({ actor, surface }: Pick<ActivityEntry, "actor" | "surface">) =>
  surface === "cli" || surface === "import" ? activityTexts.serviceOperator : activityTexts.formerActors[actor.type]

const titleOf = (side: ActivityEntry["before"]) => side?.["name"] ?? side?.["title"] ?? side?.["appName"]

/** Name of a resource in the newest entry that contains one. */
const nameInEntries = (entries: ReadonlyArray<ActivityEntry>, { resource, resourceId }: ActivityEntry) => {
  if (resource === "settings") return activityTexts.unnamedResources.settings
  for (const entry of entries) {
    const title = entry.resourceId === resourceId ? (titleOf(entry.after) ?? titleOf(entry.before)) : undefined
    if (typeof title === "string") return title
  }
  return activityTexts.unnamedResources[resource]
}

/** Name of the actor of an entry. */
export const actorNameOf = (entry: Pick<ActivityEntry, "actor" | "surface">, names: ReadonlyMap<string, string>) =>
  names.get(entry.actor.id) ?? formerName(entry)

/** Adds the known names to entries. */
export const namedEntries = (
  entries: ReadonlyArray<ActivityEntry>,
  names: ReadonlyMap<string, string>,
  setChanges: ReadonlyMap<string, number> = new Map()
): ReadonlyArray<NamedEntry> =>
  entries.map((entry) => {
    const { approvedBy, changeSetId, resourceId } = entry
    return {
      ...entry,
      actorName: actorNameOf(entry, names),
      resourceName: names.get(resourceId) ?? nameInEntries(entries, entry),
      exists: names.has(resourceId),
      approverName: approvedBy === null ? null : (names.get(approvedBy) ?? activityTexts.formerActors.merchant),
      setChanges: changeSetId === null ? null : (setChanges.get(changeSetId) ?? null)
    }
  })

const idsIn = (entries: ReadonlyArray<ActivityEntry>) => [
  ...new Set(
    entries.flatMap(({ actor, approvedBy, changeSetId, resourceId }) =>
      [actor.id, resourceId, approvedBy, changeSetId].filter((id) => id !== null)
    )
  )
]

/** Loads the names of entries, with one request. */
export const nameEntries = (client: Client, storeId: StoreId, entries: ReadonlyArray<ActivityEntry>) =>
  Effect.map(client.activity.names({ storeId, ids: idsIn(entries) }), (names) =>
    namedEntries(
      entries,
      new Map(names.map(({ id, name }) => [id, name])),
      new Map(names.flatMap(({ changes = null, id }) => (changes === null ? [] : [[id, changes] as const])))
    )
  )

/** Page of entries with names. */
export const listEntries = (client: Client, request: ListEntriesRequest) =>
  Effect.flatMap(client.activity.list(request), ({ items, nextCursor }) =>
    Effect.map(nameEntries(client, request.storeId, items), (namedItems): EntriesPage => ({
      items: namedItems,
      nextCursor
    }))
  )

export type EntriesPage = ListPage<NamedEntry, EntryId>

/** Limit of loaded entries. Above it the list restarts, so that an open page does not grow without bound. */
const MAX_ENTRIES = 200

/** Prepends new entries to the loaded pages. Restarts the list if there is a gap. */
export const withNewest = (pages: ReadonlyArray<EntriesPage>, newest: EntriesPage): ReadonlyArray<EntriesPage> => {
  const [first, ...others] = pages
  if (first === undefined) return [newest]
  const known = new Set(first.items.map(({ id }) => id))
  const fresh = newest.items.filter(({ id }) => !known.has(id))
  const hasGap = fresh.length === newest.items.length && newest.nextCursor !== null
  if (hasGap || fresh.length + first.items.length > MAX_ENTRIES) return [newest]
  return [{ ...first, items: [...fresh, ...first.items] }, ...others]
}

/** Ids of entries that are undone, unless the undo was itself undone. */
export const undoneEntryIds = (entries: ReadonlyArray<ActivityEntry>): ReadonlySet<string> => {
  const undone = new Set<string>()
  for (const { id, undoes } of entries) if (undoes !== null && !undone.has(id)) undone.add(undoes)
  return undone
}

/** Sorts groups by the day of their newest entry, in the time zone of the store. */
export const byDay = <Group extends EntryGroup<ActivityEntry>>(
  groups: ReadonlyArray<Group>,
  { day }: Dates
): ReadonlyArray<readonly [day: string, groups: ReadonlyArray<Group>]> => [
  ...Map.groupBy(groups, ([{ at }]) => day(at))
]

const isCatalogKind = Schema.is(CatalogKind)

/** True for catalog changes. Administrative changes cannot be undone. */
export const isUndoable = ({ resource }: ActivityEntry): boolean => isCatalogKind(resource)

/** Verb of a change to an installed app. */
const installationVerb = (before: JsonObject, after: JsonObject): string | undefined => {
  if (after["deliveries"] !== undefined) {
    return after["deliveries"] === "paused"
      ? activityTexts.verbs.deliveriesPaused
      : activityTexts.verbs.deliveriesResumed
  }
  if (after["state"] === "suspended") return activityTexts.verbs.appSuspended
  return before["state"] === "suspended" ? activityTexts.verbs.appResumed : undefined
}

/** Verb of a change to a member other than its role. */
const memberVerb = ({ resetLink }: JsonObject): string | undefined => {
  if (resetLink === undefined) return undefined
  return resetLink === "used" ? activityTexts.verbs.resetLinkUsed : activityTexts.verbs.resetLinkCreated
}

/** Verb of an entry, such as "updated", before the name of its resource or before the count of `resources`. */
export const verbOf = ({ after, before, resource, undoes }: ActivityEntry, resources = 1): string => {
  if (undoes !== null) return activityTexts.verbs.undone
  const { updated, deleted, created } = activityTexts.verbs[resource === "agent" && resources > 1 ? "agents" : resource]
  if (before === null) return created
  if (after === null) return deleted
  if (resource === "member") return memberVerb(after) ?? updated
  return (resource === "installation" ? installationVerb(before, after) : undefined) ?? updated
}

/** Fields in the summary of an update, and characters of each value there. */
const MAX_SUMMARY_FIELDS = 2
const MAX_SUMMARY_VALUE = 40

/** Start of a value, in one line. */
export const shortText = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ")
  return line.length <= MAX_SUMMARY_VALUE ? line : `${cutText(line, MAX_SUMMARY_VALUE)}…`
}

/** Changed fields of an entry. Prices of products are in the currency of the store. */
export const changesOf = ({ after, before, resource }: ActivityEntry, { currency, dates }: ValueFormat) =>
  differencesOf(before, after, resource === "product" ? { currency, dates } : { dates })

/** Main changes of an update and its reason, in one line. Empty if there is nothing to add to its sentence. */
export const summaryOf = (entry: ActivityEntry, format: ValueFormat): string => {
  const { after, before, reason } = entry
  const differences = before === null || after === null ? [] : changesOf(entry, format)
  const rest = differences.length - MAX_SUMMARY_FIELDS
  const { empty, fieldChange } = activityTexts.timeline
  return [
    ...differences
      .slice(0, MAX_SUMMARY_FIELDS)
      .map((one) => fieldChange(one.name, shortText(one.before) || empty, shortText(one.after) || empty)),
    ...(rest > 0 ? [activityTexts.timeline.moreFields(rest)] : []),
    ...(reason === null ? [] : [activityTexts.timeline.reason(reason)])
  ].join(" · ")
}

/** Labels of the surfaces through which changes are made. */
export const surfaceLabels: Readonly<Record<ActivityEntry["surface"], string>> = activityTexts.surfaces

/** Badge of an actor whose name does not reveal its kind. */
export const actorLabels: Readonly<Record<Lowercase<Actor["_tag"]>, string | undefined>> = {
  ...activityTexts.actorTypes,
  merchant: undefined
}
