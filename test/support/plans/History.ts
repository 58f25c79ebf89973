import { Effect, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { EventId } from "../../../src/domain/Events.ts"
import { Activity, EntryId } from "../../../src/domain/journal/Activity.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Changes } from "../../../src/domain/journal/Changes.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { MERCHANT } from "../data/Writes.ts"

const decodeEntry = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(EntryId), resourceId: Schema.String }))

/** All reads of the journal of a store, by name. */
export const history = Effect.fn(function* (storeId: StoreId) {
  const { get, list, names } = yield* Activity
  const { follow } = yield* Changes
  const sql = yield* SqlClient.SqlClient
  const [entry] = yield* sql`
    with mine as (
      select id, resource_id as "resourceId" from journal where store_id = ${storeId} and version is not null
    )
    select * from mine order by id offset (select count(*) / 2 from mine) limit 1
  `
  const { id, resourceId } = yield* decodeEntry(entry)
  const request = { limit: 20, kinds: CatalogKind.literals }
  const reads: ReadonlyArray<readonly [name: string, read: Effect.Effect<unknown, unknown>]> = [
    ["activity at the start", list(storeId, request)],
    ["activity in the middle", list(storeId, { ...request, cursor: id })],
    ["activity of a product", list(storeId, { ...request, resourceId })],
    ["activity of a merchant", list(storeId, { ...request, actorId: MERCHANT.id })],
    ["activity through a surface", list(storeId, { ...request, surface: "rest" })],
    ["names", names(storeId, [resourceId, MERCHANT.id])],
    ["activity since a time", list(storeId, { ...request, since: "2020-01-01T00:00:00.000Z" })],
    ["an entry", get(storeId, id)],
    ["changes", Stream.runDrain(Stream.take(follow(storeId, EventId.make(id), CatalogKind.literals), 2))]
  ]
  return reads
})
