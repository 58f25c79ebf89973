import { assert, it, layer } from "@effect/vitest"
import { Config, Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { type AccessRule, AnyScope, AnyToken, NeedsCapability } from "../../src/domain/access/AccessRule.ts"
import type { Scope } from "../../src/domain/access/Scope.ts"
import { BearerAuth, needs } from "../../src/http/api/Access.ts"
import { complete } from "../../src/http/api/Conventions.ts"
import { makeDispatch } from "../../src/http/Dispatch.ts"
import { ErrorBody } from "../../src/http/ErrorTable.ts"
import { read } from "../../src/http/handlers/Reads.ts"
import { listen } from "../../src/http/Listener.ts"
import { serve } from "../../src/http/Serve.ts"
import { DomainLive } from "../../src/layers/Domain.ts"
import { baseUrl, errorOf, freshClient, makeClient } from "../support/Api.ts"
import { PostgresTest } from "../support/PostgresTest.ts"

const unruled = HttpApiEndpoint.get("getNothing", "/nothing", { success: Schema.Struct({}) }).annotate(
  OpenApi.Description,
  "Reads."
)

const endpointOf = <const Name extends string>(name: Name, rule: AccessRule) =>
  HttpApiEndpoint.get(name, `/${name}`, { success: Schema.Struct({}) })
    .annotateMerge(needs(rule))
    .annotate(OpenApi.Description, "Reads.")

const store = endpointOf("store", AnyToken.make({}))
const stock = endpointOf("stock", AnyScope.make({ scopes: ["write_inventory", "write_products"] }))
const data = endpointOf("data", NeedsCapability.make({ capability: "app_storage" }))

const nothing = () => Effect.succeed({ body: "{}", etag: null })
const asIs = <A>(answer: A) => answer

const Service = Layer.effectDiscard(
  Effect.gen(function* () {
    const handlers = [read(store, nothing, asIs), read(stock, nothing, asIs), read(data, nothing, asIs)]
    yield* serve(yield* makeDispatch(handlers), Effect.never)
  })
).pipe(
  Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest)
)

const stockWith = (...scopes: ReadonlyArray<Scope>) =>
  Effect.flatMap(freshClient({ scopes }), ({ client }) => client.get("/stock"))

layer(Service, { excludeTestServices: true, timeout: "60 seconds" })("An endpoint", (it) => {
  it.effect("that any valid token opens needs no scope, but the token", () =>
    Effect.gen(function* () {
      const { client } = yield* freshClient({ scopes: [] })
      assert.strictEqual((yield* client.get("/store")).status, 200)
      assert.strictEqual((yield* makeClient(yield* baseUrl).get("/store")).status, 401)
      assert.strictEqual((yield* makeClient(yield* baseUrl, "other").get("/store")).status, 401)
    })
  )

  it.effect("that one of two scopes opens takes either for enough, and names both when neither is there", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* stockWith("write_inventory")).status, 200)
      assert.strictEqual((yield* stockWith("write_products")).status, 200)
      const refused = yield* stockWith("read_products", "write_collections")
      assert.strictEqual(refused.status, 403)
      assert.match(errorOf(refused).error, /write_inventory or write_products/)
    })
  )

  it.effect("that a capability opens is closed to every scope and to other capabilities", () =>
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

it("the document says of each endpoint what it needs, and how it refuses who lacks that", () => {
  const group = HttpApiGroup.make("Any").add(store, stock, data).middleware(BearerAuth)
  const { paths } = Schema.decodeUnknownSync(Documented)(
    complete(OpenApi.fromApi(HttpApi.make("any").add(group).annotate(HttpApi.AdditionalSchemas, [ErrorBody])))
  )
  const told = Object.entries(paths).map(([path, { get }]) => ({
    path,
    needs: get.description.replace("Reads.\n\n", ""),
    marks: Object.fromEntries(["x-access", "x-scope", "x-capability"].map((name) => [name, get[name]])),
    refusals: Object.keys(get.responses["403"].content["application/json"].examples)
  }))
  const unmarked = { "x-access": undefined, "x-scope": undefined, "x-capability": undefined }
  assert.deepStrictEqual(told, [
    { path: "/store", needs: "Needs any valid token.", marks: unmarked, refusals: ["InstallationSuspended"] },
    {
      path: "/stock",
      needs: "Needs the scope `write_inventory` or `write_products`.",
      marks: { ...unmarked, "x-scope": "write_inventory write_products" },
      refusals: ["InstallationSuspended", "ScopeNotGranted"]
    },
    {
      path: "/data",
      needs: "Needs the capability `app_storage`.",
      marks: { ...unmarked, "x-capability": "app_storage" },
      refusals: ["InstallationSuspended", "CapabilityNotGranted"]
    }
  ])
})

it("an endpoint that does not say who may ask has no handler and no document, so that nothing starts with it", () => {
  assert.throws(() => read(unruled, nothing, asIs), "The endpoint getNothing has no access rule")
  const group = HttpApiGroup.make("Any").add(unruled)
  const api = HttpApi.make("any").add(group)
  assert.throws(() => complete(OpenApi.fromApi(api)), /x-access/)
})
