import { infiniteQueryOptions, keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query"
import { callService, type Call } from "./service.ts"

/** A page of a list, as the service answers it. */
export interface ListPage<Item, Cursor> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: Cursor | null
}

interface ListOptions<Item> {
  readonly enabled?: boolean
  /** What was found before stays until there is what is found now, as under a search that is typed. */
  readonly keepPrevious?: boolean
  readonly staleTime?: number
  /** Whether what is shown changes by itself, so that it is asked for again soon. */
  readonly isPolled?: (items: ReadonlyArray<Item>) => boolean
}

/** Milliseconds until a list that changes by itself is asked for again. */
const POLL_MILLIS = 2000

type PageCall<Item, Cursor, E> = (cursor: { readonly cursor?: Cursor }) => Call<ListPage<Item, Cursor>, E>

/** How a list is asked for, page by page. */
export const listQuery = <Item, Cursor, E>(queryKey: QueryKey, call: PageCall<Item, Cursor, E>) => {
  const first: { readonly cursor?: Cursor } = {}
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) => callService(call(pageParam), signal),
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : { cursor: nextCursor })
  })
}

/** A list of the service, page by page as it is read on. */
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
    more: {
      hasMore: query.hasNextPage,
      isLoading: query.isFetchingNextPage,
      load: () => void query.fetchNextPage()
    }
  }
}
