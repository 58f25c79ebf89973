import {
  keepPreviousData,
  QueryCache,
  MutationCache,
  QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import { type Effect, Predicate } from "effect"
import { useRef } from "react"
import { IdempotencyKey } from "../../../rpc/Client.ts"
import { isSignedOut, isTransient } from "./errorMessages.ts"
import { account } from "./session.ts"
import { callService, type Call } from "./service.ts"
import type { Client } from "../../../rpc/Client.ts"

/** Retry delay in milliseconds. Rate limit errors contain their own delay. */
const retryDelay = (attempt: number, error: unknown) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * 1000
    : Math.min(500 * 2 ** attempt, 8000)

/** Query client of all pages. Calls `onSignedOut` when a request finds that the session has expired. */
export const makeQueryClient = (onSignedOut: () => void): QueryClient => {
  const handleSignedOut = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({
      // The route guards load the account and redirect to the sign-in page themselves.
      onError: (error, { queryKey: [first] }) => (first === account.queryKey[0] ? undefined : handleSignedOut(error))
    }),
    mutationCache: new MutationCache({ onError: handleSignedOut }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failed, error) => failed < 3 && isTransient(error),
        retryDelay
      }
    }
  })
}

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
export interface RpcMutationOptions<Input, A, E> {
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
