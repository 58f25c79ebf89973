import { useRpcQuery } from "../../shared/data/queries.ts"
import { useMember, useStoreId } from "../../shared/data/store.ts"
import { activityTexts } from "./activityTexts.ts"

/** Enough for every list that people scroll through. */
const MAX_LISTED = 200

/** Agents of the store, including revoked ones. */
export const useAgents = () => {
  const storeId = useStoreId()
  return useRpcQuery([storeId, "agents", "all"], (client) => client.agents.list({ storeId, limit: MAX_LISTED }))
}

interface ActorGroup {
  readonly kind: string
  readonly actors: ReadonlyArray<{ readonly id: string; readonly name: string }>
}

/** Actors of the store, for the filter. Only owners can list the members. */
export const useActors = (): ReadonlyArray<ActorGroup> => {
  const storeId = useStoreId()
  const { isOwner, merchantId } = useMember()
  const agents = useAgents().data?.items ?? []
  const apps = useRpcQuery([storeId, "installations", "names"], (client) =>
    client.installations.list({ storeId, limit: MAX_LISTED })
  )
  const members = useRpcQuery([storeId, "members", "names"], (client) => client.members.list({ storeId }), {
    enabled: isOwner
  })
  return [
    {
      kind: activityTexts.filters.actors.members,
      actors: isOwner
        ? (members.data ?? []).map(({ merchantId: id, name }) => ({ id, name }))
        : [{ id: merchantId, name: activityTexts.filters.actors.you }]
    },
    { kind: activityTexts.filters.actors.agents, actors: agents },
    {
      kind: activityTexts.filters.actors.apps,
      actors: (apps.data?.items ?? []).map(({ appName, id }) => ({ id, name: appName }))
    }
  ]
}
