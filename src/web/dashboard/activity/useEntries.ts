import { type InfiniteData, useQueryClient } from "@tanstack/react-query"
import { useCallback } from "react"
import type { EntryId } from "../../../rpc/Client.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { useChanges } from "../../data/liveUpdates.ts"
import { callService } from "../../data/Service.ts"
import { useStoreId } from "../Store.ts"
import { type EntriesAsked, type EntriesPage, listEntries, withNewest } from "./Entries.ts"

export type EntriesFilter = Omit<EntriesAsked, "storeId" | "cursor" | "limit">

type Pages = InfiniteData<EntriesPage, { readonly cursor?: EntryId }>

/** What was written, the newest first. What is written since comes in front, by one call however many pages there are. */
export const useEntries = (filter: EntriesFilter) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const said = JSON.stringify(filter)
  const list = usePagedQuery(
    [storeId, "entries", said],
    ({ cursor }: { readonly cursor?: EntryId }) =>
      (client) =>
        listEntries(client, { storeId, ...filter, ...(cursor === undefined ? {} : { cursor }) })
  )
  const heard = useCallback(() => {
    const request: EntriesAsked = { storeId, ...JSON.parse(said) }
    const add = (newest: EntriesPage) =>
      queryClient.setQueryData<Pages>([storeId, "entries", said], (known) => {
        if (known === undefined) return undefined
        const pages = withNewest(known.pages, newest)
        return { pages: [...pages], pageParams: known.pageParams.slice(0, pages.length) }
      })
    // What fails here is asked for again with the next change, and by who opens the page anew.
    void callService((client) => listEntries(client, request)).then(add, () => undefined)
  }, [queryClient, said, storeId])
  useChanges(heard)
  return list
}
