import { Context, Effect, Layer, Record, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type JsonObject } from "../../domain/json/Json.ts"
import type { AdministeredKind } from "../../domain/journal/Kinds.ts"
import { StoreId } from "../../domain/Store.ts"
import type { Snapshot } from "../../domain/Write.ts"
import { stampOf } from "../../domain/catalog/ProductState.ts"
import { orDefect } from "../sql/Errors.ts"
import { recordAll } from "../Writes.ts"

/** Sorts lists, all of which are sets here. */
const sorted = Record.map((value: unknown) => (Array.isArray(value) ? value.toSorted() : value))

const snapshotOf = (resource: JsonObject): Snapshot => {
  const fields = sorted(resource)
  return { json: JSON.stringify(fields), fields }
}

/** Records changes of resources that members administer. */
export class AdministeredChanges extends Context.Service<AdministeredChanges>()("layers/journal/AdministeredChanges", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const readClock = SqlSchema.findOne({
      Request: StoreId,
      Result: Schema.Struct({ clock: Schema.NumberFromString }),
      execute: (store) => sql`select change_clock(${store}) as clock`
    })

    return {
      /**
       * Records the change of a resource, unless its state is the same; null is a resource that does not exist. Called under
       * the lock of the resource, so that its entries are in commit order. Takes no lock of the store's row.
       */
      record: Effect.fn("AdministeredChanges.record")(function* (
        storeId: StoreId,
        resource: AdministeredKind,
        resourceId: string,
        before: JsonObject | null,
        after: JsonObject | null
      ) {
        const [was, is] = [before && snapshotOf(before), after && snapshotOf(after)]
        if (was?.json === is?.json) return
        const { clock } = yield* readClock(storeId)
        const { at, eventId: id } = stampOf(clock)
        yield* recordAll([{ id, at, resource, resourceId, version: null, before: was, after: is, reason: null }])
      }, orDefect)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
