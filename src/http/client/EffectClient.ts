import { type ClientOptions, makeApi } from "./Api.ts"
import { effectApiOf } from "./EffectApi.ts"
import { PartnerEffects } from "./generated/EffectOperations.ts"

/* The client for programs of Effect, published as `partner-api/client/effect`, beside `partner-api/client`. */

export type { CallError, EffectListing, WithoutSignal } from "./EffectApi.ts"
export type * from "./generated/EffectOperations.ts"

/**
 * A client of every operation, for one installation: that of `createClient`, by effects, with every failure in the type.
 *
 * @example
 * const { data } = yield* client.products.create({ name: "Lantern" }).pipe(
 *   Effect.catchTag("ApiError", ({ issues, message }) => Effect.fail([message, ...issues]))
 * )
 */
export const createEffectClient = (options: ClientOptions): PartnerEffects =>
  new PartnerEffects(effectApiOf(makeApi(options)))
