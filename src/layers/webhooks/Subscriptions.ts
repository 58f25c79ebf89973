import { Effect, Option, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { type AppId, AppNotFound } from "../../domain/access/Apps.ts"
import type { AllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { checkUrl } from "../../domain/webhooks/Target.ts"
import { LOG_DAYS, type NoWebhook, OVERLAP_HOURS, Webhook, WebhookNotFound } from "../../domain/webhooks/Webhook.ts"
import type { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import type { DatabaseOf } from "../database/Database.ts"
import { sql } from "../database/Statement.ts"
import type { Sealing } from "./Sealing.ts"
import { secretOf } from "./Signature.ts"

/** Why an app's webhook was not found: it has none, or there is no such app. */
export const noWebhook = ({ count }: DatabaseOf, app: AppId): Effect.Effect<never, NoWebhook> =>
  Effect.flatMap(count(sql`select 1 from apps where id = ${app}`), (apps): Effect.Effect<never, NoWebhook> =>
    apps === 0 ? new AppNotFound({ id: app }) : new WebhookNotFound({ appId: app })
  )

/** Where an app's events go, and with which secrets they are signed. */
export const makeSubscriptions = (
  database: DatabaseOf,
  { allowed, sealing }: { readonly allowed: AllowedHosts; readonly sealing: Effect.Effect<Sealing> }
) => {
  const { count, first, transaction } = database
  const webhookOf = first(Webhook)
  const untilOf = first(Schema.Struct({ previousUntil: Schema.NullOr(Schema.DateFromSelf) }))
  const overlap = sql.literal(`interval '${OVERLAP_HOURS} hours'`)
  const kept = sql.literal(`interval '${LOG_DAYS} days'`)

  /** A new secret of an app, and what of it is kept. */
  const newSecret = (app: AppId) =>
    Effect.map(sealing, ({ seal }) => {
      const secret = secretOf(randomBytes(32))
      return { secret: Redacted.make(secret), sealed: seal(app, secret) }
    })

  return {
    subscribe: Effect.fn("Webhooks.subscribe")(function* (app, { kinds, url }) {
      const { url: target } = yield* checkUrl(url, allowed)
      const known = yield* count(sql`select 1 from apps where id = ${app} for key share`)
      if (known === 0) return yield* new AppNotFound({ id: app })
      const { sealed, secret } = yield* newSecret(app)
      const made = yield* count(sql`
        insert into webhooks (app_id, url, kinds, secret) values (${app}, ${target}, ${kinds}, ${sealed})
        on conflict do nothing returning 1
      `)
      if (made === 1) return Option.some(secret)
      yield* count(
        sql`update webhooks set url = ${target}, kinds = ${kinds}, failing_since = null where app_id = ${app}`
      )
      return Option.none()
    }, transaction),

    rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (app, before) {
      const { sealed, secret } = yield* newSecret(app)
      const previous =
        before === "overlap"
          ? sql`previous_secret = secret, previous_secret_until = clock_timestamp() + ${overlap}`
          : sql`previous_secret = null, previous_secret_until = null`
      const rotated = yield* untilOf(sql`
        update webhooks set ${previous}, secret = ${sealed}
        where app_id = ${app} returning previous_secret_until as "previousUntil"
      `)
      if (Option.isNone(rotated)) return yield* noWebhook(database, app)
      return { secret, ...rotated.value }
    }),

    pause: Effect.fn("Webhooks.pause")(function* (app) {
      const found = yield* count(sql`
        update webhooks
        set paused_at = coalesce(paused_at, clock_timestamp()), pause_reason = coalesce(pause_reason, 'operator')
        where app_id = ${app} returning 1
      `)
      if (found === 0) return yield* noWebhook(database, app)
    }),

    show: Effect.fn("Webhooks.show")(function* (app) {
      const found = yield* webhookOf(sql`
        select
          app_id as "appId", url, to_json(kinds) as kinds,
          1 + coalesce(previous_secret_until > clock_timestamp(), false)::integer as "liveSecrets",
          failing_since as "failingSince", paused_at as "pausedAt", pause_reason as "pauseReason",
          pending.n as pending, pending.since as "oldestPendingAt",
          case when paused_at is not null then pending.due + ${kept} end as "pendingDroppedFrom", dead.n as dead
        from webhooks w, lateral (
          select count(*)::integer as n, min(created_at) as since, min(next_at) as due from deliveries d
          where d.app_id = w.app_id and d.finished_at is null
        ) pending, lateral (
          select count(*)::integer as n from deliveries d where d.app_id = w.app_id and d.outcome = 'dead'
        ) dead
        where app_id = ${app}
      `)
      return yield* Option.match(found, { onNone: () => noWebhook(database, app), onSome: Effect.succeed })
    })
  } satisfies Partial<typeof Webhooks.Service>
}
