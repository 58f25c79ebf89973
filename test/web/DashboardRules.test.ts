import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ActivityEntry } from "../../src/domain/journal/Activity.ts"
import { millisOf } from "../../src/domain/Uuid.ts"
import { activitySearch, filterOf } from "../../src/web/features/activity/activitySearch.ts"
import {
  type EntriesPage,
  isOfLargeSet,
  isUndoable,
  namedEntries,
  summaryOf,
  undoneEntryIds,
  verbOf,
  withNewest,
  groupEntries
} from "../../src/web/features/activity/entries.ts"
import { entryIdsOf, spanOf, undoSpanSentence } from "../../src/web/features/activity/undoPreview.ts"
import { parseAgent, clientConfiguration, EMPTY_FORM, withScope } from "../../src/web/features/agents/agentForm.ts"
import { entryOf, idOf, RESOURCE } from "../support/data/Entries.ts"
import { makeDates } from "../../src/web/shared/data/format.ts"

const dates = makeDates()

const pageOf = (places: ReadonlyArray<number>, next: number | null = null): EntriesPage => ({
  items: namedEntries(
    places.map((place) => entryOf(place)),
    new Map()
  ),
  nextCursor: next === null ? null : idOf(next)
})

/** Verb and name of an administrative change. */
const textOf = (rest: Partial<ActivityEntry>) => {
  const [entry] = namedEntries([entryOf(1, { versions: { before: null, after: null }, ...rest })], new Map())
  return entry === undefined ? "" : `${verbOf(entry)} ${entry.resourceName}`
}

const idsIn = (pages: ReadonlyArray<EntriesPage>) => pages.map(({ items }) => items.map(({ id }) => id))

describe("Activity entries", () => {
  it("new entries are prepended without duplicates, and a gap restarts the list", () => {
    const known = [pageOf([4, 3], 3), pageOf([2, 1])]
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([5, 4], 4))), [[5, 4, 3].map(idOf), [2, 1].map(idOf)])
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([4, 3], 3))), idsIn(known))
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([9, 8], 8))), [[9, 8].map(idOf)])
    const many = pageOf(Array.from({ length: 200 }, (_, place) => 500 - place))
    assert.deepStrictEqual(idsIn(withNewest([many], pageOf([501, 500], 500))), [[501, 500].map(idOf)])
  })

  it("an entry is undone by an undo, unless that undo was itself undone", () => {
    const undo = entryOf(2, { undoes: idOf(1) })
    assert.deepStrictEqual([...undoneEntryIds([undo, entryOf(1)])], [idOf(1)])
    assert.deepStrictEqual([...undoneEntryIds([entryOf(3, { undoes: idOf(2) }), undo, entryOf(1)])], [idOf(2)])
  })

  it("entries are grouped by actor and work, with pauses under 30 minutes, and by change set", () => {
    const minute = 60_000
    const agent = { type: "agent" as const, id: idOf(9_002) }
    const set = { changeSetId: idOf(9_003) }
    const groups = groupEntries([
      entryOf(100 * minute),
      entryOf(90 * minute, { actor: agent }),
      entryOf(71 * minute),
      entryOf(41 * minute),
      entryOf(40 * minute, set),
      entryOf(2 * minute, set),
      entryOf(1 * minute, { surface: "mcp" })
    ])
    const places = groups.map((group) => group.map(({ id }) => (millisOf(id) - 1_700_000_000_000) / minute))
    assert.deepStrictEqual(places, [[100, 71], [90], [41], [40, 2], [1]])
  })

  it("a change set is one group with its total, also if other work was done meanwhile", () => {
    const set = { changeSetId: idOf(9_003) }
    const entries = namedEntries(
      [entryOf(6, set), entryOf(5), entryOf(4, set), entryOf(3), entryOf(2, { changeSetId: idOf(9_004) })],
      new Map(),
      new Map([
        [idOf(9_003), 3000],
        [idOf(9_004), 1]
      ])
    )
    assert.deepStrictEqual(
      groupEntries(entries).map((group) => group.map(({ id }) => id)),
      [[6, 4], [5], [3], [2]].map((group) => group.map(idOf))
    )
    assert.deepStrictEqual(
      entries.map((entry) => [entry.setChanges, isOfLargeSet(entry)]),
      [
        [3000, true],
        [null, false],
        [3000, true],
        [null, false],
        [1, false]
      ]
    )
    // The set was deleted, so its total is unknown.
    assert.isTrue(namedEntries([entryOf(1, set)], new Map()).every(isOfLargeSet))
  })

  it("the summary of an update has its first two fields and its reason in one line", () => {
    const before = { price: 1, description: null, sku: "A", stock: 2 }
    const after = { price: 2, description: `Two\nlines ${"long ".repeat(20)}`, sku: "B", stock: 3 }
    assert.strictEqual(
      summaryOf(entryOf(1, { before, after, reason: "Spring sale" }), { currency: "USD", dates }),
      "Price: $1.00 → $2.00 (+100%) · Description: empty → Two lines long long long long long long … · 2 more fields · “Spring sale”"
    )
    assert.strictEqual(summaryOf(entryOf(1, { before: null, after }), { currency: "USD", dates }), "")
  })

  it("deleted resources are named by the journal, and former members by their kind", () => {
    const deletion = entryOf(2, { after: null, before: { name: "Cup" }, versions: { before: 2, after: null } })
    const [first, second] = namedEntries([deletion, entryOf(1, { surface: "cli" })], new Map())
    assert.deepInclude(first, { resourceName: "Cup", exists: false, actorName: "A former member" })
    assert.deepInclude(second, { resourceName: "Cup", actorName: "Service operator" })
    const [known] = namedEntries([entryOf(1)], new Map([[RESOURCE, "Jug"]]))
    assert.deepInclude(known, { resourceName: "Jug", exists: true })
  })

  it("administrative changes have a verb and a name, and cannot be undone", () => {
    const ada = { merchantId: RESOURCE, name: "Ada", role: "staff" }
    const tags = { id: RESOURCE, appName: "Price tags", state: "active" }
    assert.deepStrictEqual(
      [
        textOf({ resource: "settings", before: { name: "Shop" }, after: { name: "Store" } }),
        textOf({ resource: "member", before: null, after: ada }),
        textOf({ resource: "member", before: { role: "staff" }, after: { role: "owner" } }),
        textOf({ resource: "member", before: ada, after: null }),
        textOf({ resource: "agent", before: null, after: { name: "Helper" } }),
        textOf({ resource: "agent", before: { name: "Helper" }, after: null }),
        textOf({ resource: "installation", before: null, after: tags }),
        textOf({ resource: "installation", before: { scopes: [] }, after: { scopes: ["read_products"] } }),
        textOf({ resource: "installation", before: { state: "active" }, after: { state: "suspended" } }),
        textOf({ resource: "installation", before: { state: "suspended" }, after: { state: "active" } }),
        textOf({ resource: "installation", before: { deliveries: "active" }, after: { deliveries: "paused" } }),
        textOf({ resource: "installation", before: tags, after: null }),
        textOf({ resource: "subscription", before: { state: "active" }, after: null })
      ],
      [
        "updated the settings",
        "added Ada",
        "changed the role of a former member",
        "removed Ada",
        "created the agent Helper",
        "revoked the agent Helper",
        "installed Price tags",
        "changed the permissions of an app",
        "suspended an app",
        "resumed an app",
        "paused deliveries to an app",
        "uninstalled Price tags",
        "canceled the subscription to an app"
      ]
    )
    assert.isTrue(isUndoable(entryOf(1)))
    assert.isFalse(isUndoable(entryOf(1, { resource: "settings" })))
  })

  it("the activity filter is read from the URL, and invalid values are ignored", () => {
    const search = activitySearch({ surface: "mcp", span: "hour" })
    assert.deepStrictEqual(filterOf(search, 1_700_003_600_000, dates), {
      surface: "mcp",
      since: "2023-11-14T22:13:20.000Z"
    })
    assert.deepStrictEqual(activitySearch({ surface: "telepathy" }), {})
    const { since = "", until = "" } = filterOf(activitySearch({ from: "2026-01-31", to: "2026-01-31" }), 0, dates)
    assert.strictEqual(new Date(until).getTime() - new Date(since).getTime(), 24 * 3_600_000)
  })
})

