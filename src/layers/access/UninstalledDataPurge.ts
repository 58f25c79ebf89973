import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, InstallationId } from "../../domain/access/Ids.ts"
import { DATA_HOURS } from "../../domain/access/InstallationState.ts"
import type { StoreId } from "../../domain/Store.ts"
import { deleteAppData } from "../records/AppData.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowCount } from "../sql/Transaction.ts"

interface UninstalledRow {
  readonly storeId: StoreId
  readonly id: InstallationId
}

/**
 * Deletes the app data of uninstalled apps when its retention has ended. All data of an installation, at most 10 MiB, is
 * deleted under the lock of its row: an app that is installed meanwhile finds all of it or nothing.
 */
export const makeUninstalledDataPurge = (sql: SqlClient.SqlClient) => {
  /** Its first line is the condition of the index `installations_to_empty`. */
  const isOverdue = sql`
    i.uninstalled_at is not null and i.uninstalled_at is distinct from i.emptied_for
    and i.uninstalled_at <= now() - ${sql.literal(`interval '${DATA_HOURS} hours'`)}
  `

  return {
    /** Deletes overdue data of an app before it is installed again. */
    purgeBeforeInstall: Effect.fnUntraced(function* (store: StoreId, app: AppId) {
      const [row] = yield* sql<UninstalledRow>`
        select i.store_id as "storeId", i.id from installations i
        where i.store_id = ${store} and i.app_id = ${app} and ${isOverdue} for no key update
      `
      if (row !== undefined) yield* deleteAppData(sql, row.storeId, row.id)
    }, orDefect),

    /** Deletes the data of the installation that was uninstalled first. Returns the number of installations: 0 or 1. */
    purgeOldest: Effect.gen(function* () {
      const [row] = yield* sql<UninstalledRow>`
        select i.store_id as "storeId", i.id from installations i
        where ${isOverdue} order by i.uninstalled_at limit 1 for no key update skip locked
      `
      if (row === undefined) return 0
      yield* deleteAppData(sql, row.storeId, row.id)
      return yield* rowCount(
        sql`update installations set emptied_for = uninstalled_at where store_id = ${row.storeId} and id = ${row.id}`
      )
    }).pipe(sql.withTransaction, orDefect)
  }
}
