import { Effect, Option, Stream } from "effect"
import type { Api, ListQuery, Query } from "./Api.ts"
import type { Answer, CallOptions, DryRun, Page, Rehearsed, UpdateOptions } from "./Calls.ts"
import { ApiError, ConnectionError, OAuthError } from "./Errors.ts"

/* The operations of the API as effects: those of `Api.ts`, with every failure in the type. */

/** What a call fails with: `OAuthError` where its token had ended, and could not be renewed. */
export type CallError = ApiError | ConnectionError | OAuthError

/** An effect is given up by its interruption. */
export type WithoutSignal<Options extends CallOptions> = Omit<Options, "signal">

/** A list, of which nothing is asked yet. */
export interface EffectListing<Item> {
  /** The page that was asked for, alone. */
  readonly page: Effect.Effect<Page<Item>, CallError>
  /** Every item, page after page. */
  readonly stream: Stream.Stream<Item, CallError>
}

export interface EffectApi {
  readonly read: <Data>(
    path: string,
    query: Query,
    options: WithoutSignal<CallOptions>
  ) => Effect.Effect<Answer<Data>, CallError>
  readonly list: <Item>(
    path: string,
    items: string,
    query: ListQuery,
    options: WithoutSignal<CallOptions>
  ) => EffectListing<Item>
  readonly write: <Data>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    query: Query,
    options: WithoutSignal<UpdateOptions> | DryRun<WithoutSignal<UpdateOptions>>,
    body?: unknown
  ) => Effect.Effect<Answer<Data> | Rehearsed<Data>, CallError>
}

const isCallError = (thrown: unknown): thrown is CallError =>
  thrown instanceof ApiError || thrown instanceof ConnectionError || thrown instanceof OAuthError

/** What is none of the client's own failures is a defect: a caller's mistake, or a store of tokens that fails. */
const calling = <A>(call: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, CallError> =>
  Effect.tryPromise({ try: call, catch: (thrown) => thrown }).pipe(
    Effect.catch((thrown) => (isCallError(thrown) ? Effect.fail(thrown) : Effect.die(thrown)))
  )

export const effectApiOf = (api: Api): EffectApi => ({
  read: (path, query, options) => calling((signal) => api.read(path, query, { ...options, signal })),
  write: (method, path, query, options, body) =>
    calling((signal) => api.write(method, path, query, { ...options, signal }, body)),
  list: <Item>(path: string, items: string, query: ListQuery, options: WithoutSignal<CallOptions>) => {
    const page = (cursor: string | undefined) =>
      calling((signal) => api.list<Item>(path, items, { ...query, cursor }, { ...options, signal }).page())
    return {
      page: page(query.cursor),
      stream: Stream.paginate(query.cursor, (cursor) =>
        Effect.map(page(cursor), ({ items, nextCursor }) => [items, Option.fromNullishOr(nextCursor)] as const)
      )
    }
  }
})