describe("Undo", () => {
  const undone = [5, 7].map((place) => ({
    undoes: idOf(place - 4),
    id: idOf(place),
    resource: "product" as const,
    resourceId: RESOURCE,
    version: 3
  }))

  it("the redo span covers the entries of the undo, and is absent without entries", () => {
    assert.deepStrictEqual(spanOf(entryIdsOf({ undone })), {
      since: "2023-11-14T22:13:20.005Z",
      until: "2023-11-14T22:13:20.008Z"
    })
    assert.isUndefined(spanOf(entryIdsOf({ undone: undone.map((one) => ({ ...one, id: null })) })))
  })

  it("the summary has the number of changes and products", () => {
    assert.strictEqual(
      undoSpanSentence({ undone }),
      "Undoes 2 changes to 1 product. If one change cannot be undone, none is."
    )
    assert.include(undoSpanSentence({ undone: [] }), "No changes to undo")
  })
})

describe("Agent form", () => {
  it("the input is parsed to an agent, or each invalid field has an error", () => {
    const form = { ...EMPTY_FORM, name: " Restocker ", budget: "1,500" }
    const agent = Result.getOrThrow(parseAgent(form))
    assert.deepInclude(agent, { name: "Restocker", budget: 1500, window: 100, proposalsOnly: true })
    const problems = Result.flip(parseAgent({ ...form, name: " ", budget: "-1", window: "1e3" })).pipe(
      Result.getOrThrow
    )
    assert.deepStrictEqual(Object.keys(problems).toSorted(), ["budget", "name", "window"])
    assert.isTrue(Result.isFailure(parseAgent({ ...form, scopes: [] })))
  })

  it("scopes are unique and in their fixed order", () => {
    const scopes = withScope(["read_orders"], "read_products", true)
    assert.deepStrictEqual(scopes, ["read_products", "read_orders"])
    assert.deepStrictEqual(withScope(scopes, "read_orders", false), ["read_products"])
  })

  it("the client configuration has the MCP URL of this host and the token", () => {
    assert.deepStrictEqual(JSON.parse(clientConfiguration("https://shop.example", "agent_1")), {
      mcpServers: {
        "my-store": {
          type: "http",
          url: "https://shop.example/mcp",
          headers: { Authorization: "Bearer agent_1" }
        }
      }
    })
  })
})
