import { Effect, Option, Schema } from "effect"
import type { AppId } from "../../domain/access/Apps.ts"
import { InstallationId } from "../../domain/access/Installations.ts"
import { DATA_HOURS } from "../../domain/access/InstallationState.ts"
import { StoreId } from "../../domain/Store.ts"
import { countOf, firstOf, type Step, withClient } from "../sql/Plan.ts"
import { constant, sql } from "../sql/Statement.ts"
import { deleteAppData } from "../records/AppData.ts"

/*
 * App data of who was uninstalled, once it is kept no longer. It goes under the lock of the installation's row, and all of
 * it at once, 10 MiB at most: who installs the app meanwhile finds everything or nothing.
 */

/** The first line is that of the index `installations_to_empty`. */
const OVERDUE = sql`
  i.uninstalled_at is not null and i.uninstalled_at is distinct from i.emptied_for
  and i.uninstalled_at <= now() - interval '${constant(DATA_HOURS)} hours'
`

const OWNER = sql`select i.store_id as "storeId", i.id from installations i`
const ownerOf = firstOf(Schema.Struct({ storeId: Schema.toType(StoreId), id: Schema.toType(InstallationId) }))

const lockOverdue = (store: StoreId, app: AppId) =>
  sql`${OWNER} where i.store_id = ${store} and i.app_id = ${app} and ${OVERDUE} for no key update`

/** Before an app is installed again: empties what it should find empty. */
export const purgeBeforeInstall = Effect.fnUntraced(function* (store: StoreId, app: AppId): Step<void> {
  const owner = yield* ownerOf(lockOverdue(store, app))
  if (Option.isSome(owner)) yield* withClient((sql) => deleteAppData(sql, owner.value.storeId, owner.value.id))
})

const lockNext = sql`
  ${OWNER} where ${OVERDUE} order by i.uninstalled_at limit 1 for no key update skip locked
`
const note = (store: StoreId, installation: InstallationId) =>
  sql`update installations set emptied_for = uninstalled_at where store_id = ${store} and id = ${installation}`

/** Empties what was uninstalled first. Answers of how many installations: one or none. */
export const purgeOldest = Effect.fnUntraced(function* (): Step<number> {
  const owner = yield* ownerOf(lockNext)
  if (Option.isNone(owner)) return 0
  const { id, storeId } = owner.value
  yield* withClient((sql) => deleteAppData(sql, storeId, id))
  return yield* countOf(note(storeId, id))
})
