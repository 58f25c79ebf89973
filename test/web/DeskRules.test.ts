import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { EntryId, type ActivityEntry } from "../../src/domain/journal/Activity.ts"
import { InstallationId } from "../../src/domain/access/Installations.ts"
import { leastUuidOf } from "../../src/domain/Uuid.ts"
import { activitySearch, filterOf } from "../../src/web/dashboard/activity/activitySearch.ts"
import {
  type EntriesPage,
  isUndoable,
  namedEntries,
  undoneEntryIds,
  verbOf,
  withNewest
} from "../../src/web/dashboard/activity/entries.ts"
import { spanOf, undoSpanSentence } from "../../src/web/dashboard/activity/undoPreview.ts"
import { parseAgent, clientConfiguration, EMPTY_FORM, withScope } from "../../src/web/dashboard/agents/agentForm.ts"
import { appHealth } from "../../src/web/dashboard/home/appHealth.ts"

const idOf = (place: number) => EntryId.make(leastUuidOf(new Date(1_700_000_000_000 + place)))

const RESOURCE = idOf(9_000)

const entryOf = (place: number, rest: Partial<ActivityEntry> = {}): ActivityEntry => ({
  id: idOf(place),
  at: new Date(1_700_000_000_000 + place).toISOString(),
  actor: { type: "merchant", id: idOf(9_001) },
  surface: "rpc",
  resource: "product",
  resourceId: RESOURCE,
  versions: { before: 1, after: 2 },
  omitted: [],
  idempotencyKey: null,
  requestId: null,
  hops: 0,
  reason: null,
  undoes: null,
  approvedBy: null,
  before: {},
  after: {},
  ...rest
})

const pageOf = (places: ReadonlyArray<number>, next: number | null = null): EntriesPage => ({
  items: namedEntries(
    places.map((place) => entryOf(place)),
    new Map()
  ),
  nextCursor: next === null ? null : idOf(next)
})

const idsIn = (pages: ReadonlyArray<EntriesPage>) => pages.map(({ items }) => items.map(({ id }) => id))

