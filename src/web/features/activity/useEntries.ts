import { type InfiniteData, useQueryClient } from "@tanstack/react-query"
import { useCallback } from "react"
import type { EntryId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../shared/data/queries.ts"
import { useChanges } from "../../shared/data/liveUpdates.tsx"
import { callService } from "../../shared/data/service.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { type ListEntriesRequest, type EntriesPage, listEntries, withNewest } from "./entries.ts"

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
