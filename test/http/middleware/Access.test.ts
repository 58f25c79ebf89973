import { assert, it, layer } from "@effect/vitest"
import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Config, Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { type AccessRule, AnyScope, AnyToken, NeedsCapability } from "../../../src/domain/access/AccessRule.ts"
import type { Scope } from "../../../src/domain/access/Scope.ts"
import { InvalidToken } from "../../../src/domain/access/Tokens.ts"
import { completeDocument } from "../../../src/http/api/Conventions.ts"
import { AccessCheck, BearerAuth, requireAccess } from "../../../src/http/api/Middleware.ts"
import { PREFIX } from "../../../src/http/api/PartnerApi.ts"
import { ErrorBody } from "../../../src/http/ErrorTable.ts"
import { listen, serveRoutes } from "../../../src/http/server/HttpListener.ts"
import { AccessCheckLive, ApiMiddleware } from "../../../src/http/middleware/ApiMiddleware.ts"
import { RouterMiddleware } from "../../../src/http/routes/Routes.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { baseUrl, errorOf, freshClient, makeClient } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"

const withoutRule = HttpApiEndpoint.get("getNothing", "/nothing", { success: Schema.Struct({}) }).annotate(
  OpenApi.Description,
  "Reads."
)

const endpointOf = <const Name extends string>(name: Name, rule: AccessRule) =>
  HttpApiEndpoint.get(name, `/${name}`, { success: Schema.Struct({}) })
    .annotateMerge(requireAccess(rule))
    .annotate(OpenApi.Description, "Reads.")

const store = endpointOf("store", AnyToken.make({}))
const stock = endpointOf("stock", AnyScope.make({ scopes: ["write_inventory", "write_products"] }))
const data = endpointOf("data", NeedsCapability.make({ capability: "app_storage" }))

const endpoints = HttpApiGroup.make("Any").add(store, stock, data).middleware(AccessCheck).middleware(BearerAuth)

const Any = HttpApi.make("any").add(endpoints.prefix(PREFIX))

const respondEmpty = () => Effect.succeed({})

const Routes = HttpApiBuilder.layer(Any).pipe(
  Layer.provide(
    HttpApiBuilder.group(Any, "Any", (handlers) =>
      handlers.handle("store", respondEmpty).handle("stock", respondEmpty).handle("data", respondEmpty)
    )
  ),
  Layer.provide(ApiMiddleware),
  Layer.merge(RouterMiddleware)
)

const Service = Layer.effectDiscard(Effect.flatMap(HttpRouter.toHttpEffect(Routes), serveRoutes)).pipe(
  Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest)
)

const stockWith = (...scopes: ReadonlyArray<Scope>) =>
  Effect.flatMap(freshClient({ scopes }), ({ client }) => client.get("/stock"))

layer(Service, { excludeTestServices: true, timeout: "60 seconds" })("Endpoint access rules", (it) => {
  it.effect("an endpoint with AnyToken needs a valid token but no scope", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ scopes: [] })
      assert.strictEqual((yield* client.get("/store")).status, 200)
      assert.strictEqual((yield* makeClient(yield* baseUrl).get("/store")).status, 401)
      assert.strictEqual((yield* makeClient(yield* baseUrl, "other").get("/store")).status, 401)
    })
  )

  it.effect("an endpoint with AnyScope accepts either scope and names both if neither is granted", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* stockWith("write_inventory")).status, 200)
      assert.strictEqual((yield* stockWith("write_products")).status, 200)
      const refused = yield* stockWith("read_products", "write_collections")
      assert.strictEqual(refused.status, 403)
      assert.match(errorOf(refused).error, /write_inventory or write_products/)
    })
  )

  it.effect("an endpoint with NeedsCapability rejects all scopes and other capabilities", () =>
    Effect.gen(function* () {
      const other = yield* freshClient({ capabilities: ["customer_pii"] })
      const refused = yield* other.client.get("/data")
      assert.strictEqual(refused.status, 403)
      assert.match(errorOf(refused).error, /capability app_storage/)
      const holder = yield* freshClient({ scopes: [], capabilities: ["app_storage"] })
      assert.strictEqual((yield* holder.client.get("/data")).status, 200)
    })
  )
})

const Documented = Schema.Struct({
  paths: Schema.Record(
    Schema.String,
    Schema.Struct({
      get: Schema.StructWithRest(
        Schema.Struct({
          description: Schema.String,
          responses: Schema.Struct({
            "403": Schema.Struct({
              content: Schema.Struct({ "application/json": Schema.Struct({ examples: Schema.ObjectKeyword }) })
            })
          })
        }),
        [Schema.Record(Schema.String, Schema.Unknown)]
      )
    })
  )
})

it("the document describes the access rule of each endpoint and its 403 errors", () => {
  const { paths } = Schema.decodeUnknownSync(Documented)(
    completeDocument(
      OpenApi.fromApi(HttpApi.make("any").add(endpoints).annotate(HttpApi.AdditionalSchemas, [ErrorBody]))
    )
  )
  const described = Object.entries(paths).map(([path, { get }]) => ({
    path,
    needs: get.description.replace("Reads.\n\n", ""),
    annotations: Object.fromEntries(["x-access", "x-scope", "x-capability"].map((name) => [name, get[name]])),
    errorExamples: Object.keys(get.responses["403"].content["application/json"].examples)
  }))
  const unannotated = { "x-access": undefined, "x-scope": undefined, "x-capability": undefined }
  assert.deepStrictEqual(described, [
    {
      path: "/store",
      needs: "Needs any valid token.",
      annotations: unannotated,
      errorExamples: ["InstallationSuspended"]
    },
    {
      path: "/stock",
      needs: "Needs the scope `write_inventory` or `write_products`.",
      annotations: { ...unannotated, "x-scope": "write_inventory write_products" },
      errorExamples: ["InstallationSuspended", "ScopeNotGranted"]
    },
    {
      path: "/data",
      needs: "Needs the capability `app_storage`.",
      annotations: { ...unannotated, "x-capability": "app_storage" },
      errorExamples: ["InstallationSuspended", "CapabilityNotGranted"]
    }
  ])
})

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
