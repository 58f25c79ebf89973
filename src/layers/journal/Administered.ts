import { Effect, Record } from "effect"
import type { SqlClient } from "effect/sql"
import { type JsonObject } from "../../domain/json/Json.ts"
import type { AdministeredKind } from "../../domain/journal/Kinds.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Snapshot, Write } from "../../domain/Write.ts"
import { stampOf } from "../catalog/Allocation.ts"
import { orDefect } from "../sql/Errors.ts"
import { recordAll } from "../Writes.ts"

/** Sorts lists, all of which are sets here. */
const sorted = Record.map((value: unknown) => (Array.isArray(value) ? value.toSorted() : value))

const snapshotOf = (resource: JsonObject): Snapshot => {
  const fields = sorted(resource)
  return { json: JSON.stringify(fields), fields }
}

/**
 * Records the change of a resource that members administer, unless its state is the same; null is a resource that does not
 * exist. Called under the lock of the resource, so that its entries are in commit order. Takes no lock of the store's row.
 */
export const recordAdministered = (
  sql: SqlClient.SqlClient,
  storeId: StoreId,
  resource: AdministeredKind,
  resourceId: string,
  before: JsonObject | null,
  after: JsonObject | null
): Write<void> =>
  Effect.gen(function* () {
    const [was, is] = [before && snapshotOf(before), after && snapshotOf(after)]
    if (was?.json === is?.json) return
    const [row] = yield* orDefect(sql<{ readonly clock: string }>`select change_clock(${storeId}) as clock`)
    const { at, eventId: id } = stampOf(Number(row?.clock))
    yield* recordAll([{ id, at, resource, resourceId, version: null, before: was, after: is, reason: null }])
  })
