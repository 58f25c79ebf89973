import { Effect, Option, Record, Schema } from "effect"
import { type JsonObject, stringify } from "../../domain/Json.ts"
import type { AdministeredKind } from "../../domain/journal/Kinds.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Snapshot } from "../../domain/Write.ts"
import { momentOf } from "../catalog/Allocation.ts"
import { firstOf, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { recordAll } from "../Writes.ts"

const readClock = (store: StoreId) => sql`select change_clock(${store}) as clock`
const clockOf = firstOf(Schema.Struct({ clock: Schema.NumberFromString }))

/** Every list in it is a set, which is the same in another order. */
const inOrder = Record.map((value: unknown) => (Array.isArray(value) ? value.toSorted() : value))

const snapshotOf = (given: JsonObject): Snapshot => {
  const fields = inOrder(given)
  return { json: stringify(fields), fields }
}

/**
 * Records what became of something that members administer, null where there is none: nothing where it is as it was. It is
 * asked for under the lock of what is changed, so that the entries of each are in the order of their commits, and takes no
 * lock of the store's row.
 */
export const recordAdministered = Effect.fnUntraced(function* (
  store: StoreId,
  resource: AdministeredKind,
  resourceId: string,
  before: JsonObject | null,
  after: JsonObject | null
): Step<void> {
  const [was, is] = [before && snapshotOf(before), after && snapshotOf(after)]
  if (was?.json === is?.json) return
  const { clock } = Option.getOrThrow(yield* clockOf(readClock(store)))
  const { at, eventId: id } = momentOf(clock)
  yield* recordAll([{ id, at, resource, resourceId, version: null, before: was, after: is, reason: null }])
})
