import { EntryId, type ActivityEntry } from "../../../src/domain/journal/Activity.ts"
import { leastUuidOf } from "../../../src/domain/Uuid.ts"

/** Id of the entry of a millisecond. */
export const idOf = (place: number) => EntryId.make(leastUuidOf(new Date(1_700_000_000_000 + place)))

export const RESOURCE = idOf(9_000)

/** Update of a product, some milliseconds after a fixed time. */
export const entryOf = (place: number, rest: Partial<ActivityEntry> = {}): ActivityEntry => ({
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
  changeSetId: null,
  approvedBy: null,
  before: {},
  after: {},
  ...rest
})
