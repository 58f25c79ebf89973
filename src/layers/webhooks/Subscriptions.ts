import { Effect, Option, Redacted, Result, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { type AppId, AppNotFound } from "../../domain/access/Apps.ts"
import type { EventKind } from "../../domain/Events.ts"
import { type AllowedHosts, NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { checkUrl, type WebhookUrl } from "../../domain/webhooks/Destination.ts"
import {
  LOG_DAYS,
  type NoWebhook,
  OVERLAP_HOURS,
  Webhook,
  WebhookNotFound,
  type WebhookUrlRefused
} from "../../domain/webhooks/Webhook.ts"
import type { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import type { DatabaseOf } from "../sql/Database.ts"
import { firstOf, type Step } from "../sql/Plan.ts"
import { constant, sql } from "../sql/Statement.ts"
import { arrayOf } from "../Lists.ts"
import type { Sealing } from "./Sealing.ts"
import { encodeSecret } from "./Signature.ts"

/** Why an app's webhook was not found: it has none, or there is no such app. */
export const noWebhook = ({ count }: DatabaseOf, app: AppId): Effect.Effect<never, NoWebhook> =>
  Effect.flatMap(count(sql`select 1 from apps where id = ${app}`), (apps): Effect.Effect<never, NoWebhook> =>
    apps === 0 ? new AppNotFound({ id: app }) : new WebhookNotFound({ appId: app })
  )

/** A new secret of an app, and what of it is kept. */
export const newSecret = (sealing: Effect.Effect<Sealing>, app: AppId) =>
  Effect.map(sealing, ({ seal }) => {
    const secret = encodeSecret(randomBytes(32))
    return { secret: Redacted.make(secret), sealed: seal(app, secret) }
  })

/** A secret is another text each time it is sealed: that it is there says that the row is new. */
const upsertWebhook = (app: AppId, url: WebhookUrl, kinds: string, sealed: string) => sql`
  insert into webhooks (app_id, url, kinds, secret) values (${app}, ${url}, ${kinds}, ${sealed})
  on conflict (app_id) do update set url = excluded.url, kinds = excluded.kinds, failing_since = null
  returning secret = ${sealed} as "isFirst"
`
const putOf = firstOf(Schema.Struct({ isFirst: Schema.Boolean }))

/** Where a webhook goes, if it may go there. */
export const targetOf = Effect.fnUntraced(function* (
  url: string,
  allowed: AllowedHosts
): Step<WebhookUrl, WebhookUrlRefused> {
  const checked = checkUrl(url, allowed)
  return Result.isSuccess(checked) ? checked.success.url : yield* Effect.fail(checked.failure)
})

/** Sets the webhook of an app that is there. Answers whether it is its first, which alone gets the secret. */
export const putWebhook = Effect.fnUntraced(function* (
  app: AppId,
  { kinds, url }: { readonly url: WebhookUrl; readonly kinds: ReadonlyArray<EventKind> },
  sealed: string
): Step<boolean> {
  return Option.getOrThrow(yield* putOf(upsertWebhook(app, url, arrayOf([...new Set(kinds)]), sealed))).isFirst
})

const updateSecret = (app: AppId, sealed: string, isOverlapping: boolean) => sql`
  update webhooks set
    previous_secret = case when ${isOverlapping} then secret end,
    previous_secret_until = case
      when ${isOverlapping} then clock_timestamp() + interval '${constant(OVERLAP_HOURS)} hours'
    end,
    secret = ${sealed}
  where app_id = ${app} returning previous_secret_until as "previousUntil"
`
const rotatedOf = firstOf(Schema.Struct({ previousUntil: Schema.NullOr(Schema.Date) }))

/** Replaces the secret of an app that is there. */
export const rotateWebhook = Effect.fnUntraced(function* (
  app: AppId,
  sealed: string,
  before: "overlap" | "end"
): Step<{ readonly previousUntil: Date | null }, WebhookNotFound> {
  const rotated = yield* rotatedOf(updateSecret(app, sealed, before === "overlap"))
  return Option.getOrUndefined(rotated) ?? (yield* new WebhookNotFound({ appId: app }))
})

const selectApp = (app: AppId) =>
  sql`select developer_id is not null as "isDeveloped" from apps where id = ${app} for key share`
const appOf = firstOf(Schema.Struct({ isDeveloped: Schema.Boolean }))

const requireApp = Effect.fnUntraced(function* (id: AppId): Step<{ readonly isDeveloped: boolean }, AppNotFound> {
  return Option.getOrUndefined(yield* appOf(selectApp(id))) ?? (yield* new AppNotFound({ id }))
})

type Rotated = Effect.Success<ReturnType<(typeof Webhooks.Service)["rotateSecret"]>>

/** Where an app's events go, and with which secrets they are signed. */
export const makeSubscriptions = (
  database: DatabaseOf,
  { allowed, sealing }: { readonly allowed: AllowedHosts; readonly sealing: Effect.Effect<Sealing> }
) => {
  const { count, first, perform } = database
  const webhookOf = first(Webhook)
  const kept = sql.literal(`interval '${LOG_DAYS} days'`)

  return {
    subscribe: Effect.fn("Webhooks.subscribe")(function* (app, { kinds, url }) {
      const made = yield* newSecret(sealing, app)
      return yield* perform(
        Effect.gen(function* (): Step<Option.Option<Redacted.Redacted>, AppNotFound | WebhookUrlRefused> {
          const target = yield* targetOf(url, allowed)
          const { isDeveloped } = yield* requireApp(app)
          if (isDeveloped) yield* targetOf(url, NO_HOSTS)
          return (yield* putWebhook(app, { url: target, kinds }, made.sealed))
            ? Option.some(made.secret)
            : Option.none()
        })
      )
    }),

    rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (app, before) {
      const { sealed, secret } = yield* newSecret(sealing, app)
      return yield* perform(
        Effect.gen(function* (): Step<Rotated, NoWebhook> {
          yield* requireApp(app)
          return { secret, ...(yield* rotateWebhook(app, sealed, before)) }
        })
      )
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
