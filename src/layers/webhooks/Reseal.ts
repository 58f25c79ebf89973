import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId } from "../../domain/access/Ids.ts"
import type { Resealed } from "../../domain/webhooks/Webhooks.ts"
import { START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import type { Sealing } from "./Sealing.ts"

/** Maximum number of webhooks that are locked at once. */
const BATCH = 500

interface SecretRow {
  readonly appId: AppId
  readonly secret: string
  readonly previous: string | null
}

/** Seals the secrets of a webhook with the current key. Returns none if no key opens one of them. */
const resealSecrets = ({ isCurrent, open, seal }: Sealing, { appId, previous, secret }: SecretRow) => {
  const reseal = (text: string) =>
    isCurrent(text) ? Option.some(text) : Option.map(open(appId, text), (opened) => seal(appId, opened))
  return Option.all({ secret: reseal(secret), previous: previous === null ? Option.some(null) : reseal(previous) })
}

/** Re-encrypts stored secrets with the current key, in batches. Each batch is a transaction. */
export const makeReseal = (sql: SqlClient.SqlClient, sealing: Effect.Effect<Sealing>) => {
  const resealBatch = Effect.fnUntraced(function* (after: string, before: Resealed) {
    const keys = yield* sealing
    const rows = yield* sql<SecretRow>`
      select app_id as "appId", secret, previous_secret as previous from webhooks
      where app_id > ${after} order by app_id limit ${constant(BATCH)} for no key update
    `
    let { resealed, unopened } = before
    for (const row of rows) {
      const secrets = resealSecrets(keys, row)
      if (Option.isNone(secrets)) unopened += 1
      else if (secrets.value.secret !== row.secret || secrets.value.previous !== row.previous) {
        const { previous, secret } = secrets.value
        yield* sql`update webhooks set secret = ${secret}, previous_secret = ${previous} where app_id = ${row.appId}`
        resealed += 1
      }
    }
    return { last: rows.at(-1)?.appId, total: { resealed, unopened } }
  }, sql.withTransaction)

  return Effect.gen(function* () {
    let { last, total } = yield* resealBatch(START, { resealed: 0, unopened: 0 })
    while (last !== undefined) ({ last, total } = yield* resealBatch(last, total))
    return total
  }).pipe(orDefect, Effect.withSpan("Webhooks.reseal"))
}