describe("entries", () => {
  it("that come while one looks stand in front, once each; behind a gap the list begins anew", () => {
    const known = [pageOf([4, 3], 3), pageOf([2, 1])]
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([5, 4], 4))), [[5, 4, 3].map(idOf), [2, 1].map(idOf)])
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([4, 3], 3))), idsIn(known))
    assert.deepStrictEqual(idsIn(withNewest(known, pageOf([9, 8], 8))), [[9, 8].map(idOf)])
    const many = pageOf(Array.from({ length: 200 }, (_, place) => 500 - place))
    assert.deepStrictEqual(idsIn(withNewest([many], pageOf([501, 500], 500))), [[501, 500].map(idOf)])
  })

  it("are told to be undone where an undo of them stands, and not where that was undone in turn", () => {
    const undo = entryOf(2, { undoes: idOf(1) })
    assert.deepStrictEqual([...undoneEntryIds([undo, entryOf(1)])], [idOf(1)])
    assert.deepStrictEqual([...undoneEntryIds([entryOf(3, { undoes: idOf(2) }), undo, entryOf(1)])], [idOf(2)])
  })

  it("name what is gone by what they tell of it themselves, and who is gone by what they were", () => {
    const gone = entryOf(2, { after: null, before: { name: "Cup" }, versions: { before: 2, after: null } })
    const [first, second] = namedEntries([gone, entryOf(1, { surface: "cli" })], new Map())
    assert.deepInclude(first, { resourceName: "Cup", exists: false, actorName: "A former member" })
    assert.deepInclude(second, { resourceName: "Cup", actorName: "Service operator" })
    const [known] = namedEntries([entryOf(1)], new Map([[RESOURCE, "Jug"]]))
    assert.deepInclude(known, { resourceName: "Jug", exists: true })
  })

  it("of what members administer say in words what was done, and none of them can be undone", () => {
    const said = (rest: Partial<ActivityEntry>) => {
      const [entry] = namedEntries([entryOf(1, { versions: { before: null, after: null }, ...rest })], new Map())
      return entry === undefined ? "" : `${verbOf(entry)} ${entry.resourceName}`
    }
    const ada = { merchantId: RESOURCE, name: "Ada", role: "staff" }
    const tags = { id: RESOURCE, appName: "Price tags", state: "active" }
    assert.deepStrictEqual(
      [
        said({ resource: "settings", before: { name: "Shop" }, after: { name: "Store" } }),
        said({ resource: "member", before: null, after: ada }),
        said({ resource: "member", before: { role: "staff" }, after: { role: "owner" } }),
        said({ resource: "member", before: ada, after: null }),
        said({ resource: "agent", before: null, after: { name: "Helper" } }),
        said({ resource: "agent", before: { name: "Helper" }, after: null }),
        said({ resource: "installation", before: null, after: tags }),
        said({ resource: "installation", before: { scopes: [] }, after: { scopes: ["read_products"] } }),
        said({ resource: "installation", before: { state: "active" }, after: { state: "suspended" } }),
        said({ resource: "installation", before: { state: "suspended" }, after: { state: "active" } }),
        said({ resource: "installation", before: { deliveries: "active" }, after: { deliveries: "paused" } }),
        said({ resource: "installation", before: tags, after: null }),
        said({ resource: "subscription", before: { state: "active" }, after: null })
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

  it("are asked for by what the address says; what makes no sense is all of it", () => {
    const search = activitySearch({ surface: "mcp", span: "hour" })
    assert.deepStrictEqual(filterOf(search, 1_700_003_600_000), { surface: "mcp", since: "2023-11-14T22:13:20.000Z" })
    assert.deepStrictEqual(activitySearch({ surface: "telepathy" }), {})
    const { since = "", until = "" } = filterOf(activitySearch({ from: "2026-01-31", to: "2026-01-31" }), 0)
    assert.strictEqual(new Date(until).getTime() - new Date(since).getTime(), 24 * 3_600_000)
  })
})

describe("an undo", () => {
  const undone = [5, 7].map((place) => ({
    undoes: idOf(place - 4),
    id: idOf(place),
    resource: "product" as const,
    resourceId: RESOURCE,
    version: 3
  }))

  it("is taken back by the span of time that its entries lie in", () => {
    assert.deepStrictEqual(spanOf({ undone }), { since: "2023-11-14T22:13:20.005Z", until: "2023-11-14T22:13:20.008Z" })
    assert.isUndefined(spanOf({ undone: undone.map((one) => ({ ...one, id: null })) }))
  })

  it("says how much it takes back", () => {
    assert.strictEqual(
      undoSpanSentence({ undone }),
      "Undoes 2 changes to 1 product. If one change cannot be undone, none is."
    )
    assert.include(undoSpanSentence({ undone: [] }), "No changes to undo")
  })
})

describe("an agent", () => {
  it("is made of what was typed, or it is said which field is wrong", () => {
    const form = { ...EMPTY_FORM, name: " Restocker ", budget: "1,500" }
    const made = Result.getOrThrow(parseAgent(form))
    assert.deepInclude(made, { name: "Restocker", budget: 1500, window: 100, proposalsOnly: true })
    const wrong = Result.flip(parseAgent({ ...form, name: " ", budget: "-1", window: "1e3" })).pipe(Result.getOrThrow)
    assert.deepStrictEqual(Object.keys(wrong).toSorted(), ["budget", "name", "window"])
    assert.isTrue(Result.isFailure(parseAgent({ ...form, scopes: [] })))
  })

  it("has its scopes in their order, each once", () => {
    const scopes = withScope(["read_orders"], "read_products", true)
    assert.deepStrictEqual(scopes, ["read_products", "read_orders"])
    assert.deepStrictEqual(withScope(scopes, "read_orders", false), ["read_products"])
  })

  it("is told to its client by the address of this host", () => {
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

describe("deliveries to an app", () => {
  const well = {
    installationId: InstallationId.make(idOf(1)),
    host: "apps.example",
    kinds: [],
    failingSince: null,
    pausedAt: null,
    pauseReason: null,
    heldSince: null
  }
  const at = new Date().toISOString()

  it("are told as the worst of what holds of them", () => {
    const tones = [
      appHealth({ state: "active" }, well),
      appHealth({ state: "active" }, { ...well, host: null }),
      appHealth({ state: "active" }, { ...well, failingSince: at }),
      appHealth({ state: "active" }, { ...well, failingSince: at, pausedAt: at }),
      appHealth({ state: "active" }, { ...well, heldSince: at }),
      appHealth({ state: "suspended" }, well)
    ].map(([, tone]) => tone)
    assert.deepStrictEqual(tones, ["good", "plain", "alert", "alert", "warn", "warn"])
  })
})
