import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AppId } from "../../domain/access/Ids.ts"
import { AppNotFound } from "../../domain/access/Apps.ts"
import type { EventKind } from "../../domain/Events.ts"
import type { AllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { checkUrl, type WebhookUrl } from "../../domain/webhooks/Destination.ts"
import {
  type NoWebhook,
  OVERLAP_HOURS,
  WebhookNotFound,
  type WebhookUrlRefused
} from "../../domain/webhooks/Webhook.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"
import { constant } from "../sql/Statement.ts"
import { REVISION } from "./Health.ts"
import { SecretKeys } from "./SecretKeys.ts"
import { encodeSecret } from "./Signature.ts"

/** Checks that a webhook may be sent to this URL. */
export const targetOf = (url: string, allowed: AllowedHosts): Effect.Effect<WebhookUrl, WebhookUrlRefused> =>
  Effect.fromResult(Result.map(checkUrl(url, allowed), (target) => target.url))

const readPut = requiredRowReader(Schema.Struct({ isFirst: Schema.Boolean }))
const readRotated = rowReader(Schema.Struct({ previousUntil: Schema.NullOr(Schema.Date) }))

/** Webhooks of apps and their secrets, for operators and developers. */
export class WebhookRepository extends Context.Service<WebhookRepository>()("layers/webhooks/WebhookRepository", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { sealing } = yield* SecretKeys

    const failWithout = Effect.fn("WebhookRepository.failWithout")(function* (
      app: AppId
    ): Effect.fn.Return<never, NoWebhook | SqlError.SqlError> {
      const apps = yield* sql`select 1 from apps where id = ${app}`
      return yield* Effect.fail(apps.length === 0 ? new AppNotFound({ id: app }) : new WebhookNotFound({ appId: app }))
    }, orDefect)

    return {
      /** Generates a secret for an app and seals it. */
      newSecret: Effect.fn("WebhookRepository.newSecret")(function* (app: AppId) {
        const { seal } = yield* sealing
        const secret = encodeSecret(randomBytes(32))
        return { secret: Redacted.make(secret), sealed: seal(app, secret) }
      }),

      /**
       * Sets the webhook of an existing app. Returns true if it is the first one, which alone stores the secret. A secret is
       * sealed differently each time, so the stored one equals `sealed` only if the row is new.
       */
      put: Effect.fn("WebhookRepository.put")(function* (
        app: AppId,
        { kinds, url }: { readonly url: WebhookUrl; readonly kinds: ReadonlyArray<EventKind> },
        sealed: string
      ) {
        const { isFirst } = yield* readPut(sql`
          insert into webhooks as w (app_id, url, kinds, secret)
          values (${app}, ${url}, ${textArray([...new Set(kinds)])}, ${sealed})
          on conflict (app_id) do update set
            url = excluded.url, kinds = excluded.kinds, set_revision = ${REVISION} + 1,
            url_revision = case when w.url = excluded.url then w.url_revision else ${REVISION} + 1 end
          returning secret = ${sealed} as "isFirst"
        `)
        return isFirst
      }, orDefect),

      /** Replaces the secret of an existing app. */
      rotateSecret: Effect.fn("WebhookRepository.rotateSecret")(function* (
        app: AppId,
        sealed: string,
        before: "overlap" | "end"
      ) {
        const isOverlapping = before === "overlap"
        const rotated = yield* readRotated(sql`
          update webhooks set
            previous_secret = case when ${isOverlapping} then secret end,
            previous_secret_until = case
              when ${isOverlapping} then statement_timestamp() + interval '${constant(OVERLAP_HOURS)} hours'
            end,
            secret = ${sealed}
          where app_id = ${app} returning previous_secret_until as "previousUntil"
        `)
        return Option.isSome(rotated) ? rotated.value : yield* new WebhookNotFound({ appId: app })
      }, orDefect),

      /** Fails for an app without a webhook. */
      require: Effect.fn("WebhookRepository.require")(function* (app: AppId) {
        const webhooks = yield* sql`select 1 from webhooks where app_id = ${app}`
        if (webhooks.length === 0) yield* failWithout(app)
      }, orDefect),

      /** Fails for an app that has no webhook, with the reason: the app does not exist, or has none. */
      failWithout
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
