import type { StoreId } from "../../../rpc/Client.ts"
import { rpcQuery } from "../../shared/data/queries.ts"

/* Queries of the settings, which load beside the code of their tabs. */

export const membersQuery = (storeId: StoreId) =>
  rpcQuery([storeId, "members"], (client) => client.members.list({ storeId }))

/** Its key has no store: sessions belong to the account. */
export const sessionsQuery = rpcQuery(["sessions"], (client) => client.sessions.list({}))
