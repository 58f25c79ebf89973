import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { visibleStore } from "../../domain/access/Masks.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { Billing } from "../../domain/billing/Billing.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { plain, read } from "./Responses.ts"

export const StoreLive = HttpApiBuilder.group(
  PartnerApi,
  "Store",
  Effect.fnUntraced(function* (handlers) {
    const stores = yield* Stores
    const billing = yield* Billing

    return handlers.handle("getStore", () =>
      read(
        ({ capabilities, id, scopes, storeId }) =>
          Effect.zipWith(stores.get(storeId), billing.current({ id, storeId }), (store, current) => ({
            ...visibleStore({ capabilities, scopes }, store),
            installation: { id, scopes, capabilities, subscription: Option.getOrNull(current) }
          })),
        plain
      )
    )
  })
)
