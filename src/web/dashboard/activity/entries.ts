import { Effect, Schema } from "effect"
import type { Actor } from "../../../domain/Actor.ts"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import { CatalogKind } from "../../../domain/journal/Kinds.ts"
import type { JsonObject } from "../../../domain/Json.ts"
import type { Client, EntryId, StoreId } from "../../../rpc/Client.ts"
import type { ListPage } from "../../data/usePagedQuery.ts"
import { day } from "../../data/format.ts"

/** An entry, with what people call who wrote and what was written. */
export interface NamedEntry extends ActivityEntry {
  readonly actorName: string
  readonly resourceName: string
  /** Whether the resource is still there to be looked at. */
  readonly exists: boolean
  readonly approverName: string | null
}

export type ListEntriesRequest = Parameters<Client["activity"]["list"]>[0]

const FORMER_ACTORS: Readonly<Record<ActivityEntry["actor"]["type"], string>> = {
  app: "A former app",
  merchant: "A former member",
  agent: "A former agent"
}

/** An actor that has no name, or none any more. On the command line it is the operator. */
const formerName = ({ actor, surface }: ActivityEntry) =>
  surface === "cli" || surface === "import" ? "Service operator" : FORMER_ACTORS[actor.type]

type Kind = ActivityEntry["resource"]

/** What a resource is called that has no name any more. */
const UNNAMED_RESOURCES: Readonly<Record<Kind, string>> = {
  product: "A deleted product",
  collection: "A deleted collection",
  settings: "the settings",
  member: "a former member",
  agent: "a former agent",
  installation: "an app",
  subscription: "an app"
}

const titleOf = (side: ActivityEntry["before"]) => side?.["name"] ?? side?.["title"] ?? side?.["appName"]

/** What the entries of a resource themselves say that it is called, the newest of them first. */
const nameInEntries = (entries: ReadonlyArray<ActivityEntry>, { resource, resourceId }: ActivityEntry) => {
  if (resource === "settings") return UNNAMED_RESOURCES.settings
  for (const entry of entries) {
    const title = entry.resourceId === resourceId ? (titleOf(entry.after) ?? titleOf(entry.before)) : undefined
    if (typeof title === "string") return title
  }
  return UNNAMED_RESOURCES[resource]
}

/** The entries, the newest first, with the names that are known. */
export const namedEntries = (
  entries: ReadonlyArray<ActivityEntry>,
  names: ReadonlyMap<string, string>
): ReadonlyArray<NamedEntry> =>
  entries.map((entry) => {
    const { actor, approvedBy, resourceId } = entry
    return {
      ...entry,
      actorName: names.get(actor.id) ?? formerName(entry),
      resourceName: names.get(resourceId) ?? nameInEntries(entries, entry),
      exists: names.has(resourceId),
      approverName: approvedBy === null ? null : (names.get(approvedBy) ?? FORMER_ACTORS.merchant)
    }
  })

const idsIn = (entries: ReadonlyArray<ActivityEntry>) => [
  ...new Set(
    entries.flatMap(({ actor, approvedBy, resourceId }) =>
      approvedBy === null ? [actor.id, resourceId] : [actor.id, resourceId, approvedBy]
    )
  )
]

/** Entries with their names, for which one call more is made. */
export const nameEntries = (client: Client, storeId: StoreId, entries: ReadonlyArray<ActivityEntry>) =>
  Effect.map(client.activity.names({ storeId, ids: idsIn(entries) }), (names) =>
    namedEntries(entries, new Map(names.map(({ id, name }) => [id, name])))
  )

/** A page of entries with their names. */
export const listEntries = (client: Client, request: ListEntriesRequest) =>
  Effect.flatMap(client.activity.list(request), ({ items, nextCursor }) =>
    Effect.map(nameEntries(client, request.storeId, items), (namedItems): EntriesPage => ({
      items: namedItems,
      nextCursor
    }))
  )

