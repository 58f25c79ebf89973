import { infiniteQueryOptions, keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query"
import { callService, type Call } from "./service.ts"

/** Page of a list. */
export interface ListPage<Item, Cursor> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: Cursor | null
  /** Number of all matches of a query; null if they are too many to count. */
  readonly total?: number | null
}

interface ListOptions<Item> {
  readonly enabled?: boolean
  /** Keeps the previous items until the new ones arrive, for search as you type. */
  readonly keepPrevious?: boolean
  readonly staleTime?: number
  /** Returns true while the items are expected to change, so that the list is polled. */
  readonly isPolled?: (items: ReadonlyArray<Item>) => boolean
}

/** Interval of polling, in milliseconds. */
const POLL_MILLIS = 2000

type PageCall<Item, Cursor, E> = (cursor: { readonly cursor?: Cursor }) => Call<ListPage<Item, Cursor>, E>

/** Query options of a paged list. */
export const listQuery = <Item, Cursor, E>(queryKey: QueryKey, call: PageCall<Item, Cursor, E>) => {
  const first: { readonly cursor?: Cursor } = {}
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) => callService(call(pageParam), signal),
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : { cursor: nextCursor })
  })
}

/** Paged list that loads more pages on request. */
export const usePagedQuery = <Item, Cursor, E>(
  queryKey: QueryKey,
  call: PageCall<Item, Cursor, E>,
  { isPolled = () => false, keepPrevious = false, ...options }: ListOptions<Item> = {}
) => {
  const query = useInfiniteQuery({
    ...options,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...listQuery(queryKey, call),
    refetchInterval: ({ state }) =>
      isPolled(state.data?.pages.flatMap(({ items }) => items) ?? []) ? POLL_MILLIS : false
  })
  return {
    query,
    items: query.data?.pages.flatMap(({ items }) => items),
    total: query.data?.pages[0]?.total,
    more: {
      hasMore: query.hasNextPage,
      isLoading: query.isFetchingNextPage,
      load: () => void query.fetchNextPage()
    }
  }
}
