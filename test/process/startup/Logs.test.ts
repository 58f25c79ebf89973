import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import packageJson from "../../../package.json" with { type: "json" }
import { makeClient } from "../../support/http/Api.ts"
import {
  createTokens,
  lockStore,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  type Variables,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { startWorker } from "../../support/process/Workers.ts"

/** Log lines of a server after a successful and a failed list request, once `isComplete` holds. */
const linesOf = Effect.fn(function* (settings: Variables, isComplete: (stdout: string) => boolean) {
  const { client, url } = yield* makeMigratedDatabase
  const server = yield* startServer({ DATABASE_URL: url, ...settings })
  const { tokens } = yield* createTokens(url)
  const { get } = makeClient(server.base, tokens[0])
  yield* get("/products?limit=5", { headers: { "x-request-id": "good" } })
  yield* rowsOf(client, "alter table products rename to others")
  yield* get("/products", { headers: { "x-request-id": "bad" } })
  const stdout = yield* waitUntil(
    Effect.sync(() => server.output.stdout),
    isComplete
  )
  server.kill("SIGTERM")
  assert.strictEqual((yield* server.ended).stderr, "")
  return stdout.trimEnd().split("\n")
})

const ROUTE = "/api/platform/v1/products"

const Line = Schema.fromJsonString(
  Schema.Struct({
    timestamp: Schema.String,
    logLevel: Schema.String,
    message: Schema.Unknown,
    annotations: Schema.Record(Schema.String, Schema.Unknown)
  })
)

it.live("by default a request is logged as one line of text, and a failure with its request id", () =>
  Effect.gen(function* () {
    const lines = yield* linesOf({}, (stdout) => /500 .*request=bad/.test(stdout))
    const line =
      /^[0-9TZ:.-]+ GET \/api\/platform\/v1\/products 200 [0-9.]+ ms address=127\.0\.0\.1 installation=[0-9a-f-]{36} request=good$/
    assert.lengthOf(
      lines.filter((text) => line.test(text)),
      1
    )
    const failed = lines.findIndex((text) => text.includes("A request failed"))
    assert.isTrue(lines.slice(failed).some((text) => /requestId: "?bad/.test(text)))
  })
)

it.live("LOG_FORMAT=json makes every line a JSON object of one form", () =>
  Effect.gen(function* () {
    const lines = yield* linesOf({ LOG_FORMAT: "json" }, (stdout) => /"status":500.*"requestId":"bad"/.test(stdout))
    const entries = lines.map((line) => Schema.decodeSync(Line)(line))
    const entriesOf = (id: string) => entries.filter(({ annotations }) => annotations["requestId"] === id)
    const [good, ...others] = entriesOf("good")
    assert.deepInclude(good, { logLevel: "INFO", message: "request" })
    assert.deepInclude(good?.annotations, { method: "GET", route: ROUTE, status: 200 })
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      entriesOf("bad").map(({ logLevel }) => logLevel),
      ["ERROR", "INFO"]
    )
  })
)

it.live("with LOG_FORMAT=json a worker prints JSON objects only", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const { output } = yield* startWorker({ DATABASE_URL: url, LOG_FORMAT: "json" })
    const messages = output.stdout
      .trimEnd()
      .split("\n")
      .map((line) => Schema.decodeSync(Line)(line).message)
    assert.include(messages, `Delivering webhooks with Partner API ${packageJson.version}; Ctrl-C stops`)
  })
)

it.live("LOG_LEVEL=warning omits requests, LOG_LEVEL=none also failures", () =>
  Effect.gen(function* () {
    const quiet = yield* linesOf({ LOG_LEVEL: "warning" }, (stdout) => stdout.includes("A request failed"))
    assert.isFalse(quiet.some((line) => line.includes("request=")))
    const silent = yield* linesOf({ LOG_LEVEL: "none" }, (stdout) => stdout.includes("Developers"))
    assert.lengthOf(silent, 5)
  })
)

it.live("a server whose log reader has closed stops with 0", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const server = yield* startServer({ DATABASE_URL: url })
    const { storeId, tokens } = yield* createTokens(url)
    const { release, watcher } = yield* lockStore(url, storeId)
    const writing = yield* Effect.forkChild(makeClient(server.base, tokens[0]).post("/products", { name: "Cup" }))
    yield* waitForLockWaits(watcher, 1)
    yield* waitUntil(
      Effect.sync(() => server.output.stdout),
      (stdout) => stdout.includes("/readyz")
    )
    server.child.stdout.destroy()
    server.kill("SIGTERM")
    yield* release
    assert.strictEqual((yield* Fiber.join(writing)).status, 201)
    const { code, stderr } = yield* server.ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  })
)