export type EntriesPage = ListPage<NamedEntry, EntryId>

/** Entries that a list holds before it begins anew, so that a page that stays open does not grow for ever. */
const MAX_ENTRIES = 200

/** The pages of a list with what was written since in front, read as the first page: anew where there is a gap. */
export const withNewest = (pages: ReadonlyArray<EntriesPage>, newest: EntriesPage): ReadonlyArray<EntriesPage> => {
  const [first, ...others] = pages
  if (first === undefined) return [newest]
  const known = new Set(first.items.map(({ id }) => id))
  const fresh = newest.items.filter(({ id }) => !known.has(id))
  const hasGap = fresh.length === newest.items.length && newest.nextCursor !== null
  if (hasGap || fresh.length + first.items.length > MAX_ENTRIES) return [newest]
  return [{ ...first, items: [...fresh, ...first.items] }, ...others]
}

/** Of entries, the newest first, those that a later one took back which was not taken back itself. */
export const undoneEntryIds = (entries: ReadonlyArray<ActivityEntry>): ReadonlySet<string> => {
  const undone = new Set<string>()
  for (const { id, undoes } of entries) if (undoes !== null && !undone.has(id)) undone.add(undoes)
  return undone
}

/** The entries of each day, in the time zone of the browser. */
export const byDay = <Entry extends ActivityEntry>(
  entries: ReadonlyArray<Entry>
): ReadonlyArray<readonly [day: string, entries: ReadonlyArray<Entry>]> => [
  ...Map.groupBy(entries, ({ at }) => day(at))
]

const isCatalogKind = Schema.is(CatalogKind)

/** Whether a change can be undone: of what members administer none can. */
export const isUndoable = ({ resource }: ActivityEntry): boolean => isCatalogKind(resource)

interface ResourceVerbs {
  readonly created: string
  readonly updated: string
  readonly deleted: string
}

const CATALOG_VERBS: ResourceVerbs = { created: "created", updated: "updated", deleted: "deleted" }

const resourceVerbs: Readonly<Record<Kind, ResourceVerbs>> = {
  product: CATALOG_VERBS,
  collection: CATALOG_VERBS,
  settings: CATALOG_VERBS,
  member: { created: "added", updated: "changed the role of", deleted: "removed" },
  agent: { created: "created the agent", updated: "updated the agent", deleted: "revoked the agent" },
  installation: { created: "installed", updated: "changed the permissions of", deleted: "uninstalled" },
  subscription: {
    created: "started the subscription to",
    updated: "changed the subscription to",
    deleted: "canceled the subscription to"
  }
}

/** What was done with an app that stays. */
const installationVerb = (before: JsonObject, after: JsonObject): string | undefined => {
  if (after["deliveries"] !== undefined) {
    return after["deliveries"] === "paused" ? "paused deliveries to" : "resumed deliveries to"
  }
  if (after["state"] === "suspended") return "suspended"
  return before["state"] === "suspended" ? "resumed" : undefined
}

/** What was done, as in "Ada changed Oak desk". */
export const verbOf = ({ after, before, resource, undoes }: ActivityEntry): string => {
  if (undoes !== null) return "undid a change to"
  const { updated, deleted, created } = resourceVerbs[resource]
  if (before === null) return created
  if (after === null) return deleted
  return (resource === "installation" ? installationVerb(before, after) : undefined) ?? updated
}

/** Through what a write came, in words. */
export const surfaceLabels: Readonly<Record<ActivityEntry["surface"], string>> = {
  rpc: "Dashboard",
  rest: "App API",
  mcp: "Agent tools",
  cli: "Service operator",
  import: "Import",
  consent: "Consent page"
}

/** What an actor is, where its name does not say it. */
export const actorLabels: Readonly<Record<Lowercase<Actor["_tag"]>, string | undefined>> = {
  app: "App",
  agent: "Agent",
  merchant: undefined
}
