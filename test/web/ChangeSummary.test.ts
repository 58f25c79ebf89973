import { assert, describe, it } from "@effect/vitest"
import { InstallationId } from "../../src/domain/access/Ids.ts"
import { CollectionId } from "../../src/domain/catalog/Collection.ts"
import type { ChangeSet, Preview } from "../../src/domain/changeSets/ChangeSet.ts"
import { changeSetSamples } from "../../src/http/api/ChangeSetExamples.ts"
import { consequencesOf, headlineOf, titleOf } from "../../src/web/features/changes/changeSummary.ts"

const app = (place: number, appName: string) => ({
  installationId: InstallationId.make(`019c1363-49c0-7e5a-8b17-9d4c2a6f3e0${place}`),
  appName
})

const setOf = (rest: Partial<ChangeSet>, preview: Partial<Preview> = {}): ChangeSet => ({
  ...changeSetSamples.createChangeSet.response.data,
  note: null,
  preview: {
    created: 0,
    updated: 0,
    deleted: 0,
    fields: [],
    lowestPrice: null,
    highestPrice: null,
    refusals: [],
    collections: [],
    events: [],
    ...preview
  },
  ...rest
})

const counts = (changed: number) => ({ total: changed + 3, changed, unchanged: 2, refused: 1 })

describe("Summary of a change set", () => {
  it("a preview says how many prices change, what enters collections, which apps are notified, and the range", () => {
    const set = setOf(
      { change: { price: { percent: -10 } }, counts: counts(3241) },
      {
        updated: 3241,
        fields: [
          { field: "price", count: 3241 },
          { field: "onSale", count: 12 }
        ],
        lowestPrice: 0.01,
        highestPrice: 1e9,
        collections: [
          { id: CollectionId.make("019c1363-49c0-7b3e-a1c8-6f24d09e7b51"), title: "Sale", enters: 12, leaves: 1 }
        ],
        events: [
          {
            kind: "catalog.product.updated.v1",
            count: 3241,
            recipients: [app(1, "Mail"), app(2, "Ads")]
          }
        ]
      }
    )
    assert.strictEqual(titleOf(set), "Change of prices")
    assert.strictEqual(headlineOf(set), "3,241 prices change, 2 unchanged, 1 refused")
    assert.deepStrictEqual(consequencesOf(set), [
      "New prices: lowest 0.01, highest 1,000,000,000",
      "12 products enter Sale, 1 product leaves Sale",
      "2 apps are notified: Mail, Ads"
    ])
  })

  it("sets of different operations count the changes of each member", () => {
    const set = setOf(
      { counts: counts(4) },
      {
        created: 1,
        updated: 3,
        fields: [
          { field: "price", count: 2 },
          { field: "stock", count: 1 }
        ],
        collections: null
      }
    )
    assert.strictEqual(titleOf(set), "Bulk change")
    assert.strictEqual(headlineOf(set), "1 item will be created, 3 items change, 2 unchanged, 1 refused")
    assert.deepStrictEqual(consequencesOf(set), [
      "2 prices change, 1 stock level changes",
      "Products that enter or leave collections were not counted, because it takes too long",
      "No app is notified"
    ])
  })

  it("deletions and changes of collections name their rows", () => {
    assert.strictEqual(
      headlineOf(setOf({ change: { delete: true }, counts: counts(1) }, { deleted: 1 })),
      "1 product will be deleted, 2 unchanged, 1 refused"
    )
    const collections = { add: ["019c1363-49c0-7b3e-a1c8-6f24d09e7b51"] }
    assert.strictEqual(
      headlineOf(
        setOf({ change: { collections }, counts: { total: 1, changed: 1, unchanged: 0, refused: 0 } }, { updated: 1 })
      ),
      "1 collection changes"
    )
  })
})
