import { Effect, Layer } from "effect"
import { type RecentRequest, Requests } from "../../domain/access/Requests.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import { RateLimit } from "../../domain/RateLimit.ts"
import { makeAccessEntry } from "../server/AccessLog.ts"
import { BearerAuth, CurrentInstallation } from "../api/Middleware.ts"
import { parseBearerToken } from "../Credentials.ts"
import { currentResponse, type NodeResponse } from "../server/NodeResponse.ts"

/** The entry of a request in the list that members of its store can read. */
const recentRequestOf = (exchange: NodeResponse): RecentRequest => {
  const { method, milliseconds, requestId, route, status } = makeAccessEntry(exchange)
  return { at: new Date().toISOString(), method, route, status, milliseconds, requestId }
}

export const BearerAuthLive = Layer.effect(
  BearerAuth,
  Effect.gen(function* () {
    const { admit } = yield* RateLimit
    const { note } = yield* Requests

    return BearerAuth.of({
      bearer: Effect.fnUntraced(function* (httpEffect) {
        const exchange = yield* currentResponse
        // The library's decoder skips spaces in front of the token. All surfaces read the header in one way.
        const token = parseBearerToken(exchange.req)
        if (token === undefined) return yield* new InvalidToken()
        const installation = yield* admit(token)
        exchange.installationId = installation.id
        exchange.once("close", () => note(installation, recentRequestOf(exchange)))
        return yield* Effect.provideService(httpEffect, CurrentInstallation, installation)
      })
    })
  })
)
