import {
  keepPreviousData,
  QueryCache,
  MutationCache,
  QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import { type Effect, Predicate } from "effect"
import { useRef } from "react"
import { IdempotencyKey } from "../../rpc/Client.ts"
import { isSignedOut, isTransient } from "./errorMessages.ts"
import { account } from "./session.ts"
import { callService, type Call } from "./service.ts"
import type { Client } from "../../rpc/Client.ts"

/** Milliseconds until a call that failed for a while is sent again: a window that is full says when it opens. */
const retryDelay = (attempt: number, error: unknown) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * 1000
    : Math.min(500 * 2 ** attempt, 8000)

/** What is kept of answers. `signedOut` is told where any call finds that the session has ended. */
export const makeQueryClient = (onSignedOut: () => void): QueryClient => {
  const handleSignedOut = (error: unknown) => {
    if (isSignedOut(error)) onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({
      // Who is signed in is asked on the way to each page, which leads to the sign-in itself.
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

interface RpcQueryOptions {
  readonly enabled?: boolean
  /** The last answer stays until the next one comes, as under what is typed. */
  readonly keepPrevious?: boolean
  /** Milliseconds until it is asked again, of what no change of the store tells. */
  readonly refetchInterval?: number
}

/** Asks for what a page shows. Keys begin with the store, so that what is kept of one is never shown of another. */
export const useRpcQuery = <A, E>(
  queryKey: QueryKey,
  call: Call<A, E>,
  { keepPrevious = false, ...options }: RpcQueryOptions = {}
) =>
  useQuery({
    ...options,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    queryKey,
    queryFn: ({ signal }) => callService(call, signal)
  })

/** What a write is, and what it changes of what is kept. */
export interface RpcMutationOptions<Input, A, E> {
  readonly write: (client: Client, input: Input, idempotencyKey: IdempotencyKey) => Effect.Effect<A, E>
  /** Keys of what is asked for anew when it is done, beside what tells of every write of a store. */
  readonly invalidates?: ReadonlyArray<QueryKey>
  readonly onSuccess?: (answer: A, input: Input) => void
}

/** What tells of the writes of a store, with which keys begin. */
const activityKeys = (keys: ReadonlyArray<QueryKey>) =>
  [...new Set(keys.map(([storeId]) => storeId))].flatMap((storeId) => [
    [storeId, "activity"],
    [storeId, "entries"]
  ])

/** A new one for each write that is meant. */
export const newIdempotencyKey = (): IdempotencyKey => IdempotencyKey.make(crypto.randomUUID())

/**
 * Writes, under a key of its own: the same one when the same is sent again because no answer came, so that it is done once.
 * Nothing is shown as done before it is.
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
        const answer = await callService((client) => write(client, input, key))
        pending.current = undefined
        return answer
      } catch (error) {
        if (!isTransient(error)) pending.current = undefined
        throw error
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all(
        [...invalidates, ...activityKeys(invalidates)].map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      )
      onSuccess?.(answer, input)
    }
  })
}
