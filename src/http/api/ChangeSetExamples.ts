import { type ChangeSet, ChangeSetId } from "../../domain/changeSets/ChangeSet.ts"
import { CollectionId } from "../../domain/catalog/Collection.ts"
import { INVALID } from "../../domain/BadRequest.ts"
import { InstallationId } from "../../domain/access/Ids.ts"
import { EntryId } from "../../domain/journal/Activity.ts"

/* Example change sets for the reference. */

const ID = ChangeSetId.make("019c1363-49c0-7c55-a1b2-6f24d09e7b51")
const UNDO = ChangeSetId.make("019c1364-0e10-7f02-93c4-41d8a7c05e6b")
const PRODUCT = "019c1363-49c0-7d21-9a53-5b1c6e2f8a90"

const previewing: ChangeSet = {
  id: ID,
  state: "previewing",
  mode: "each",
  note: "Summer sale",
  where: null,
  change: null,
  import: null,
  counts: { total: 3, changed: 0, unchanged: 0, refused: 0 },
  progress: { done: 0, total: 3 },
  preview: null,
  undoes: null,
  undoneBy: null,
  actor: { type: "app", id: InstallationId.make("019c1363-49c0-7e5a-8b17-9d4c2a6f3e08") },
  approvedBy: null,
  onConflict: "skip",
  failure: null,
  applyAt: null,
  createdAt: "2026-01-31T09:30:00.000Z",
  previewedAt: null,
  appliedAt: null,
  finishedAt: null
}

const ready: ChangeSet = {
  ...previewing,
  state: "ready",
  counts: { total: 3, changed: 2, unchanged: 0, refused: 1 },
  progress: { done: 3, total: 3 },
  preview: {
    created: 1,
    updated: 1,
    deleted: 0,
    fields: [{ field: "price", count: 1 }],
    lowestPrice: 19.5,
    highestPrice: 24.5,
    refusals: [{ error: 'No product has the SKU "OAK-9"; name the product by its id', count: 1 }],
    collections: [
      { id: CollectionId.make("019c1363-49c0-7b3e-a1c8-6f24d09e7b51"), title: "Desks of oak", enters: 1, leaves: 0 }
    ],
    events: [{ kind: "catalog.product.updated.v1", count: 2, recipients: [] }]
  },
  previewedAt: "2026-01-31T09:30:01.000Z"
}

const applying: ChangeSet = {
  ...ready,
  state: "applying",
  progress: { done: 0, total: 3 },
  appliedAt: "2026-01-31T09:31:00.000Z"
}

/** Body of an invalid request. */
export const invalid = (...issues: ReadonlyArray<string>) => ({ error: INVALID, issues })

export const badId = { InvalidId: invalid("id: must be a UUID, as in 01890a5d-ac96-774b-bcce-b302099a8057") }

/** Example requests and responses of change sets, by operation name. */
export const changeSetSamples = {
  createChangeSet: {
    requests: {
      Operations: {
        mode: "each",
        note: "Summer sale",
        operations: [
          { op: "product.create", product: { name: "Lantern", price: 24.5 } },
          { op: "product.update", id: PRODUCT, patch: { price: 19.5 }, expectedVersion: 3 },
          { op: "inventory.change", sku: "OAK-9", change: { adjust: -2 } }
        ]
      },
      "Everything that rules match": {
        mode: "each",
        where: { rules: [{ field: "vendorName", relation: "equals", value: "Northern Joinery" }] },
        change: { price: { percent: -10, round: 0.05 } }
      }
    },
    response: { data: previewing },
    malformed: {
      InvalidOperation: invalid("operations.1.patch.price: must be a number from 0 to 999999999999999"),
      TooLarge: { error: "The body must be at most 67108864 bytes, also after decompression" }
    }
  },
  listChangeSets: {
    response: { changeSets: [ready], nextCursor: null },
    malformed: { InvalidLimit: invalid("limit: must be an integer of at least 1") }
  },
  getChangeSet: { response: { data: ready }, malformed: badId },
  listChangeSetResults: {
    response: {
      results: [
        {
          index: 0,
          outcome: "created",
          isApplied: true,
          resource: "product",
          id: "019c1363-52a0-7d21-9a53-5b1c6e2f8a91",
          version: 1,
          entryId: EntryId.make("019c1363-52a0-7a40-8f1e-2c6b9d0e4f17"),
          error: null,
          issues: null,
          line: null,
          externalId: null
        },
        {
          index: 2,
          outcome: "refused",
          isApplied: false,
          resource: "product",
          id: null,
          version: null,
          entryId: null,
          error: 'No product has the SKU "OAK-9"; name the product by its id',
          issues: null,
          line: null,
          externalId: null
        }
      ],
      nextCursor: null
    },
    malformed: { ...badId, InvalidCursor: invalid("cursor: must be the `nextCursor` of the previous page") }
  },
  applyChangeSet: {
    requests: { "Skip what has changed": { onConflict: "skip" } },
    response: { data: applying },
    malformed: { ...badId, InvalidFields: invalid("onConflict: must be skip or overwrite") }
  },
  cancelChangeSet: {
    response: { data: { ...ready, state: "canceled", finishedAt: "2026-01-31T09:32:00.000Z" } },
    malformed: badId
  },
  undoChangeSet: {
    response: { data: { ...previewing, id: UNDO, undoes: ID, note: null } },
    malformed: badId
  }
}
