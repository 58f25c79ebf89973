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
import { isSignedOut, isTransient } from "./Problem.ts"
import { account } from "./Session.ts"
import { ask, type Call } from "./Service.ts"
import type { Client } from "../../rpc/Client.ts"

/** Milliseconds until a call that failed for a while is sent again: a window that is full says when it opens. */
const delayOf = (attempt: number, error: unknown) =>
  Predicate.hasProperty(error, "retryAfter") && typeof error.retryAfter === "number"
    ? error.retryAfter * 1000
    : Math.min(500 * 2 ** attempt, 8000)

/** What is kept of answers. `signedOut` is told where any call finds that the session has ended. */
export const makeQueries = (signedOut: () => void): QueryClient => {
  const tellWhere = (error: unknown) => {
    if (isSignedOut(error)) signedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({
      // Who is signed in is asked on the way to each page, which leads to the sign-in itself.
      onError: (error, { queryKey: [first] }) => (first === account.queryKey[0] ? undefined : tellWhere(error))
    }),
    mutationCache: new MutationCache({ onError: tellWhere }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failed, error) => failed < 3 && isTransient(error),
        retryDelay: delayOf
      }
    }
  })
}

interface AskedOptions {
  readonly enabled?: boolean
  /** The last answer stays until the next one comes, as under what is typed. */
  readonly keepsLast?: boolean
  /** Milliseconds until it is asked again, of what no change of the store tells. */
  readonly refetchInterval?: number
}

/** Asks for what a page shows. Keys begin with the store, so that what is kept of one is never shown of another. */
export const useAsked = <A, E>(
  queryKey: QueryKey,
  call: Call<A, E>,
  { keepsLast = false, ...options }: AskedOptions = {}
) =>
  useQuery({
    ...options,
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
    queryKey,
    queryFn: ({ signal }) => ask(call, signal)
  })

/** What a write is, and what it changes of what is kept. */
export interface Written<Input, A, E> {
  readonly write: (client: Client, input: Input, idempotencyKey: IdempotencyKey) => Effect.Effect<A, E>
  /** Keys of what is asked for anew when it is done, beside what tells of every write of a store. */
  readonly touches?: ReadonlyArray<QueryKey>
  readonly done?: (answer: A, input: Input) => void
}

/** What tells of the writes of a store, with which keys begin. */
const tellingOf = (touches: ReadonlyArray<QueryKey>) =>
  [...new Set(touches.map(([storeId]) => storeId))].flatMap((storeId) => [
    [storeId, "activity"],
    [storeId, "entries"]
  ])

/** A new one for each write that is meant. */
export const newKey = (): IdempotencyKey => IdempotencyKey.make(crypto.randomUUID())

/**
 * Writes, under a key of its own: the same one when the same is sent again because no answer came, so that it is done once.
 * Nothing is shown as done before it is.
 */
export const useWrite = <Input, A, E>({ done, touches = [], write }: Written<Input, A, E>) => {
  const queries = useQueryClient()
  const unanswered = useRef<{ readonly said: string; readonly key: IdempotencyKey } | undefined>(undefined)
  return useMutation({
    mutationFn: async (input: Input) => {
      const said = JSON.stringify(input) ?? ""
      const key = unanswered.current?.said === said ? unanswered.current.key : newKey()
      unanswered.current = { said, key }
      try {
        const answer = await ask((client) => write(client, input, key))
        unanswered.current = undefined
        return answer
      } catch (error) {
        if (!isTransient(error)) unanswered.current = undefined
        throw error
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all([...touches, ...tellingOf(touches)].map((queryKey) => queries.invalidateQueries({ queryKey })))
      done?.(answer, input)
    }
  })
}
