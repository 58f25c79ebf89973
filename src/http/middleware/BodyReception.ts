import { Effect, Layer, Result } from "effect"
import { BodyReception, RequestBody } from "../api/Middleware.ts"
import { receiveBody } from "../Body.ts"
import { currentExchange } from "../Exchange.ts"

const NO_BODY = Result.succeed(Buffer.alloc(0))

export const BodyReceptionLive = Layer.succeed(BodyReception, (httpEffect, { endpoint }) =>
  endpoint.payload.size === 0
    ? Effect.provideService(httpEffect, RequestBody, NO_BODY)
    : Effect.provideServiceEffect(
        httpEffect,
        RequestBody,
        Effect.flatMap(currentExchange, ({ req }) => Effect.result(receiveBody(req)))
      )
)
