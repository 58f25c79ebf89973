import { ago, type Dates } from "../../shared/data/format.ts"
import { Effect } from "effect"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import type { StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import type { Tone } from "../../shared/ui/display/Values.tsx"
import { homeTexts } from "./homeTexts.ts"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"

/** Limit of apps, since each needs its own request. */
const MAX_APPS = 10

export type App = typeof InstalledApp.Type
export type Webhook = typeof StoreWebhook.Type

/** Loads the first apps of the store with their webhooks. */
export const listAppsWithWebhooks = (client: Client, storeId: StoreId) =>
  Effect.flatMap(client.installations.list({ storeId, limit: MAX_APPS }), ({ items, nextCursor }) =>
    Effect.map(
      Effect.forEach(
        items,
        (app) =>
          client.webhooks.get({ storeId, installationId: app.id }).pipe(
            Effect.map((webhook) => [{ app, webhook }]),
            // The app was uninstalled between the two requests.
            Effect.catchTag("InstallationNotFound", () => Effect.succeed([]))
          ),
        { concurrency: 4 }
      ),
      (apps) => ({ apps: apps.flat(), hasMore: nextCursor !== null })
    )
  )

/** Status of an app: suspension first, then the worst state of its webhook. */
export const appHealth = (
  { state }: Pick<App, "state">,
  webhook: Webhook,
  { time }: Dates
): readonly [word: string, tone: Tone] => {
  if (state === "suspended") return [homeTexts.apps.suspended, "warn"]
  if (webhook.host === null) return [webhookTexts.states.missing, "plain"]
  if (webhook.pausedAt !== null) return [homeTexts.apps.paused(ago(webhook.pausedAt)), "alert"]
  if (webhook.heldSince !== null) return [homeTexts.apps.paused(ago(webhook.heldSince)), "warn"]
  if (webhook.failingSince !== null) return [homeTexts.apps.failing(time(webhook.failingSince)), "alert"]
  if (webhook.testFailedAt !== null) return [homeTexts.apps.failing(time(webhook.testFailedAt)), "alert"]
  if (webhook.calledAt === null) return [webhookTexts.states.notCalled, "plain"]
  return [webhookTexts.states.healthy, "good"]
}
