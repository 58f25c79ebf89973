import { type InfiniteData, useQueryClient } from "@tanstack/react-query"
import { useCallback } from "react"
import type { EntryId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { useChanges } from "../../shared/data/liveUpdates.tsx"
import { callService } from "../../shared/data/service.ts"
import { useStoreId, useMember } from "../../shared/data/store.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { type ListEntriesRequest, type EntriesPage, listEntries, withNewest } from "./entries.ts"
import { activityTexts } from "./activityTexts.ts"

export type EntriesFilter = Omit<ListEntriesRequest, "storeId" | "cursor" | "limit">

type Pages = InfiniteData<EntriesPage, { readonly cursor?: EntryId }>

/** Journal entries, newest first. One request loads new entries, however many pages are open. */
export const useEntries = (filter: EntriesFilter) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const serializedFilter = JSON.stringify(filter)
  const list = usePagedQuery(
    [storeId, "entries", serializedFilter],
    ({ cursor }: { readonly cursor?: EntryId }) =>
      (client) =>
        listEntries(client, { storeId, ...filter, ...(cursor === undefined ? {} : { cursor }) })
  )
  const refresh = useCallback(() => {
    const request: ListEntriesRequest = { storeId, ...JSON.parse(serializedFilter) }
    const add = (newest: EntriesPage) =>
      queryClient.setQueryData<Pages>([storeId, "entries", serializedFilter], (known) => {
        if (known === undefined) return undefined
        const pages = withNewest(known.pages, newest)
        return { pages: [...pages], pageParams: known.pageParams.slice(0, pages.length) }
      })
    // A failed refresh is repeated with the next change.
    void callService((client) => listEntries(client, request)).then(add, () => undefined)
  }, [queryClient, serializedFilter, storeId])
  useChanges(refresh)
  return list
}

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
