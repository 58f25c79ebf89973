import { Effect } from "effect"
import type { StoreId } from "../../../src/domain/Store.ts"
import { type Client, install } from "./Api.ts"

/** Clients of several installations on one store, used in turn. Each window admits 100 requests a minute. */
export const makeClientRotation = Effect.fn(function* (storeId: StoreId, count: number) {
  const first = yield* install(storeId)
  const others = yield* Effect.replicateEffect(install(storeId), count - 1)
  const clients = [first, ...others].map(({ client }) => client)
  return (turn: number): Client => clients[turn % clients.length] ?? first.client
})
