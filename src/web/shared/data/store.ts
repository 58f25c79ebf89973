import { useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import type { StoreId } from "../../../rpc/Client.ts"
import type { Account } from "../../../domain/access/Merchants.ts"
import { rpcQuery } from "./queries.ts"
import { account } from "./service.ts"

const route = getRouteApi("/dashboard/member/$storeId")

/** Id of the open store. */
export const useStoreId = (): StoreId => route.useParams().storeId

/** Signed-in account, with its role in the open store and the time zone of the store. */
export const useMember = (): Account & { readonly isOwner: boolean; readonly timezone: string } => {
  const { account, membership } = route.useRouteContext()
  return { ...account, isOwner: membership.role === "owner", timezone: membership.timezone }
}

export const storeQuery = (storeId: StoreId) => rpcQuery([storeId, "store"], (client) => client.store.get({ storeId }))

/** Open store, with its currency and plan. */
export const useStore = () => useQuery(storeQuery(useStoreId()))

/** Reloads the account after its role, the name or the time zone of the store changed. */
export const useRefreshAccount = () => {
  const queryClient = useQueryClient()
  const router = useRouter()
  return () => {
    queryClient.removeQueries({ queryKey: account.queryKey })
    void router.invalidate()
  }
}
