import { infiniteQueryOptions, keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query"
import { ask, type Call } from "./Service.ts"

/** A page of a list, as the service answers it. */
export interface ListPage<Item, Cursor> {
  readonly items: ReadonlyArray<Item>
  readonly nextCursor: Cursor | null
}

interface ListOptions<Item> {
  readonly enabled?: boolean
  /** What was found before stays until there is what is found now, as under a search that is typed. */
  readonly keepsLast?: boolean
  readonly staleTime?: number
  /** Whether what is shown changes by itself, so that it is asked for again soon. */
  readonly isMoving?: (items: ReadonlyArray<Item>) => boolean
}

/** Milliseconds until a list that changes by itself is asked for again. */
const SOON = 2000

type PageCall<Item, Cursor, E> = (cursor: { readonly cursor?: Cursor }) => Call<ListPage<Item, Cursor>, E>

/** How a list is asked for, page by page. */
export const listQuery = <Item, Cursor, E>(queryKey: QueryKey, call: PageCall<Item, Cursor, E>) => {
  const first: { readonly cursor?: Cursor } = {}
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) => ask(call(pageParam), signal),
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : { cursor: nextCursor })
  })
}

/** A list of the service, page by page as it is read on. */
export const useList = <Item, Cursor, E>(
  queryKey: QueryKey,
  call: PageCall<Item, Cursor, E>,
  { isMoving = () => false, keepsLast = false, ...options }: ListOptions<Item> = {}
) => {
  const asked = useInfiniteQuery({
    ...options,
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
    ...listQuery(queryKey, call),
    refetchInterval: ({ state }) => (isMoving(state.data?.pages.flatMap(({ items }) => items) ?? []) ? SOON : false)
  })
  return {
    asked,
    items: asked.data?.pages.flatMap(({ items }) => items),
    more: {
      hasMore: asked.hasNextPage,
      isLoading: asked.isFetchingNextPage,
      load: () => void asked.fetchNextPage()
    }
  }
}
