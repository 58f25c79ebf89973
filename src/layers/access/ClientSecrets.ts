import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId } from "../../domain/access/Ids.ts"
import { NoClientSecret } from "../../domain/access/Apps.ts"
import { sha256, newToken } from "../Secrets.ts"
import { orDefect } from "../sql/Errors.ts"

/**
 * Adds a secret of 256 random bits to an app. The newest secret before it expires after `overlapHours`, all others
 * immediately. Callers hold the lock of the app: two concurrent additions would leave three secrets.
 */
export const addClientSecret = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  app: AppId,
  overlapHours: number
) {
  const secret = newToken("app_secret_")
  const [row] = yield* sql<{ readonly previousUntil: Date | null }>`
    with expired as (
      delete from client_secrets where app_id = ${app} and (ends_at is not null or ${overlapHours}::integer = 0)
    ), replaced as (
      update client_secrets set ends_at = statement_timestamp() + ${overlapHours}::integer * interval '1 hour'
      where app_id = ${app} and ends_at is null and ${overlapHours}::integer > 0
      returning ends_at
    ), added as (
      insert into client_secrets (app_id, id, secret_hash) values (${app}, uuid_v7(clock_micros()), ${sha256(secret)})
    )
    select (select ends_at from replaced) as "previousUntil"
  `
  return { secret, previousUntil: row?.previousUntil ?? null }
}, orDefect)

/** Adds a secret to an app unless it is public. */
export const rotateClientSecret = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { id, isPublic }: { readonly id: AppId; readonly isPublic: boolean },
  overlapHours: number
) {
  if (isPublic) yield* new NoClientSecret({ id })
  return yield* addClientSecret(sql, id, overlapHours)
})
