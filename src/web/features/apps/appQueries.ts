import { getRouteApi } from "@tanstack/react-router"
import type { InstallationId, StoreId } from "../../../rpc/Client.ts"
import { rpcQuery } from "../../shared/data/queries.ts"

/* Queries of an installed app, which load beside the code of its tabs. */

const route = getRouteApi("/dashboard/member/$storeId/apps/$installationId")

/** Id of the open app, for its page and tabs. */
export const useInstallationId = (): InstallationId => route.useParams().installationId

interface AppInStore {
  readonly storeId: StoreId
  readonly installationId: InstallationId
}

export const installationQuery = ({ installationId: id, storeId }: AppInStore) =>
  rpcQuery([storeId, "app", id], (client) => client.installations.get({ storeId, id }))

export const webhookQuery = ({ installationId, storeId }: AppInStore) =>
  rpcQuery([storeId, "app", installationId, "webhook"], (client) => client.webhooks.get({ storeId, installationId }))

export const requestsQuery = ({ installationId: id, storeId }: AppInStore) =>
  rpcQuery([storeId, "app", id, "requests"], (client) => client.installations.requests({ storeId, id }))
