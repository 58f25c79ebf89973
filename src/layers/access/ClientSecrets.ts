import { Effect, Option, Schema } from "effect"
import { type AppId, type NewClientSecret, NoClientSecret } from "../../domain/access/Apps.ts"
import { firstOf, type Step } from "../sql/Plan.ts"
import { sql } from "../sql/Statement.ts"
import { hashOf, newToken } from "../Secrets.ts"

/** The secrets of an app that are good, as JSON. */
export const CLIENT_SECRETS = sql`client_secrets s where s.app_id = a.id and (s.ends_at is null or s.ends_at > now())`

/** Of those before, the newest goes on for so many hours, and the others end. */
const insertSecret = (app: AppId, secretHash: Buffer, overlapHours: number) => sql`
  with ended as (
    delete from client_secrets where app_id = ${app} and (ends_at is not null or ${overlapHours}::integer = 0)
  ), replaced as (
    update client_secrets set ends_at = clock_timestamp() + ${overlapHours}::integer * interval '1 hour'
    where app_id = ${app} and ends_at is null and ${overlapHours}::integer > 0
    returning ends_at
  ), made as (
    insert into client_secrets (app_id, id, secret_hash) values (${app}, uuid_v7(clock_micros()), ${secretHash})
  )
  select (select ends_at from replaced) as "previousUntil"
`
const madeOf = firstOf(Schema.Struct({ previousUntil: Schema.NullOr(Schema.Date) }))

/** Gives an app a secret of 256 random bits. Its row is locked: two who do that at once would leave three. */
export const addClientSecret = Effect.fnUntraced(function* (app: AppId, overlapHours: number): Step<NewClientSecret> {
  const secret = newToken("app_secret_")
  const made = yield* madeOf(insertSecret(app, hashOf(secret), overlapHours))
  return { secret, ...Option.getOrThrow(made) }
})

/** The same, unless it is public. */
export const rotateClientSecret = Effect.fnUntraced(function* (
  { id, isPublic }: { readonly id: AppId; readonly isPublic: boolean },
  overlapHours: number
): Step<NewClientSecret, NoClientSecret> {
  if (isPublic) yield* new NoClientSecret({ id })
  return yield* addClientSecret(id, overlapHours)
})
