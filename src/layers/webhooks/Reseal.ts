import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId } from "../../domain/access/Ids.ts"
import type { Resealed } from "../../domain/webhooks/Webhooks.ts"
import { START } from "../sql/Pages.ts"
import { orDefect } from "../sql/Errors.ts"
import { rowsReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import type { Sealing } from "./Sealing.ts"
import { SecretKeys } from "./SecretKeys.ts"

/** Maximum number of webhooks that are locked at once. */
const BATCH = 500

const SecretRow = Schema.Struct({
  appId: Schema.toType(AppId),
  secret: Schema.String,
  previous: Schema.NullOr(Schema.String)
})

const readSecrets = rowsReader(SecretRow)

/** Seals the secrets of a webhook with the current key. Returns none if no key opens one of them. */
const resealSecrets = ({ isCurrent, open, seal }: Sealing, { appId, previous, secret }: typeof SecretRow.Type) => {
  const reseal = (text: string) =>
    isCurrent(text) ? Option.some(text) : Option.map(open(appId, text), (opened) => seal(appId, opened))
  return Option.all({ secret: reseal(secret), previous: previous === null ? Option.some(null) : reseal(previous) })
}

/** Re-encrypts stored secrets with the current key, in batches. Each batch is a transaction. */
export class Resealing extends Context.Service<Resealing>()("layers/webhooks/Resealing", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { sealing } = yield* SecretKeys

    const resealBatch = Effect.fnUntraced(function* (after: string, before: Resealed) {
      const keys = yield* sealing
      const rows = yield* readSecrets(sql`
        select app_id as "appId", secret, previous_secret as previous from webhooks
        where app_id > ${after} order by app_id limit ${constant(BATCH)} for no key update
      `)
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

    return {
      resealAll: Effect.gen(function* () {
        let { last, total } = yield* resealBatch(START, { resealed: 0, unopened: 0 })
        while (last !== undefined) ({ last, total } = yield* resealBatch(last, total))
        return total
      }).pipe(orDefect, Effect.withSpan("Resealing.resealAll"))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
