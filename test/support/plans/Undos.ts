import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EntryId } from "../../../src/domain/journal/Activity.ts"
import { CatalogKind } from "../../../src/domain/journal/Kinds.ts"
import { Undo } from "../../../src/domain/journal/Undo.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Write } from "../../../src/domain/Write.ts"
import { AGENT } from "../data/Writes.ts"

const decodeEntry = Schema.decodeUnknownEffect(Schema.Struct({ id: Schema.toType(EntryId) }))

type Perform = <A, E>(write: Write<A, E>) => Effect.Effect<unknown, unknown>

/** Undoes the newest entry of a store, by name: as a dry run, then performed. Each runs once, in order. */
export const undos = Effect.fn(function* (
  storeId: StoreId,
  { dryRun, perform }: Record<"perform" | "dryRun", Perform>
) {
  const { undo, undoSpan } = yield* Undo
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select id from journal where store_id = ${storeId} and version is not null order by id desc limit 1
  `
  const { id } = yield* decodeEntry(newest)
  const right = { kinds: CatalogKind.literals, ownId: null }
  const nothing = { actorId: AGENT.id, since: "2020-01-01T00:00:00.000Z", until: "2020-01-02T00:00:00.000Z" }
  const work: ReadonlyArray<readonly [name: string, work: Effect.Effect<unknown, unknown>]> = [
    ["a dry run of an undo", dryRun(undo(storeId, id, right))],
    ["an undo", perform(undo(storeId, id, right))],
    ["an undo of what nobody wrote", perform(undoSpan(storeId, nothing, right))]
  ]
  return work
})
