import { Effect } from "effect"
import type { AppId } from "../../../rpc/Client.ts"
import { rpcQuery } from "../../shared/data/queries.ts"

/* Queries of a developer's app, which load beside the code of its tabs. */

export const appQuery = (id: AppId) => rpcQuery(["app", id], (client) => client.apps.get({ id }))

/** Webhook of an app. A missing one is a value, not an error, so that form input survives a refetch. */
export const webhookQuery = (id: AppId) =>
  rpcQuery(["app", id, "webhook"], (client) =>
    Effect.catchTag(client.appWebhooks.get({ id }), "WebhookNotFound", () => Effect.succeed(null))
  )
