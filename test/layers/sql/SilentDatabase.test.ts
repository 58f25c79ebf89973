import { assert, layer } from "@effect/vitest"
import { Array, Config, Context, Effect, Exit, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { listen } from "../../../src/http/server/HttpListener.ts"
import { Silence } from "../../../src/layers/sql/Session.ts"
import { StopTimeout, webhookWorker } from "../../../src/layers/webhooks/Worker.ts"
import { ServerLive } from "../../../src/Server.ts"
import { assertUnavailable, freshClient, IsolatedApiTest, makeClient, pageOf } from "../../support/http/Api.ts"
import { wayTo } from "../../support/postgres/SilentDatabase.ts"
import { connection, databaseUrl, servicesOn, waitUntil } from "../../support/process/Process.ts"
import { endLeases, makeGate } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { deliveriesOf, installApp, subscriber } from "../../support/webhooks/Webhooks.ts"

/** Services on the database at `url`, whose connections fail after half a second without data. */
const impatientServicesOn = (url: string) => Layer.provide(servicesOn(url), Layer.succeed(Silence, 500))

/** A worker that waits at most 2 s for results when it stops. */
const startWorker = (services: ReturnType<typeof servicesOn>) =>
  Layer.build(Layer.fresh(Layer.provide(webhookWorker(8), [services, Layer.succeed(StopTimeout, 2000)])))

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("A silent database", (it) => {
  it.effect("requests get 503 if the database stops responding, and succeed after it responds again", () =>
    Effect.gen(function* () {
      const proxy = yield* wayTo(yield* databaseUrl)
      const server = ServerLive.pipe(
        Layer.provideMerge(listen({ host: Config.succeed("127.0.0.1"), port: Config.succeed(0) })),
        Layer.provide(impatientServicesOn(proxy.url))
      )
      const { address } = Context.get(yield* Layer.build(Layer.fresh(server)), HttpServer.HttpServer)
      const { client } = yield* freshClient()
      const api = makeClient(HttpServer.formatAddress(address), client.token)
      const write = api.post("/products", { name: "Cup" }, { key: "cup" })
      assert.strictEqual((yield* api.get("/products")).status, 200)

      proxy.freeze()
      const answers = yield* Effect.all([write, api.get("/products"), api.get("/collections")], {
        concurrency: "unbounded"
      })
      for (const answer of answers) assertUnavailable(answer)

      proxy.thaw()
      assert.strictEqual((yield* write).status, 201)
      assert.lengthOf(pageOf(yield* api.get("/products")).items, 1)
    })
  )

  it.effect("a worker stops although the database does not respond, and its leases expire", () =>
    Effect.gen(function* () {
      const url = yield* databaseUrl
      const proxy = yield* wayTo(url)
      const gate = makeGate()
      const endpoint = yield* receiver(gate.answer)
      const { client, storeId } = yield* freshClient()
      const { appId } = yield* subscriber(endpoint)
      yield* installApp(storeId, appId)
      const stopped = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      yield* Scope.provide(startWorker(impatientServicesOn(proxy.url)), stopped)
      gate.close()
      assert.strictEqual((yield* client.post("/products", { name: "Cup" })).status, 201)
      yield* gate.holds(1)
      proxy.freeze()
      gate.open()
      yield* Scope.close(stopped, Exit.void)
      const [delivery] = yield* deliveriesOf(appId)
      assert.deepInclude(delivery, { leased: true, outcome: null, attempts: 1 })

      yield* endLeases(yield* connection(url))
      yield* startWorker(servicesOn(url))
      yield* waitUntil(deliveriesOf(appId), ([one]) => one?.outcome === "delivered")
      assert.deepStrictEqual(
        endpoint.received.map(({ headers }) => headers["webhook-id"]),
        Array.replicate(delivery?.eventId, 2)
      )
    })
  )
})
