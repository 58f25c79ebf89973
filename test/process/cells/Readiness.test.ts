import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { partnerApi } from "../../../src/cli/Program.ts"
import { cellDatabases } from "../../support/cells/CellDatabases.ts"
import { assertUnavailable, makeClient } from "../../support/http/Api.ts"
import { AppMade, Installed, runInProcess, StoreMade } from "../../support/process/Cli.ts"
import { haproxy } from "../../support/process/Haproxy.ts"
import {
  connection,
  fetchText,
  freePort,
  rowsOf,
  serverUrl,
  startServer,
  waitUntil
} from "../../support/process/Process.ts"
import { isMissing } from "../../support/process/Programs.ts"
import { closeDatabase, openDatabase } from "../../support/process/Workers.ts"

const decodeRefusal = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ error: Schema.NonEmptyString })))

/** Checks of haproxy in this time: many more than it needs to take a server out. */
const WINDOW = 1000

it.live.skipIf(isMissing("haproxy"))(
  "behind haproxy, a database that is away or slow stops no request for the stores of another one",
  () =>
    Effect.gen(function* () {
      const databases = yield* cellDatabases(["north"])
      const main = Redacted.value(databases.main)
      const north = Redacted.value(databases.cells[0]?.url ?? assert.fail())
      const admin = yield* Effect.flatMap(serverUrl, connection)
      yield* Effect.addFinalizer(() =>
        Effect.forEach([main, north], (url) => openDatabase(admin, url), { discard: true })
      )
      const variables = { ...databases.settings, DATABASE_URL: main }
      const run = Effect.fnUntraced(function* <A, I>(schema: Schema.Codec<A, I>, ...args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* runInProcess(partnerApi([...args, "--json"]), variables)
        assert.strictEqual(code, 0, stderr)
        return Schema.decodeSync(Schema.fromJsonString(schema))(stdout)
      })
      const { appId } = yield* run(AppMade, "apps", "create", "--name", "App", "--scope", "read_products")
      const tokenIn = Effect.fnUntraced(function* (cell: string) {
        const shop = ["--name", "A store", "--plan", "scale", "--currency", "EUR", "--cell", cell]
        const { storeId } = yield* run(StoreMade, "stores", "create", ...shop)
        const grant = ["--store", storeId, "--app", appId, "--scope", "read_products"]
        return (yield* run(Installed, "installations", "create", ...grant)).accessToken
      })

      const [port, management] = [yield* freePort, yield* freePort]
      const server = yield* startServer({ ...variables, PORT: String(port), MANAGEMENT_PORT: String(management) })
      const probe = Effect.map(fetchText(`http://127.0.0.1:${management}/readyz`), ({ status }) => status)
      const proxy = yield* haproxy([{ port, management }], (text) => text.replace("inter 1s", "inter 50ms"))
      const [inMain, inNorth] = [yield* tokenIn("main"), yield* tokenIn("north")].map((token) =>
        makeClient(proxy.base, token).get("/products")
      )
      if (inMain === undefined || inNorth === undefined) return assert.fail()
      for (const request of [inMain, inNorth]) {
        yield* proxy.during(waitUntil(request, ({ status }) => status === 200))
      }

      /** Sends requests to both stores for a while. */
      const meanwhile = Effect.gen(function* () {
        const end = performance.now() + WINDOW
        const answers = []
        while (performance.now() < end) {
          answers.push({ main: yield* inMain, north: yield* inNorth })
          yield* Effect.sleep("100 millis")
        }
        return answers
      })

      yield* closeDatabase(admin, main)
      for (const answer of yield* meanwhile) {
        assert.strictEqual(answer.north.status, 200, answer.north.text)
        assertUnavailable(answer.main)
      }
      yield* openDatabase(admin, main)
      yield* waitUntil(inMain, ({ status }) => status === 200)

      yield* closeDatabase(admin, north)
      for (const answer of yield* meanwhile) {
        assert.strictEqual(answer.main.status, 200, answer.main.text)
        assertUnavailable(answer.north)
      }
      assert.match(
        yield* waitUntil(
          Effect.map(fetchText(`http://127.0.0.1:${management}/metrics`), ({ text }) => text),
          (text) => text.includes('service_database_ready{cell="north"} 0')
        ),
        /^service_database_ready\{cell="main"\} 1$/m
      )

      yield* closeDatabase(admin, main)
      yield* waitUntil(
        Effect.sync(() => proxy.output.stderr),
        (log) => log.includes("backend 'servers' has no server available")
      )
      assert.strictEqual(yield* probe, 503)
      const refused = yield* inNorth
      assert.strictEqual(refused.status, 503)
      assert.match(decodeRefusal(refused.text).error, /repeat the request/)
      assert.strictEqual(refused.headers.get("content-type"), "application/json")
      assert.strictEqual(refused.headers.get("retry-after"), "1")

      yield* openDatabase(admin, main)
      yield* openDatabase(admin, north)
      for (const request of [inMain, inNorth]) yield* waitUntil(request, ({ status }) => status === 200)

      // The probes of both databases wait.
      const holders = yield* Effect.forEach([main, north], connection)
      for (const holder of holders) {
        yield* rowsOf(holder, "begin")
        yield* rowsOf(holder, "lock table idempotency_records in access exclusive mode")
      }
      for (let time = 0; time < 3; time++) assert.strictEqual(yield* probe, 200)
      for (const { status, text } of yield* Effect.all([inMain, inNorth])) assert.strictEqual(status, 200, text)
      for (const holder of holders) yield* rowsOf(holder, "rollback")
      assert.strictEqual(server.output.stderr, "")
    })
)
