import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { service } from "../../../src/Service.ts"
import { runInProcess } from "../../support/process/Cli.ts"
import {
  temporaryFolder,
  freePort,
  makeMigratedDatabase,
  rowsOf,
  runNode,
  type Variables
} from "../../support/process/Process.ts"
import { receiver } from "../../support/webhooks/Receiver.ts"
import {
  makeSubscribers,
  auditReceiver,
  createUntilSuccess,
  listening,
  startSender
} from "../../support/process/Workers.ts"

const serverInProcess = (environment: Variables) => runInProcess(service, environment)
const serverProcess = (environment: Variables) => runNode("main", [], environment)
const workerProcess = (environment: Variables) => runNode("cli", ["worker"], environment)

const refusals = [
  [
    serverProcess,
    "WEBHOOK_WORKERS",
    "-1",
    /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received -1; 0 delivers/
  ],
  [
    serverInProcess,
    "WEBHOOK_WORKERS",
    "4294967296",
    /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received 4294967296/
  ],
  [serverInProcess, "WEBHOOK_WORKERS", "many", /^partner-api: WEBHOOK_WORKERS: .*"many"$/],
  [serverInProcess, "WEBHOOK_WORKERS", "2.5", /^partner-api: WEBHOOK_WORKERS: .*"2.5"$/],
  [
    serverInProcess,
    "WEBHOOK_ALLOW_HOSTS",
    "http://a/b",
    /^partner-api: WEBHOOK_ALLOW_HOSTS: "http:\/\/a\/b" is not a valid host/
  ],
  [workerProcess, "WEBHOOK_ALLOW_HOSTS", "a b", /^partner-api: WEBHOOK_ALLOW_HOSTS: "a b" is not a valid host/]
] as const

for (const [start, name, value, line] of refusals) {
  it.live(`${name}=${value} fails the start of a ${start === workerProcess ? "worker" : "server"} with one line`, () =>
    Effect.gen(function* () {
      const { url } = yield* makeMigratedDatabase
      const environment = {
        DATABASE_URL: url,
        DATA_DIR: yield* temporaryFolder,
        PORT: String(yield* freePort),
        [name]: value
      }
      const { code, stderr } = yield* start(environment)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr.trimEnd(), line)
    })
  )
}

it.live("WEBHOOK_WORKERS=0 delivers nothing, and a later server with workers delivers the backlog", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const endpoint = yield* receiver()
    const withoutWorkers = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* makeSubscribers(url, endpoint, 2)
    yield* createUntilSuccess(() => withoutWorkers.base, tokens[0], "one")
    // Eight times the polling interval of a worker.
    yield* Effect.sleep("2 seconds")
    assert.deepStrictEqual(yield* rowsOf(client, "select distinct attempts, lease, outcome from deliveries"), [
      { attempts: 0, lease: null, outcome: null }
    ])
    assert.lengthOf(endpoint.received, 0)
    yield* listening(client, 0)

    yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "1" })
    yield* listening(client, 1)
    assert.deepInclude(yield* auditReceiver(client, endpoint), { due: 2, lost: [], duplicates: 0 })
  })
)

it.live("a server with an empty WEBHOOK_WORKERS delivers events, as without it", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const endpoint = yield* receiver()
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "" })
    const { tokens } = yield* makeSubscribers(url, endpoint, 2)
    yield* createUntilSuccess(() => server.base, tokens[0], "one")
    assert.deepInclude(yield* auditReceiver(client, endpoint), { due: 2, lost: [], duplicates: 0 })
  })
)
