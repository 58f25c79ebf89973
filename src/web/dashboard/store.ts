import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useRouter } from "@tanstack/react-router"
import type { StoreId } from "../../rpc/Client.ts"
import type { Account } from "../../domain/access/Merchants.ts"
import { useRpcQuery } from "../data/queries.ts"
import { account } from "../data/session.ts"

const route = getRouteApi("/dashboard/member/$storeId")

/** The store whose pages are open. */
export const useStoreId = (): StoreId => route.useParams().storeId

/** Who looks at it, and as what. */
export const useMember = (): Account & { readonly isOwner: boolean } => {
  const { account, membership } = route.useRouteContext()
  return { ...account, isOwner: membership.role === "owner" }
}

/** What the store says of itself, with the currency of its prices and what its plan allows. */
export const useStore = () => {
  const storeId = useStoreId()
  return useRpcQuery([storeId, "store"], (client) => client.store.get({ storeId }))
}

/** Asks anew who looks at it: what a store is called, or what they are there, is another. */
export const useRefreshAccount = () => {
  const queryClient = useQueryClient()
  const router = useRouter()
  return () => {
    queryClient.removeQueries({ queryKey: account.queryKey })
    void router.invalidate()
  }
}
