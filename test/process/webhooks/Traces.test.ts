import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import packageJson from "../../../package.json" with { type: "json" }
import { makeClient } from "../../support/http/Api.ts"
import { makeMigratedDatabase, waitUntil } from "../../support/process/Process.ts"
import { makeSubscribers, startSender, startWorker } from "../../support/process/Workers.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import { waitForRequests } from "../../support/webhooks/Webhooks.ts"

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Record(Schema.String, Schema.Unknown) })

const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
      scopeSpans: Schema.Array(
        Schema.Struct({
          spans: Schema.Array(
            Schema.Struct({
              name: Schema.String,
              traceId: Schema.String,
              spanId: Schema.String,
              parentSpanId: Schema.optional(Schema.String),
              attributes: Schema.Array(Attribute)
            })
          )
        })
      )
    })
  )
})

const decodeTraces = Schema.decodeUnknownSync(Schema.fromJsonString(Traces))

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const CALLER = "00f067aa0ba902b7"

it.live("a write and its delivery by a worker belong to the trace of the client", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const collector = yield* receiver()
    const endpoint = yield* receiver()
    const environment = {
      DATABASE_URL: url,
      LOG_FORMAT: "json",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100"
    }
    const server = yield* startSender({ ...environment, WEBHOOK_WORKERS: "0", OTEL_SERVICE_NAME: "server" })
    yield* startWorker({ ...environment, OTEL_SERVICE_NAME: "worker" })
    const { tokens } = yield* makeSubscribers(url, endpoint, 1)
    const answer = yield* makeClient(server.base, tokens[0]).post(
      "/products",
      { name: "Cup" },
      { headers: { traceparent: `00-${TRACE}-${CALLER}-01`, "x-request-id": "request-of-a-client" } }
    )
    assert.strictEqual(answer.status, 201)
    yield* waitForRequests(endpoint, 1)

    const spans = yield* waitUntil(
      Effect.sync(() =>
        collector.received
          .filter(({ path }) => path.endsWith("/v1/traces"))
          .flatMap(({ body }) => decodeTraces(body).resourceSpans)
          .flatMap(({ resource, scopeSpans }) =>
            scopeSpans.flatMap(({ spans }) =>
              spans.map((span) => ({
                ...span,
                service: resource.attributes.find(({ key }) => key === "service.name")?.value["stringValue"],
                version: resource.attributes.find(({ key }) => key === "service.version")?.value["stringValue"]
              }))
            )
          )
      ),
      // Two processes export them, in any order, and a request in several parts.
      (all) => {
        const delivery = all.find(({ name, traceId }) => name === "webhook.deliver" && traceId === TRACE)
        return (
          all.some(({ parentSpanId }) => parentSpanId === CALLER) &&
          all.some(({ spanId }) => spanId === delivery?.parentSpanId)
        )
      }
    ).pipe(
      Effect.tap((all) =>
        Effect.sync(() =>
          assert.notInclude(
            all.map(({ name }) => name),
            "DeliveryQueue.claim"
          )
        )
      )
    )
    const request = spans.find(({ parentSpanId }) => parentSpanId === CALLER)
    assert.strictEqual(request?.name, "POST /api/platform/v1/products")
    assert.strictEqual(request?.service, "server")
    const delivery = spans.find(({ name }) => name === "webhook.deliver")
    assert.strictEqual(delivery?.service, "worker")
    assert.deepStrictEqual([request?.version, delivery?.version], [packageJson.version, packageJson.version])
    assert.include(
      spans.filter(({ service }) => service === "server").map(({ spanId }) => spanId),
      delivery?.parentSpanId
    )
    assert.include(server.output.stdout, `"trace_id":"${TRACE}"`)

    const sent = collector.received.map(({ body }) => body).join("\n")
    for (const secret of [tokens[0] ?? "", "in-the-query"]) assert.notInclude(sent, secret)
    // Receivers do not learn the trace of somebody else's request.
    assert.notProperty(endpoint.received[0]?.headers ?? {}, "traceparent")
  })
)
