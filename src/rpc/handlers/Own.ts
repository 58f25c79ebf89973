import { Effect, Redacted } from "effect"
import type { WithSecret } from "../../domain/access/Developers.ts"
import { extend, type JsonText } from "../../domain/Document.ts"
import { Idempotency, type IdempotencyKey } from "../../domain/Idempotency.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { Write } from "../../domain/Write.ts"
import type { CallRefused } from "../Principal.ts"
import type { OwnWriteRefused } from "../Shapes.ts"
import { asItIs } from "./Answers.ts"
import { currentMerchant, type Definition, fingerprint, type Merchant, procedure, type Procedure } from "./Procedure.ts"

interface Keyed {
  readonly idempotencyKey: IdempotencyKey
}

type Refused = typeof OwnWriteRefused.Type

/** A procedure that reads what is a merchant's own and in no store: nobody else's, and no agent's. */
export const readOwn = <Tag extends string, Payload, Refusal, Found>(
  definition: Definition<Tag, Payload, Refusal>,
  run: (payload: Payload, merchant: Merchant) => Effect.Effect<Found, NoInfer<Refusal> | CallRefused>,
  toJson: (found: Found) => JsonText
): Procedure<Tag> =>
  procedure(definition, (payload) =>
    Effect.flatMap(currentMerchant, (merchant) => Effect.map(run(payload, merchant), toJson))
  )

/** The frames of procedures that write there. */
export const makeOwnWrites = Effect.map(Idempotency, ({ onceOf }) => {
  /** Performs a write once for a key of the account: what it made, unless it was made before, and its answer. */
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

  const write = <Tag extends string, Payload extends Keyed, Refusal>(
    definition: Definition<Tag, Payload, Refusal | Refused>,
    run: (payload: Payload, merchant: Merchant) => Write<JsonText, NoInfer<Refusal>>
  ): Procedure<Tag> =>
    procedure(definition, (payload, json) =>
      Effect.flatMap(currentMerchant, (merchant) =>
        Effect.map(
          performed(definition._tag, merchant, payload, json, run(payload, merchant), asItIs),
          ({ body }) => body
        )
      )
    )

  /** A write that makes a secret: that is shown with the first answer, and the record of it is without. */
  const writeSecret = <Tag extends string, Payload extends Keyed, Refusal>(
    definition: Definition<Tag, Payload, Refusal | Refused>,
    member: string,
    run: (payload: Payload, merchant: Merchant) => Effect.Effect<Write<WithSecret, NoInfer<Refusal>>>
  ): Procedure<Tag> =>
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
