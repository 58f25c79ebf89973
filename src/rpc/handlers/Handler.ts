import { type Context, Effect, type Schema } from "effect"
import { decodeWith } from "../../domain/json/Decoder.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import { CallBody } from "../../domain/Pacing.ts"
import type { CallError } from "../Authentication.ts"
import type { CurrentPrincipal } from "../Principal.ts"
import { currentMerchant, type NotAuthorized } from "./Authorization.ts"

/** Handles a call. Receives the undecoded payload and succeeds with the JSON of the response. */
export type Handler<E> = (payload: JsonObject) => Effect.Effect<JsonText, E | CallError, CurrentPrincipal>

/** The parts of an `Rpc` that a handler uses. */
export interface Definition<Payload, E> {
  readonly _tag: string
  readonly payloadSchema: Schema.Codec<Payload, unknown>
  readonly errorSchema: Schema.Codec<E, unknown>
  readonly annotations: Context.Context<never>
}

/**
 * Creates a handler that decodes its payload strictly. Authorization runs first, because decoding costs CPU and its issues
 * can disclose data of a store. By default only merchants are authorized.
 */
export const makeHandler = <Payload, E>(
  { payloadSchema }: Definition<Payload, E>,
  run: (payload: Payload, json: JsonObject) => Effect.Effect<JsonText, NoInfer<E> | CallError, CurrentPrincipal>,
  authorization: (json: JsonObject) => Effect.Effect<unknown, NotAuthorized, CurrentPrincipal> = () => currentMerchant
): Handler<E> => {
  const decode = decodeWith(payloadSchema)
  return Effect.fnUntraced(function* (json) {
    yield* authorization(json)
    const { pace } = yield* CallBody
    return yield* run(yield* pace(Effect.suspend(() => Effect.fromResult(decode(json, true)))), json)
  })
}
