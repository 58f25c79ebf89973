import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Metric } from "effect"
import { readFileSync } from "node:fs"
import packageJson from "../../../package.json" with { type: "json" }
import * as Metrics from "../../../src/domain/Metrics.ts"
import { makeClient } from "../../support/http/Api.ts"
import {
  createTokens,
  fetchText,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"
import { startWorker } from "../../support/process/Workers.ts"

const exported: ReadonlyArray<unknown> = Object.values(Metrics)
const defined = exported.filter(Metric.isMetric).map(({ id }) => id)

it("the operations manual lists every metric, and no other", () => {
  const [, section = ""] = readFileSync("docs/operations/monitor.md", "utf8").split("## Metrics\n")
  const listed = [...section.matchAll(/^\| `([\w.]+)`/gm)].map(([, name]) => name)
  assert.isAbove(defined.length, 20)
  assert.sameMembers(listed, defined)
})

it.live("a server has probes and metrics on the management port only, with units in their names", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const management = yield* freePort
    const server = yield* startServer({ DATABASE_URL: url, MANAGEMENT_PORT: String(management) })
    const { tokens } = yield* createTokens(url)
    const client = makeClient(server.base, tokens[0])
    yield* client.get("/products?limit=1")
    const { headers } = yield* client.post("/products", { name: "Cup" }, { key: "once" })
    assert.isNull(headers.get("idempotent-replayed"))
    yield* client.post("/products", { name: "Cup" }, { key: "once" })

    const base = `http://127.0.0.1:${management}`
    assert.deepStrictEqual(yield* fetchText(`${base}/healthz`), {
      status: 200,
      text: JSON.stringify({ status: "ok", version: packageJson.version })
    })
    assert.strictEqual((yield* fetchText(`${base}/livez`)).status, 200)
    assert.strictEqual((yield* fetchText(`${base}/readyz`)).status, 200)
    for (const path of ["/healthz", "/livez", "/readyz", "/metrics", "/nothing"]) {
      const { headers } = yield* Effect.promise(() => fetch(`${base}${path}`))
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
      assert.strictEqual(headers.get("cache-control"), "no-store", path)
    }
    const { status, text } = yield* fetchText(`${base}/metrics`)
    assert.strictEqual(status, 200)
    assert.match(
      text,
      /^http_server_request_duration_seconds_count\{http_request_method="GET",http_route="\/api\/platform\/v1\/products",http_response_status_code="200"\} 1$/m
    )
    assert.match(text, /^idempotency_replays_total 1$/m)
    assert.match(text, /^db_client_connection_max\{db_client_connection_pool_name="operations"\} 10$/m)
    assert.match(text, /^process_memory_usage_bytes \d{8,}$/m)
    assert.match(text, /^webhook_outbox_oldest_due_age_seconds\{cell="main"\} 0$/m)
    assert.match(text, /^webhook_delivery_attempts_total\{outcome="dead"\} 0$/m)
    assert.match(text, /^db_client_connection_timeouts_total\{db_client_connection_pool_name="admission"\} 0$/m)
    assert.match(text, /^housekeeping_failures_total 0$/m)
    assert.strictEqual((yield* fetchText(`${server.base}/metrics`)).status, 404)
  })
)

it.live("a worker has probes and metrics, and is not ready without its database", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const management = yield* freePort
    yield* startWorker({ DATABASE_URL: url, MANAGEMENT_PORT: String(management) })
    const base = `http://127.0.0.1:${management}`
    const readiness = Effect.map(fetchText(`${base}/readyz`), ({ status }) => status)
    yield* waitUntil(readiness, (status) => status === 200)
    assert.match((yield* fetchText(`${base}/metrics`)).text, /^webhook_outbox_depth\{cell="main"\} 0$/m)
    yield* rowsOf(client, "alter table idempotency_records rename to hidden")
    assert.strictEqual(yield* readiness, 503)
    assert.strictEqual((yield* fetchText(`${base}/livez`)).status, 200)
    yield* rowsOf(client, "alter table hidden rename to idempotency_records")
    assert.strictEqual(yield* readiness, 200)
  })
)

it.live(
  "a server that drains is not ready at once, ends each connection, but serves until the end of DRAIN_SECONDS",
  () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url, DRAIN_SECONDS: "2" })
      const { tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      assert.strictEqual((yield* api.get("/products?limit=1")).headers.get("connection"), "keep-alive")
      const started = performance.now()
      server.kill("SIGTERM")
      yield* waitUntil(
        Effect.map(fetchText(`${server.base}/readyz`), ({ status }) => status),
        (status) => status !== 200
      )
      assert.isBelow(performance.now() - started, 1000)
      assert.strictEqual((yield* fetchText(`${server.base}/readyz`)).status, 503)
      const { headers, status } = yield* api.post("/products", { name: "Late" })
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("connection"), "close")
      const { code, stderr } = yield* Fiber.join(yield* Effect.forkChild(server.ended))
      assert.isAtLeast(performance.now() - started, 2000)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    })
)
