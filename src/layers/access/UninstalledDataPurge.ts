import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AppId, InstallationId } from "../../domain/access/Ids.ts"
import { DATA_HOURS } from "../../domain/access/InstallationState.ts"
import { StoreId } from "../../domain/Store.ts"
import { deleteAppData } from "../records/AppData.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowReader } from "../sql/Rows.ts"
import { rowCount } from "../sql/Transaction.ts"
import { isMoving } from "../storeMove/Moving.ts"

const readUninstalled = rowReader(Schema.Struct({ storeId: Schema.toType(StoreId), id: Schema.toType(InstallationId) }))

/**
 * Deletes the app data of uninstalled apps when its retention has ended. All data of an installation, at most 10 MiB, is
 * deleted under the lock of its row: an app that is installed meanwhile finds all of it or nothing.
 */
export class UninstalledDataPurge extends Context.Service<UninstalledDataPurge>()(
  "layers/access/UninstalledDataPurge",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Its first line is the condition of the index `installations_to_empty`. */
      const isOverdue = sql`
        i.uninstalled_at is not null and i.uninstalled_at is distinct from i.emptied_for
        and i.uninstalled_at <= now() - ${sql.literal(`interval '${DATA_HOURS} hours'`)}
      `

      return {
        /** Deletes overdue data of an app before it is installed again. */
        purgeBeforeInstall: Effect.fn("UninstalledDataPurge.purgeBeforeInstall")(function* (
          store: StoreId,
          app: AppId
        ) {
          const overdue = yield* readUninstalled(sql`
            select i.store_id as "storeId", i.id from installations i
            where i.store_id = ${store} and i.app_id = ${app} and ${isOverdue} for no key update
          `)
          if (Option.isSome(overdue)) yield* deleteAppData(sql, store, overdue.value.id)
        }, orDefect),

        /** Deletes the data of the installation that was uninstalled first. Returns the number of installations: 0 or 1. */
        purgeOldest: Effect.gen(function* () {
          const oldest = yield* readUninstalled(sql`
            select i.store_id as "storeId", i.id from installations i
            where ${isOverdue} and not ${isMoving("i")} order by i.uninstalled_at limit 1 for no key update skip locked
          `)
          if (Option.isNone(oldest)) return 0
          const { id, storeId } = oldest.value
          yield* deleteAppData(sql, storeId, id)
          return yield* rowCount(
            sql`update installations set emptied_for = uninstalled_at where store_id = ${storeId} and id = ${id}`
          )
        }).pipe(sql.withTransaction, orDefect, Effect.withSpan("UninstalledDataPurge.purgeOldest"))
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
