import { Effect } from "effect"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import type { StoreWebhook } from "../../../domain/webhooks/StoreWebhooks.ts"
import type { Client, StoreId } from "../../../rpc/Client.ts"
import { ago, time } from "../../data/format.ts"
import type { Tone } from "../../ui/Badge.tsx"

/** Apps that are looked at: each is a call of its own. */
const MAX_APPS = 10

export type App = typeof InstalledApp.Type
export type Webhook = typeof StoreWebhook.Type

/** The first apps of the store, each with how events reach it. */
export const listAppsWithWebhooks = (client: Client, storeId: StoreId) =>
  Effect.flatMap(client.installations.list({ storeId, limit: MAX_APPS }), ({ items, nextCursor }) =>
    Effect.map(
      Effect.forEach(
        items,
        (app) =>
          client.webhooks.get({ storeId, installationId: app.id }).pipe(
            Effect.map((webhook) => [{ app, webhook }]),
            // Uninstalled between the two calls.
            Effect.catchTag("InstallationNotFound", () => Effect.succeed([]))
          ),
        { concurrency: 4 }
      ),
      (apps) => ({ apps: apps.flat(), hasMore: nextCursor !== null })
    )
  )

/** How an app is told of what happens, in a few words. */
export const appHealth = ({ state }: Pick<App, "state">, webhook: Webhook): readonly [words: string, tone: Tone] => {
  if (state === "suspended") return ["Suspended", "warn"]
  if (webhook.host === null) return ["No webhook", "plain"]
  if (webhook.pausedAt !== null) return [`Paused ${ago(webhook.pausedAt)}`, "alert"]
  if (webhook.heldSince !== null) return [`Paused ${ago(webhook.heldSince)}`, "warn"]
  if (webhook.failingSince !== null) return [`Failing since ${time(webhook.failingSince)}`, "alert"]
  return ["Healthy", "good"]
}
