import { assert, layer } from "@effect/vitest"
import { Config, Context, Deferred, Effect, Fiber, Layer, Logger, References, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Rpc, RpcGroup } from "effect/rpc"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { Unavailable } from "../../../src/domain/Unavailable.ts"
import { listen, serveRoutes } from "../../../src/http/server/HttpListener.ts"
import { makeMcpRoute } from "../../../src/http/routes/Mcp.ts"
import { RouterConfig, RouterMiddleware } from "../../../src/http/routes/Routes.ts"
import { makeRpcRoute } from "../../../src/http/routes/Rpc.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeAgentHandlers } from "../../../src/rpc/handlers/Agents.ts"
import { getStore } from "../../../src/rpc/groups/Stores.ts"
import { AgentRpcs } from "../../../src/rpc/groups/Agents.ts"
import { listCollections } from "../../../src/rpc/groups/Collections.ts"
import { createProduct, deleteProduct, getProduct, listProducts } from "../../../src/rpc/groups/Products.ts"
import { makeMcpEndpoint } from "../../../src/rpc/mcp/Endpoint.ts"
import { Authentication } from "../../../src/rpc/Authentication.ts"
import { makeHttpCalls } from "../../../src/rpc/server/HttpCalls.ts"
import { AuthenticationLive } from "../../../src/rpc/server/Authenticator.ts"
import { makeInProcessCalls } from "../../../src/rpc/server/InProcessCalls.ts"
import { served } from "../../../src/rpc/server/ServedRpcs.ts"
import { baseUrl } from "../../support/http/Api.ts"
import { callTool, freshAgent, messageOf, send } from "../../support/rpc/Mcp.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { lines } from "../../support/http/RawHttp.ts"

/** Signals of the tool that never responds, and the entries of the log. */
class ToolProbe extends Context.Service<
  ToolProbe,
  {
    readonly started: Deferred.Deferred<void>
    readonly interrupted: Deferred.Deferred<void>
    readonly failures: Array<{ readonly text: string; readonly requestId: unknown }>
  }
>()("ToolProbe") {}

const SECRET = "postgres://admin:hunter2@db"

/** Fails with an error that the definition of its tool does not declare. */
const getCollection = Rpc.make("collections.get", { error: Schema.TaggedStruct("Secret", {}) })

const agents = served(AgentRpcs)
const tools = served(
  RpcGroup.make(
    getStore,
    listProducts,
    getProduct,
    createProduct,
    listCollections,
    getCollection,
    deleteProduct
  ).middleware(Authentication)
)

const toolHandlers = tools.toLayer(
  Effect.map(ToolProbe, ({ started, interrupted }) => ({
    "store.get": () => Effect.die(new Error(SECRET)),
    "products.list": () => Effect.die({ password: SECRET }),
    "products.get": (): Effect.Effect<never> => {
      throw new Error(SECRET)
    },
    "products.create": () => Effect.die(new Unavailable({ cause: new Error(SECRET) })),
    "collections.list": () => Effect.succeed('{"items":'),
    "collections.get": () => Effect.fail({ _tag: "Secret" } as const),
    "products.delete": () =>
      Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  }))
)

const Service = Layer.unwrap(
  Effect.map(ToolProbe, (probe) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const rpc = yield* makeRpcRoute(yield* makeHttpCalls(yield* makeInProcessCalls(agents)))
        const mcp = yield* makeMcpRoute(yield* makeMcpEndpoint(yield* makeInProcessCalls(tools), ""))
        const routes = HttpRouter.toHttpEffect(Layer.mergeAll(rpc, mcp, RouterMiddleware))
        yield* serveRoutes(yield* Effect.provide(routes, RouterConfig))
      })
    ).pipe(
      Layer.provide([agents.toLayer(makeAgentHandlers), toolHandlers, AuthenticationLive]),
      Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
      Layer.provide(
        Logger.layer([
          Logger.make(({ cause, fiber, message }) => {
            probe.failures.push({
              text: `${String(message)} ${String(cause)}`,
              requestId: fiber.getRef(References.CurrentLogAnnotations)["requestId"]
            })
          })
        ])
      )
    )
  )
).pipe(
  Layer.provideMerge(DomainLive),
  Layer.provideMerge(PostgresTest),
  Layer.provideMerge(
    Layer.effect(
      ToolProbe,
      Effect.gen(function* () {
        return { started: yield* Deferred.make<void>(), interrupted: yield* Deferred.make<void>(), failures: [] }
      })
    )
  )
)

layer(Service)("Unexpected failures of tools", (it) => {
  it.effect("an unexpected failure is logged with the request id and hidden from the client", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { failures } = yield* ToolProbe
      const expectedTags = {
        store_get: "InternalError",
        products_list: "InternalError",
        products_get: "InternalError",
        products_create: "ServiceUnavailable"
      }
      for (const [name, _tag] of Object.entries(expectedTags)) {
        const result = yield* callTool(token, name, name === "products_get" ? { id: "x" } : {})
        assert.isTrue(result.isError)
        assert.deepInclude(result.structuredContent["error"], { _tag })
        assert.notInclude(JSON.stringify(result), "hunter2")
      }
      for (const name of ["collections_list", "collections_get"]) {
        const { body, headers } = messageOf("tools/call", { name, arguments: {} })
        const { status, text } = yield* send({
          body,
          headers: { ...headers, authorization: `Bearer ${token}`, "x-request-id": name }
        })
        assert.strictEqual(status, 200)
        assert.notInclude(text, "Secret")
        assert.include(text, '"_tag":"InternalError"')
        assert.include(text, `"requestId":"${name}"`)
      }
      const { body, headers } = messageOf("resources/read", { uri: "store://facts" })
      const read = yield* send({ body, headers: { ...headers, authorization: `Bearer ${token}` } })
      assert.match(
        JSON.parse(read.text).error.message,
        /^The resource cannot be read now\. Retry later \(request [\w-]+\)$/
      )

      assert.lengthOf(
        failures.filter(({ text }) => text.includes("hunter2")),
        5
      )
      assert.includeMembers(
        failures.map(({ requestId }) => requestId),
        ["collections_list", "collections_get"]
      )
    })
  )

  it.effect("a tool call is interrupted after 45 s and fails with TookTooLong", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { started, interrupted } = yield* ToolProbe
      const call = yield* Effect.forkChild(callTool(token, "products_delete", {}))
      yield* Deferred.await(started)
      yield* TestClock.adjust("45 seconds")
      const result = yield* Fiber.join(call)
      assert.deepInclude(result.structuredContent["error"], { _tag: "TookTooLong" })
      assert.include(result.content[0].text, "with the same idempotencyKey")
      yield* Deferred.await(interrupted)
    })
  )
})

layer(Service)("Disconnected MCP clients", (it) => {
  it.effect("closing the connection interrupts the running tool", () =>
    Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const { started, interrupted } = yield* ToolProbe
      const { hostname, port } = new URL(yield* baseUrl)
      const { body, headers } = messageOf("tools/call", { name: "products_delete", arguments: {} })
      const head = Object.entries({ ...headers, host: hostname, authorization: `Bearer ${token}` })
      const socket = connect(Number(port), hostname)
      socket.write(
        lines(
          "POST /mcp HTTP/1.1",
          ...head.map(([name, value]) => `${name}: ${value}`),
          `content-length: ${Buffer.byteLength(body)}`
        ) + body
      )
      yield* Deferred.await(started)
      socket.destroy()
      yield* Deferred.await(interrupted)
    })
  )
})
