import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"

/** Polling interval in milliseconds. Proposals do not appear in the change stream. */
const POLL_MILLIS = 15_000

/** Pending proposals, up to one page. */
export const usePendingProposals = () => {
  const storeId = useStoreId()
  return useRpcQuery(
    [storeId, "proposals", "pending"],
    (client) => client.proposals.list({ storeId, pending: true, limit: 100 }),
    { refetchInterval: POLL_MILLIS }
  )
}
