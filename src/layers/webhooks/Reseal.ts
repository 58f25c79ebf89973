import { Effect, Option, Schema } from "effect"
import { AppId } from "../../domain/access/Apps.ts"
import type { Resealed } from "../../domain/webhooks/Webhooks.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { sql } from "../sql/Statement.ts"
import { START } from "../Pages.ts"
import type { Sealing } from "./Sealing.ts"

/** Webhooks that are locked at once, at most. */
const BATCH = 500

const Kept = Schema.Struct({
  appId: Schema.toType(AppId),
  secret: Schema.String,
  previous: Schema.NullOr(Schema.String)
})

/** Seals what an earlier release kept as it is, or another key sealed, some at a time, each batch in a transaction. */
export const makeReseal = ({ count, rows, transaction }: DatabaseOf, sealing: Effect.Effect<Sealing>) => {
  const keptOf = rows(Kept)

  /** One webhook's secrets, as they are kept from now on; none where one of them does not open. */
  const sealedAnew = ({ isCurrent, open, seal }: Sealing, { appId, previous, secret }: typeof Kept.Type) => {
    const anew = (text: string) =>
      isCurrent(text) ? Option.some(text) : Option.map(open(appId, text), (opened) => seal(appId, opened))
    return Option.all({ secret: anew(secret), previous: previous === null ? Option.some(null) : anew(previous) })
  }

  const some = Effect.fnUntraced(function* (after: string, done: Resealed) {
    const keys = yield* sealing
    const found = yield* keptOf(sql`
      select app_id as "appId", secret, previous_secret as previous from webhooks
      where app_id > ${after} order by app_id limit ${sql.literal(String(BATCH))} for no key update
    `)
    let { resealed, unopened } = done
    for (const kept of found) {
      const anew = sealedAnew(keys, kept)
      if (Option.isNone(anew)) unopened += 1
      else if (anew.value.secret !== kept.secret || anew.value.previous !== kept.previous) {
        const { previous, secret } = anew.value
        yield* count(
          sql`update webhooks set secret = ${secret}, previous_secret = ${previous} where app_id = ${kept.appId}`
        )
        resealed += 1
      }
    }
    return { last: found.at(-1)?.appId, done: { resealed, unopened } }
  }, transaction)

  const all = (after: string, before: Resealed): Effect.Effect<Resealed> =>
    Effect.flatMap(some(after, before), ({ done, last }) =>
      last === undefined ? Effect.succeed(done) : all(last, done)
    )

  return Effect.withSpan(
    Effect.suspend(() => all(START, { resealed: 0, unopened: 0 })),
    "Webhooks.reseal"
  )
}
