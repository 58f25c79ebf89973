import { assert, describe, it } from "@effect/vitest"
import type { ActivityEntry } from "../../src/domain/journal/Activity.ts"
import { InstallationId } from "../../src/domain/access/Ids.ts"
import { namedEntries, verbOf } from "../../src/web/features/activity/entries.ts"
import { groupActivity, appHealth } from "../../src/web/features/home/homeRules.ts"
import { parseHomeSearch } from "../../src/web/features/home/homeSearch.ts"
import { homeTexts } from "../../src/web/features/home/homeTexts.ts"
import { entryOf, idOf } from "../support/data/Entries.ts"
import { makeDates } from "../../src/web/shared/data/format.ts"

const MINUTE = 60_000

/** Numbers of entries and resources of the groups of these entries. */
const groupsOf = (entries: ReadonlyArray<ActivityEntry>) =>
  groupActivity(namedEntries(entries, new Map())).map(({ entries, newest, oldest, resources }) => [
    [newest.id, oldest.id],
    entries,
    resources
  ])

describe("Home page", () => {
  it("changes of one job are one group, also when another job runs at the same time", () => {
    const jobs = [
      entryOf(9, { resourceId: idOf(1) }),
      entryOf(8, { surface: "import", resourceId: idOf(1) }),
      entryOf(7, { resourceId: idOf(2) }),
      entryOf(6, { surface: "import", resourceId: idOf(3) }),
      entryOf(5, { resourceId: idOf(2) })
    ]
    assert.deepStrictEqual(groupsOf(jobs), [
      [[idOf(9), idOf(5)], 3, 2],
      [[idOf(8), idOf(6)], 2, 2]
    ])
  })

  it("a change set is one group, whatever its changes are and however long it takes", () => {
    const set = { changeSetId: idOf(9_003) }
    assert.deepStrictEqual(groupsOf([entryOf(30 * MINUTE, { ...set, before: null }), entryOf(1), entryOf(0, set)]), [
      [[idOf(30 * MINUTE), idOf(0)], 2, 1],
      [[idOf(1), idOf(1)], 1, 1]
    ])
  })

  it("another actor, verb, reason or resource, or a pause of more than 10 minutes, starts a group", () => {
    const first = entryOf(30 * MINUTE)
    for (const changed of [
      { actor: { type: "merchant", id: idOf(9_002) } },
      { before: null },
      { reason: "Sale" },
      { resource: "collection" }
    ] as const) {
      assert.lengthOf(groupsOf([first, entryOf(30 * MINUTE - 1, changed)]), 2)
    }
    assert.lengthOf(groupsOf([first, entryOf(20 * MINUTE), entryOf(10 * MINUTE)]), 1)
    assert.lengthOf(groupsOf([first, entryOf(20 * MINUTE - 1)]), 2)
    assert.deepStrictEqual(groupsOf([]), [])
  })

  it("the verb of several agents does not name one agent", () => {
    const created = entryOf(0, { resource: "agent", before: null })
    assert.deepStrictEqual([verbOf(created), verbOf(created, 2)], ["created the agent", "created"])
  })

  it("a period in the URL is 7, 30 or 90 days, and others are dropped", () => {
    assert.deepStrictEqual([{ days: 7 }, { days: 8 }, { days: "7" }, {}].map(parseHomeSearch), [
      { days: 7 },
      {},
      {},
      {}
    ])
  })

  it("a change is a percentage of the period before, unless that had no sales", () => {
    assert.deepStrictEqual(
      [homeTexts.sales.change(112, 100), homeTexts.sales.change(100, 200), homeTexts.sales.change(5, 0)],
      ["+12% from the period before", "-50% from the period before", "No sales in the period before"]
    )
  })
})

describe("Health of deliveries to an app", () => {
  const healthy = {
    installationId: InstallationId.make(idOf(1)),
    host: "apps.example",
    kinds: [],
    failingSince: null,
    calledAt: new Date().toISOString(),
    testFailedAt: null,
    pausedAt: null,
    pauseReason: null,
    heldSince: null
  }
  const at = new Date().toISOString()

  it("the health of an app is its worst condition", () => {
    const tones = [
      appHealth({ state: "active" }, healthy, makeDates()),
      appHealth({ state: "active" }, { ...healthy, host: null }, makeDates()),
      appHealth({ state: "active" }, { ...healthy, calledAt: null }, makeDates()),
      appHealth({ state: "active" }, { ...healthy, testFailedAt: at }, makeDates()),
      appHealth({ state: "active" }, { ...healthy, failingSince: at }, makeDates()),
      appHealth({ state: "active" }, { ...healthy, failingSince: at, pausedAt: at }, makeDates()),
      appHealth({ state: "active" }, { ...healthy, heldSince: at }, makeDates()),
      appHealth({ state: "suspended" }, healthy, makeDates())
    ].map(([, tone]) => tone)
    assert.deepStrictEqual(tones, ["good", "plain", "plain", "alert", "alert", "alert", "warn", "warn"])
  })
})
