import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryClient,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import { Effect, Predicate } from "effect"
import { useEffect, useRef, useState } from "react"
import { type Client, IdempotencyKey } from "../../../rpc/Client.ts"
import { isTransient } from "./errorMessages.ts"
import { type Call, callService } from "./service.ts"

/** Retry delay in milliseconds. Rate limit errors contain their own delay. */
const retryDelay = (attempt: number, error: unknown) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * 1000
    : Math.min(500 * 2 ** attempt, 8000)

/** Query client of all pages. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failed, error) => failed < 3 && isTransient(error),
        retryDelay
      }
    }
  })

interface RpcQueryOptions<A> {
  readonly enabled?: boolean
  /** Keeps the previous data until the new data arrives, for search as you type. */
  readonly keepPrevious?: boolean
  /** Polling interval in milliseconds, for data that no change event covers. It may depend on the data. */
  readonly refetchInterval?: number | ((data: A | undefined) => number | false)
}

/** Query options of one procedure, for a hook and for the loader of a route. */
export const rpcQuery = <A, E>(queryKey: QueryKey, call: Call<A, E>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => callService(call, signal) })

/** Query of one procedure. Keys start with the store id, so that cached data never crosses stores. */
export const useRpcQuery = <A, E>(
  queryKey: QueryKey,
  call: Call<A, E>,
  { keepPrevious = false, refetchInterval, ...options }: RpcQueryOptions<A> = {}
) =>
  useQuery<A>({
    ...options,
    refetchInterval:
      typeof refetchInterval === "function" ? ({ state }) => refetchInterval(state.data) : (refetchInterval ?? false),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    queryKey,
    queryFn: ({ signal }) => callService(call, signal)
  })

/** Options of a mutation. */
interface RpcMutationOptions<Input, A, E> {
  readonly write: (client: Client, input: Input, idempotencyKey: IdempotencyKey) => Effect.Effect<A, E>
  /** Query keys to refetch after success, in addition to the activity of the store. */
  readonly invalidates?: ReadonlyArray<QueryKey>
  readonly onSuccess?: (result: A, input: Input) => void
}

/** Activity queries of the stores in these keys. */
const activityKeys = (keys: ReadonlyArray<QueryKey>) =>
  [...new Set(keys.map(([storeId]) => storeId))].flatMap((storeId) => [
    [storeId, "activity"],
    [storeId, "entries"]
  ])

/** Creates the key of a new write. */
export const newIdempotencyKey = (): IdempotencyKey => IdempotencyKey.make(crypto.randomUUID())

/**
 * Mutation with an idempotency key. A retry of the same input after a transient error uses the same key, so that the
 * write happens once. There are no optimistic updates.
 */
export const useRpcMutation = <Input, A, E>({
  onSuccess,
  invalidates = [],
  write
}: RpcMutationOptions<Input, A, E>) => {
  const queryClient = useQueryClient()
  const pending = useRef<{ readonly input: string; readonly key: IdempotencyKey } | undefined>(undefined)
  return useMutation({
    mutationFn: async (input: Input) => {
      const serializedInput = JSON.stringify(input) ?? ""
      const key = pending.current?.input === serializedInput ? pending.current.key : newIdempotencyKey()
      pending.current = { input: serializedInput, key }
      try {
        const result = await callService((client) => write(client, input, key))
        pending.current = undefined
        return result
      } catch (error) {
        if (!isTransient(error)) pending.current = undefined
        throw error
      }
    },
    onSuccess: async (result, input) => {
      await Promise.all(
        [...invalidates, ...activityKeys(invalidates)].map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      )
      onSuccess?.(result, input)
    }
  })
}

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

const isDryRun = <A extends object>(result: A): result is Extract<A, { readonly dryRun: true }> => "dryRun" in result

/** Narrows the result of a write to its dry run. Dies if the service performed the write. */
export const requireDryRun = <A extends object, E>(
  write: Effect.Effect<A, E>
): Effect.Effect<Extract<A, { readonly dryRun: true }>, E> =>
  Effect.flatMap(write, (result) =>
    isDryRun(result) ? Effect.succeed(result) : Effect.die(new Error("The service performed a dry run as a write"))
  )

/** Returns the value after it has not changed for `millis`. */
export const useDebouncedValue = <A>(value: A, millis = 200): A => {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), millis)
    return () => clearTimeout(timer)
  }, [value, millis])
  return debounced
}
