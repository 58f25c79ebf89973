import { Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { IdempotencyKey } from "../../domain/Idempotency.ts"
import { CurrentKey, KeyRequired } from "../api/Middleware.ts"
import { KeyMalformed, KeyMissing } from "../ErrorTable.ts"

const isKey = Schema.is(IdempotencyKey)

const key = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const given = headers["idempotency-key"]
  if (given === undefined) return yield* new KeyMissing()
  return isKey(given) ? given : yield* new KeyMalformed()
})

export const KeyRequiredLive = Layer.succeed(KeyRequired, (httpEffect) =>
  Effect.provideServiceEffect(httpEffect, CurrentKey, key)
)
