import { Effect, Option } from "effect"
import { Stores } from "../../domain/access/Stores.ts"
import { Billing } from "../../domain/billing/Billing.ts"
import * as Api from "../api/Stores.ts"
import type { HandlersOf } from "../Handler.ts"
import { plain } from "./Answers.ts"
import { read } from "./Reads.ts"

export const makeStoreHandlers = Effect.gen(function* () {
  const stores = yield* Stores
  const billing = yield* Billing
  return {
    getStore: read(
      Api.getStore,
      ({ installation: { capabilities, id, scopes, storeId } }) =>
        Effect.zipWith(stores.get(storeId), billing.current({ id, storeId }), (store, current) => {
          const subscription = Option.getOrNull(current)
          return { ...store, installation: { id, scopes, capabilities, subscription } }
        }),
      plain
    )
  } satisfies HandlersOf<typeof Api.StoreGroup>
})
