import { Effect, Layer, Result } from "effect"
import { BodyReception, RequestBody } from "../api/Middleware.ts"
import { readBody } from "../server/BodyReader.ts"
import { currentResponse } from "../server/NodeResponse.ts"

const NO_BODY = Result.succeed(Buffer.alloc(0))

export const BodyReceptionLive = Layer.succeed(BodyReception, (httpEffect, { endpoint }) =>
  endpoint.payload.size === 0
    ? Effect.provideService(httpEffect, RequestBody, NO_BODY)
    : Effect.provideServiceEffect(
        httpEffect,
        RequestBody,
        Effect.flatMap(currentResponse, ({ req }) => Effect.result(readBody(req)))
      )
)
