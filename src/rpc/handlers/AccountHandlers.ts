import { Effect, Function as Fn, Redacted } from "effect"
import type { WithSecret } from "../../domain/access/Developers.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { Write } from "../../domain/Write.ts"
import type { CallRefused } from "../Authentication.ts"
import type { OwnWriteRefused } from "../groups/CommonSchemas.ts"
import { currentMerchant, type Merchant } from "./Authorization.ts"
import { type Definition, fingerprint, type Handler, procedure } from "./StoreHandlers.ts"

interface Keyed {
  readonly idempotencyKey: IdempotencyKey
}

type Refused = typeof OwnWriteRefused.Type

/** A handler that reads what belongs to the account of a merchant. Agents are refused. */
export const readAccount = <Payload, Refusal, Found>(
  definition: Definition<Payload, Refusal>,
  run: (payload: Payload, merchant: Merchant) => Effect.Effect<Found, NoInfer<Refusal> | CallRefused>,
  toJson: (found: Found) => JsonText
): Handler<Refusal> =>
  procedure(definition, (payload) =>
    Effect.flatMap(currentMerchant, (merchant) => Effect.map(run(payload, merchant), toJson))
  )

/** Constructors of handlers that write to an account. */
export const makeAccountWrites = Effect.map(Idempotency, ({ onceOf }) => {
  /** Performs a write once for a key of the account. */
  const performed = <Made, Refusal>(
    tag: string,
    { id }: Merchant,
    { idempotencyKey: key }: Keyed,
    json: JsonObject,
    write: Write<Made, Refusal>,
    toJson: (made: Made) => JsonText
  ) =>
    onceOf(id, { key, fingerprint: fingerprint(tag, json) }, write, (made) => ({
      status: 200,
      body: toJson(made),
      etag: null
    }))

  const write = <Payload extends Keyed, Refusal>(
    definition: Definition<Payload, Refusal | Refused>,
    run: (payload: Payload, merchant: Merchant) => Write<JsonText, NoInfer<Refusal>>
  ): Handler<Refusal | Refused> =>
    procedure(definition, (payload, json) =>
      Effect.flatMap(currentMerchant, (merchant) =>
        Effect.map(
          performed(definition._tag, merchant, payload, json, run(payload, merchant), Fn.identity),
          ({ body }) => body
        )
      )
    )

  /** A write that makes a secret. Only the first response shows it; the stored response lacks it. */
  const writeSecret = <Payload extends Keyed, Refusal>(
    definition: Definition<Payload, Refusal | Refused>,
    member: string,
    run: (payload: Payload, merchant: Merchant) => Effect.Effect<Write<WithSecret, NoInfer<Refusal>>>
  ): Handler<Refusal | Refused> =>
    procedure(definition, (payload, json) =>
      Effect.gen(function* () {
        const merchant = yield* currentMerchant
        const described = yield* run(payload, merchant)
        const made: { secret: Redacted.Redacted | null } = { secret: null }
        const answered = yield* performed(definition._tag, merchant, payload, json, described, ({ json, secret }) => {
          made.secret = secret
          return json
        })
        const secret = answered.replayed || made.secret === null ? null : Redacted.value(made.secret)
        return extend(answered.body, JSON.stringify({ [member]: secret }))
      })
    )

  return { write, writeSecret }
})
