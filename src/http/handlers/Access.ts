import { HttpApi, HttpRouter, HttpServerRequest } from "@effect/platform"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { IdempotencyKey } from "../../domain/Idempotency.ts"
import { InvalidToken, requireScope, type Scope } from "../../domain/Installation.ts"
import { RateLimit } from "../../domain/RateLimit.ts"
import { BearerAuth, KeyRequired, RequiredScope } from "../api/Access.ts"
import { PartnerApi } from "../api/PartnerApi.ts"
import { KeyMalformed, KeyMissing } from "../BadRequest.ts"

const routeKey = (method: string, path: string) => `${method} ${path}`

/** The scope of each route, from the definitions. */
const scopes = () => {
  const found = new Map<string, Scope>()
  HttpApi.reflect(PartnerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const scope = Context.getOption(endpoint.annotations, RequiredScope)
      if (Option.isSome(scope)) found.set(routeKey(endpoint.method, endpoint.path), scope.value)
    }
  })
  return found
}

/** The scheme, in any case (RFC 9110, section 11.1). The framework takes whatever stands behind seven characters. */
const BEARER = /^Bearer /i

export const BearerAuthLive = Layer.effect(
  BearerAuth,
  Effect.gen(function* () {
    const { admit } = yield* RateLimit
    const scopeOf = scopes()

    return BearerAuth.of({
      bearer: (token) =>
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          if (!BEARER.test(headers["authorization"] ?? "")) return yield* new InvalidToken()
          const installation = yield* admit(token)
          const { route } = yield* HttpRouter.RouteContext
          const scope = scopeOf.get(routeKey(route.method, route.path))
          if (scope !== undefined) yield* requireScope(installation, scope)
          return installation
        })
    })
  })
)

const decodeKey = Schema.decodeOption(IdempotencyKey)

export const KeyRequiredLive = Layer.succeed(
  KeyRequired,
  KeyRequired.of(
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const given = headers["idempotency-key"]
      if (given === undefined) return yield* new KeyMissing()
      return yield* Effect.mapError(decodeKey(given), () => new KeyMalformed())
    })
  )
)
