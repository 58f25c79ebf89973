import { Effect, Schema } from "effect"
import type { Actor } from "../../../domain/Actor.ts"
import type { ActivityEntry } from "../../../domain/journal/Activity.ts"
import { CatalogKind } from "../../../domain/journal/Kinds.ts"
import type { JsonObject } from "../../../domain/Json.ts"
import type { Client, EntryId, StoreId } from "../../../rpc/Client.ts"
import type { ListPage } from "../../data/usePagedQuery.ts"
import { day } from "../../data/Format.ts"

/** An entry, with what people call who wrote and what was written. */
export interface NamedEntry extends ActivityEntry {
  readonly actorName: string
  readonly resourceName: string
  /** Whether the resource is still there to be looked at. */
  readonly isThere: boolean
  readonly approverName: string | null
}

export type EntriesAsked = Parameters<Client["activity"]["list"]>[0]

const FORMER: Readonly<Record<ActivityEntry["actor"]["type"], string>> = {
  app: "A former app",
  merchant: "A former member",
  agent: "A former agent"
}

/** An actor that has no name, or none any more. On the command line it is the operator. */
const formerName = ({ actor, surface }: ActivityEntry) =>
  surface === "cli" || surface === "import" ? "Service operator" : FORMER[actor.type]

type Kind = ActivityEntry["resource"]

/** What a resource is called that has no name any more. */
const NAMELESS: Readonly<Record<Kind, string>> = {
  product: "A deleted product",
  collection: "A deleted collection",
  settings: "the settings",
  member: "a former member",
  agent: "a former agent",
  installation: "an app",
  subscription: "an app"
}

const titleIn = (side: ActivityEntry["before"]) => side?.["name"] ?? side?.["title"] ?? side?.["appName"]

/** What the entries of a resource themselves say that it is called, the newest of them first. */
const toldName = (entries: ReadonlyArray<ActivityEntry>, { resource, resourceId }: ActivityEntry) => {
  if (resource === "settings") return NAMELESS.settings
  for (const entry of entries) {
    const title = entry.resourceId === resourceId ? (titleIn(entry.after) ?? titleIn(entry.before)) : undefined
    if (typeof title === "string") return title
  }
  return NAMELESS[resource]
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
      resourceName: names.get(resourceId) ?? toldName(entries, entry),
      isThere: names.has(resourceId),
      approverName: approvedBy === null ? null : (names.get(approvedBy) ?? FORMER.merchant)
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
export const listEntries = (client: Client, request: EntriesAsked) =>
  Effect.flatMap(client.activity.list(request), ({ items, nextCursor }) =>
    Effect.map(nameEntries(client, request.storeId, items), (named): EntriesPage => ({ items: named, nextCursor }))
  )

export type EntriesPage = ListPage<NamedEntry, EntryId>

/** Entries that a list holds before it begins anew, so that a page that stays open does not grow for ever. */
const MOST_HELD = 200

/** The pages of a list with what was written since in front, read as the first page: anew where there is a gap. */
export const withNewest = (pages: ReadonlyArray<EntriesPage>, newest: EntriesPage): ReadonlyArray<EntriesPage> => {
  const [first, ...others] = pages
  if (first === undefined) return [newest]
  const known = new Set(first.items.map(({ id }) => id))
  const fresh = newest.items.filter(({ id }) => !known.has(id))
  const hasGap = fresh.length === newest.items.length && newest.nextCursor !== null
  if (hasGap || fresh.length + first.items.length > MOST_HELD) return [newest]
  return [{ ...first, items: [...fresh, ...first.items] }, ...others]
}

/** Of entries, the newest first, those that a later one took back which was not taken back itself. */
export const takenBack = (entries: ReadonlyArray<ActivityEntry>): ReadonlySet<string> => {
  const taken = new Set<string>()
  for (const { id, undoes } of entries) if (undoes !== null && !taken.has(id)) taken.add(undoes)
  return taken
}

/** The entries of each day, in the time zone of the browser. */
export const byDay = <Entry extends ActivityEntry>(
  entries: ReadonlyArray<Entry>
): ReadonlyArray<readonly [day: string, entries: ReadonlyArray<Entry>]> => [
  ...Map.groupBy(entries, ({ at }) => day(at))
]

const isOfCatalog = Schema.is(CatalogKind)

/** Whether a change can be undone: of what members administer none can. */
export const isUndoable = ({ resource }: ActivityEntry): boolean => isOfCatalog(resource)

interface Verbs {
  readonly made: string
  readonly changed: string
  readonly ended: string
}

const CATALOG: Verbs = { made: "created", changed: "updated", ended: "deleted" }

const VERBS: Readonly<Record<Kind, Verbs>> = {
  product: CATALOG,
  collection: CATALOG,
  settings: CATALOG,
  member: { made: "added", changed: "changed the role of", ended: "removed" },
  agent: { made: "created the agent", changed: "updated the agent", ended: "revoked the agent" },
  installation: { made: "installed", changed: "changed the permissions of", ended: "uninstalled" },
  subscription: {
    made: "started the subscription to",
    changed: "changed the subscription to",
    ended: "canceled the subscription to"
  }
}

/** What was done with an app that stays. */
const actOn = (before: JsonObject, after: JsonObject): string | undefined => {
  if (after["deliveries"] !== undefined) {
    return after["deliveries"] === "paused" ? "paused deliveries to" : "resumed deliveries to"
  }
  if (after["state"] === "suspended") return "suspended"
  return before["state"] === "suspended" ? "resumed" : undefined
}

/** What was done, as in "Ada changed Oak desk". */
export const verbOf = ({ after, before, resource, undoes }: ActivityEntry): string => {
  if (undoes !== null) return "undid a change to"
  const { changed, ended, made } = VERBS[resource]
  if (before === null) return made
  if (after === null) return ended
  return (resource === "installation" ? actOn(before, after) : undefined) ?? changed
}

/** Through what a write came, in words. */
export const SURFACES: Readonly<Record<ActivityEntry["surface"], string>> = {
  rpc: "Dashboard",
  rest: "App API",
  mcp: "Agent tools",
  cli: "Service operator",
  import: "Import",
  consent: "Consent page"
}

/** What an actor is, where its name does not say it. */
export const ACTORS: Readonly<Record<Lowercase<Actor["_tag"]>, string | undefined>> = {
  app: "App",
  agent: "Agent",
  merchant: undefined
}
