import { assert, it } from "@effect/vitest"
import { Effect, Layer, Metric, Tracer } from "effect"
import { TracingLive } from "../../../src/layers/telemetry/Telemetry.ts"
import { Scope } from "../../../src/domain/access/Scope.ts"
import { baseUrl, IsolatedApiTest, freshClient, makeApp, makeStore } from "../../support/http/Api.ts"
import { freshAgent } from "../../support/rpc/Mcp.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { waitForRequests, IsolatedDeliveringApi, installApp, subscriber } from "../../support/webhooks/Webhooks.ts"

/** Collects spans, as an exporter does. */
const recorder = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

/** The API with a custom tracer, which turns spans on. */
const traced = (tracer: Tracer.Tracer) =>
  IsolatedApiTest.pipe(Layer.provide(TracingLive), Layer.provideMerge(Layer.succeed(Tracer.Tracer, tracer)))

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

const parentOf = ({ parent }: Tracer.Span): string | undefined =>
  parent._tag === "Some" && parent.value._tag === "Span" ? parent.value.name : undefined

it.live("spans of a request, its service methods and its statements share a trace and do not contain the token", () =>
  Effect.gen(function* () {
    const { spans, tracer } = recorder()
    yield* Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* client.get("/products?limit=2")
    }).pipe(Effect.provide(traced(tracer)))
    const request = spans.find(({ kind }) => kind === "server")
    assert.deepInclude(Object.fromEntries(request?.attributes ?? []), {
      "http.request.method": "GET",
      "http.route": "/api/platform/v1/products",
      "http.response.status_code": 200
    })
    const list = spans.find(({ name }) => name === "Catalog.listProducts")
    assert.strictEqual(list?.traceId, request?.traceId)
    const statement = spans.find((span) => parentOf(span) === "ProductRepository.listPage")
    assert.match(String(statement?.attributes.get("db.query.text")), /from products/)
    assert.notInclude(JSON.stringify([...(request?.attributes ?? [])]), "Bearer")
  })
)

it.live("a tool call continues the trace in its message and is measured by procedure", () =>
  Effect.gen(function* () {
    const { spans, tracer } = recorder()
    yield* Effect.gen(function* () {
      const { token } = yield* freshAgent()
      const base = yield* baseUrl
      const call = (trace: string) =>
        Effect.promise(() =>
          fetch(`${base}/mcp`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${token}`,
              accept: "application/json, text/event-stream",
              "content-type": "application/json"
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: { name: "store_get", arguments: {}, _meta: { traceparent: trace } }
            })
          }).then((response) => response.text())
        )
      assert.include(yield* call(`00-${TRACE}-00f067aa0ba902b7-01`), "structuredContent")
      assert.include(yield* call("not a trace"), "structuredContent")
    }).pipe(Effect.provide(traced(tracer)))
    const [first, second] = spans.filter(({ name }) => name === "tools/call store_get")
    assert.strictEqual(first?.traceId, TRACE)
    assert.isDefined(second)
    assert.notStrictEqual(second?.traceId, TRACE)
    const calls = (yield* Metric.snapshot).filter(({ id }) => id === "rpc.server.call.duration")
    assert.deepInclude(
      calls.map(({ attributes, state }) => [attributes?.["rpc.method"], "count" in state && state.count]),
      ["store.get", 2]
    )
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.live("spans are off without an exporter", () =>
  Effect.gen(function* () {
    const span = yield* Effect.option(Effect.currentSpan).pipe(Effect.withSpan("any"), Effect.provide(TracingLive))
    assert.strictEqual(span._tag, "Some")
    if (span._tag === "Some") assert.isFalse(span.value.sampled)
  })
)

it.live("admission batch sizes and connections in use are measured", () =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* Effect.all(
        Array.from({ length: 8 }, () => client.get("/products")),
        { concurrency: "unbounded" }
      )
    }).pipe(Effect.provide(IsolatedApiTest))
    const metrics = yield* Metric.snapshot
    const batches = metrics.find(({ id }) => id === "admission.batch.size")
    assert.isTrue(batches !== undefined && "sum" in batches.state && batches.state.sum >= 8)
    const pools = metrics.filter(({ id }) => id === "db.client.connection.used")
    assert.sameDeepMembers(
      pools.map(({ attributes, state }) => ({ attributes, state })),
      ["operations", "admission"].map((pool) => ({
        attributes: { "db.client.connection.pool.name": pool },
        state: { value: 0 }
      }))
    )
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.live("the duration of each request is recorded by method, route and status", () =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const { client } = yield* freshClient()
      yield* client.get("/products")
      yield* client.get("/products")
      yield* client.get("/products?limit=0")
      yield* client.send("PURGE", "/unknown")
    }).pipe(Effect.provide(IsolatedApiTest))
    const series = (yield* Metric.snapshot).filter(({ id }) => id === "http.server.request.duration")
    const counts = series.map(({ attributes, state }): Record<string, unknown> => ({
      ...attributes,
      count: "count" in state ? state.count : undefined
    }))
    const route = { unit: "s", "http.request.method": "GET", "http.route": "/api/platform/v1/products" }
    assert.sameDeepMembers(counts, [
      { ...route, "http.response.status_code": "200", count: 2 },
      { ...route, "http.response.status_code": "400", count: 1 },
      { unit: "s", "http.request.method": "_OTHER", "http.response.status_code": "404", count: 1 }
    ])
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.live("delivery attempts are counted by outcome, and the outbox depth is measured", () =>
  Effect.gen(function* () {
    yield* Effect.gen(function* () {
      const endpoint = yield* receiver()
      const { appId } = yield* subscriber(endpoint)
      const storeId = yield* makeStore()
      const writer = yield* installApp(storeId, yield* makeApp({ scopes: Scope.literals }))
      yield* installApp(storeId, appId)
      yield* writer.client.post("/products", { name: "Lantern" })
      yield* waitForRequests(endpoint, 1)
    }).pipe(Effect.provide(IsolatedDeliveringApi))
    const metrics = yield* Metric.snapshot
    const attempts = metrics.filter(({ id }) => id === "webhook.delivery.attempts")
    assert.deepStrictEqual(
      attempts.map(({ attributes, state }) => [attributes, "count" in state && state.count]),
      [[{ outcome: "delivered" }, 1]]
    )
    assert.isTrue(metrics.some(({ id }) => id === "webhook.outbox.depth"))
  }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
)
