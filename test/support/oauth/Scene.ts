import { Effect } from "effect"
import { baseUrl, makeStore } from "../http/Api.ts"
import { agreeingMember, makePoster, register, type Registered } from "./Oauth.ts"
import { makeMerchant } from "../rpc/Merchants.ts"

/** An app, a store whose member consents to it, and its token requests. */
export const scene = Effect.fn(function* (registered: Registered = {}) {
  const app = yield* register(registered)
  const base = yield* baseUrl
  const storeId = yield* makeStore()
  return { app, base, storeId, ...makePoster(base, app), ...(yield* agreeingMember(storeId, yield* makeMerchant())) }
})
