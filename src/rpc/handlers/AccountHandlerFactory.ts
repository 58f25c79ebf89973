import { Effect, Function as Fn, Redacted } from "effect"
import type { WithSecret } from "../../domain/access/Developers.ts"
import { extend, type JsonText } from "../../domain/json/Document.ts"
import { Idempotency, type IdempotencyKey, type KeyedRequest } from "../../domain/Idempotency.ts"
import type { JsonObject } from "../../domain/json/Json.ts"
import type { Write } from "../../domain/Write.ts"
import type { CallError } from "../Authentication.ts"
import type { AccountWriteError } from "../groups/CommonSchemas.ts"
import { currentMerchant, type Merchant } from "./Authorization.ts"
import { type Definition, type Handler, makeHandler } from "./Handler.ts"
import { fingerprint } from "./HandlerFactory.ts"

interface WritePayload {
  readonly idempotencyKey: IdempotencyKey
}

const keyedRequest = (tag: string, { idempotencyKey: key }: WritePayload, json: JsonObject): KeyedRequest => ({
  key,
  fingerprint: fingerprint(tag, json)
})

type WriteError = typeof AccountWriteError.Type

/** Creates a handler that reads data of the calling merchant's account. Agents fail with `AgentRefused`. */
export const accountHandler = <Payload, E, A>(
  definition: Definition<Payload, E>,
  run: (payload: Payload, merchant: Merchant) => Effect.Effect<A, NoInfer<E> | CallError>,
  toJson: (value: A) => JsonText
): Handler<E> =>
  makeHandler(definition, (payload) =>
    Effect.flatMap(currentMerchant, (merchant) => Effect.map(run(payload, merchant), toJson))
  )

/** Provides constructors of handlers that write to an account. */
export const makeAccountHandlerFactory = Effect.map(Idempotency, ({ onceForAccount }) => {
  /** Creates a handler that performs a write once per idempotency key of the account. */
  const writeHandler = <Payload extends WritePayload, E>(
    definition: Definition<Payload, E | WriteError>,
    toWrite: (payload: Payload, merchant: Merchant, keyed: KeyedRequest) => Write<JsonText, NoInfer<E> | WriteError>
  ): Handler<E | WriteError> =>
    makeHandler(definition, (payload, json) =>
      Effect.gen(function* () {
        const merchant = yield* currentMerchant
        const keyed = keyedRequest(definition._tag, payload, json)
        const write = toWrite(payload, merchant, keyed)
        return (yield* onceForAccount(merchant.id, keyed, write, Fn.identity)).text
      })
    )

  /** Creates a handler of a write that generates a secret. Only the first response holds it; replays return null. */
  const secretHandler = <Payload extends WritePayload, E>(
    definition: Definition<Payload, E | WriteError>,
    secretField: string,
    toWrite: (payload: Payload, merchant: Merchant) => Effect.Effect<Write<WithSecret, NoInfer<E>>>
  ): Handler<E | WriteError> =>
    makeHandler(definition, (payload, json) =>
      Effect.gen(function* () {
        const merchant = yield* currentMerchant
        const write = yield* toWrite(payload, merchant)
        const generated: { secret: Redacted.Redacted | null } = { secret: null }
        const keyed = keyedRequest(definition._tag, payload, json)
        const outcome = yield* onceForAccount(merchant.id, keyed, write, ({ json, secret }) => {
          generated.secret = secret
          return json
        })
        const secret = outcome.replayed || generated.secret === null ? null : Redacted.value(generated.secret)
        return extend(outcome.text, JSON.stringify({ [secretField]: secret }))
      })
    )

  return { writeHandler, secretHandler }
})
