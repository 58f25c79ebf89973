import { Effect, Option, Redacted, Result, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AppId } from "../../domain/access/Ids.ts"
import { AppNotFound } from "../../domain/access/Apps.ts"
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
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { constant } from "../sql/Statement.ts"
import type { Sealing } from "./Sealing.ts"
import { encodeSecret } from "./Signature.ts"

/** Fails for an app without a webhook: the app does not exist, or has none. */
export const failWithoutWebhook = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  app: AppId
): Effect.fn.Return<never, NoWebhook | SqlError.SqlError> {
  const apps = yield* sql`select 1 from apps where id = ${app}`
  return yield* Effect.fail(apps.length === 0 ? new AppNotFound({ id: app }) : new WebhookNotFound({ appId: app }))
})

/** Generates a secret for an app and seals it. */
export const newSecret = (sealing: Effect.Effect<Sealing>, app: AppId) =>
  Effect.map(sealing, ({ seal }) => {
    const secret = encodeSecret(randomBytes(32))
    return { secret: Redacted.make(secret), sealed: seal(app, secret) }
  })

/** Checks that a webhook may be sent to this URL. */
export const targetOf = (url: string, allowed: AllowedHosts): Effect.Effect<WebhookUrl, WebhookUrlRefused> =>
  Effect.fromResult(Result.map(checkUrl(url, allowed), (target) => target.url))

/**
 * Sets the webhook of an existing app. Returns true if it is the first one, which alone stores the secret. A secret is
 * sealed differently each time, so the stored one equals `sealed` only if the row is new.
 */
export const putWebhook = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  app: AppId,
  { kinds, url }: { readonly url: WebhookUrl; readonly kinds: ReadonlyArray<EventKind> },
  sealed: string
) {
  const [webhook] = yield* sql<{ readonly isFirst: boolean }>`
    insert into webhooks (app_id, url, kinds, secret)
    values (${app}, ${url}, ${textArray([...new Set(kinds)])}, ${sealed})
    on conflict (app_id) do update set url = excluded.url, kinds = excluded.kinds, failing_since = null
    returning secret = ${sealed} as "isFirst"
  `
  return webhook?.isFirst === true
}, orDefect)

/** Replaces the secret of an existing app. */
export const rotateWebhook = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  app: AppId,
  sealed: string,
  before: "overlap" | "end"
) {
  const isOverlapping = before === "overlap"
  const [rotated] = yield* sql<{ readonly previousUntil: Date | null }>`
    update webhooks set
      previous_secret = case when ${isOverlapping} then secret end,
      previous_secret_until = case
        when ${isOverlapping} then statement_timestamp() + interval '${constant(OVERLAP_HOURS)} hours'
      end,
      secret = ${sealed}
    where app_id = ${app} returning previous_secret_until as "previousUntil"
  `
  return rotated ?? (yield* new WebhookNotFound({ appId: app }))
}, orDefect)

const decodeWebhook = Schema.decodeUnknownEffect(Webhook)

/** Sets, rotates, pauses and shows webhooks. */
export const makeSubscriptions = (
  sql: SqlClient.SqlClient,
  { allowed, sealing }: { readonly allowed: AllowedHosts; readonly sealing: Effect.Effect<Sealing> }
) => {
  /** Locks the app until the transaction ends, so that it is not deleted meanwhile. */
  const lockApp = Effect.fnUntraced(function* (id: AppId) {
    const [app] = yield* sql<{ readonly isDeveloped: boolean }>`
      select developer_id is not null as "isDeveloped" from apps where id = ${id} for key share
    `
    return app ?? (yield* new AppNotFound({ id }))
  })

  return {
    subscribe: Effect.fn("Webhooks.subscribe")(function* (app, { kinds, url }) {
      const { sealed, secret } = yield* newSecret(sealing, app)
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          const target = yield* targetOf(url, allowed)
          const { isDeveloped } = yield* lockApp(app)
          if (isDeveloped) yield* targetOf(url, NO_HOSTS)
          const isFirst = yield* putWebhook(sql, app, { url: target, kinds }, sealed)
          return isFirst ? Option.some(secret) : Option.none()
        })
      )
    }, orDefect),

    rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (app, before) {
      const { sealed, secret } = yield* newSecret(sealing, app)
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* lockApp(app)
          const { previousUntil } = yield* rotateWebhook(sql, app, sealed, before)
          return { secret, previousUntil }
        })
      )
    }, orDefect),

    pause: Effect.fn("Webhooks.pause")(function* (app) {
      const paused = yield* sql`
        update webhooks
        set paused_at = coalesce(paused_at, statement_timestamp()), pause_reason = coalesce(pause_reason, 'operator')
        where app_id = ${app} returning 1
      `
      if (paused.length === 0) yield* failWithoutWebhook(sql, app)
    }, orDefect),

    show: Effect.fn("Webhooks.show")(function* (app) {
      const [webhook] = yield* sql`
        select
          app_id as "appId", url, to_json(kinds) as kinds,
          1 + coalesce(previous_secret_until > clock_timestamp(), false)::integer as "liveSecrets",
          failing_since as "failingSince", paused_at as "pausedAt", pause_reason as "pauseReason",
          pending.n as pending, pending.since as "oldestPendingAt",
          case when paused_at is not null then pending.due + interval '${constant(LOG_DAYS)} days' end
            as "pendingDroppedFrom",
          dead.n as dead
        from webhooks w, lateral (
          select count(*)::integer as n, min(created_at) as since, min(next_at) as due from deliveries d
          where d.app_id = w.app_id and d.finished_at is null
        ) pending, lateral (
          select count(*)::integer as n from deliveries d where d.app_id = w.app_id and d.outcome = 'dead'
        ) dead
        where app_id = ${app}
      `
      return webhook === undefined ? yield* failWithoutWebhook(sql, app) : yield* decodeWebhook(webhook)
    }, orDefect)
  } satisfies Partial<typeof Webhooks.Service>
}
