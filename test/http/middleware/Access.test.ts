import { assert, it } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidToken } from "../../../src/domain/access/Tokens.ts"
import { completeDocument } from "../../../src/http/api/Conventions.ts"
import { AccessCheck, BearerAuth } from "../../../src/http/api/Middleware.ts"
import { AccessCheckLive } from "../../../src/http/middleware/ApiMiddleware.ts"

const withoutRule = HttpApiEndpoint.get("getNothing", "/nothing", { success: Schema.Struct({}) }).annotate(
  OpenApi.Description,
  "Reads."
)

it.effect("building routes or the document fails for an endpoint without an access rule", () =>
  Effect.gen(function* () {
    const api = HttpApi.make("any").add(
      HttpApiGroup.make("Any").add(withoutRule).middleware(AccessCheck).middleware(BearerAuth)
    )
    const routes = HttpApiBuilder.layer(api).pipe(
      Layer.provide(
        HttpApiBuilder.group(api, "Any", (handlers) => handlers.handle("getNothing", () => Effect.succeed({})))
      ),
      Layer.provide(AccessCheckLive),
      Layer.provide(Layer.succeed(BearerAuth, { bearer: () => new InvalidToken() }))
    )
    const cause = yield* Effect.flip(Effect.sandbox(Effect.scoped(HttpRouter.toHttpEffect(routes))))
    assert.include(Cause.pretty(cause), "The endpoint getNothing has no access rule")
    assert.throws(() => completeDocument(OpenApi.fromApi(api)), /x-access/)
  }).pipe(Effect.provide(NodeHttpServer.layerHttpServices))
)
