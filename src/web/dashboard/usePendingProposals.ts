import { useRpcQuery } from "../data/queries.ts"
import { useStoreId } from "./store.ts"

/** Milliseconds until it is asked again: a proposal changes nothing in the store, so that no change tells of it. */
const POLL_MILLIS = 15_000

/** The proposals that wait, up to what a page of them holds. */
export const usePendingProposals = () => {
  const storeId = useStoreId()
  return useRpcQuery(
    [storeId, "proposals", "waiting"],
    (client) => client.proposals.list({ storeId, pending: true, limit: 100 }),
    { refetchInterval: POLL_MILLIS }
  )
}
