import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, freePort, ownDatabase, rowsOf, runNode } from "../support/Process.ts"
import { receiver } from "../support/Receiver.ts"
import { audience, books, insist, listening, startSender } from "../support/Workers.ts"

const refusals = [
  ["main", "WEBHOOK_WORKERS", "-1", /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received -1; 0 delivers/],
  [
    "main",
    "WEBHOOK_WORKERS",
    "4294967296",
    /^partner-api: WEBHOOK_WORKERS: Expected 0 to 10000 but received 4294967296/
  ],
  ["main", "WEBHOOK_WORKERS", "many", /^partner-api: WEBHOOK_WORKERS: .*"many"$/],
  ["main", "WEBHOOK_WORKERS", "2.5", /^partner-api: WEBHOOK_WORKERS: .*"2.5"$/],
  ["main", "WEBHOOK_ALLOW_HOSTS", "http://a/b", /^partner-api: WEBHOOK_ALLOW_HOSTS: "http:\/\/a\/b" is no host/],
  ["cli", "WEBHOOK_ALLOW_HOSTS", "a b", /^partner-api: WEBHOOK_ALLOW_HOSTS: "a b" is no host/]
] as const

for (const [bundle, name, value, line] of refusals) {
  it.scopedLive(`${name}=${value} stops the start of ${bundle} with one line that says why`, () =>
    Effect.gen(function* () {
      const { url } = yield* ownDatabase
      const given = { DATABASE_URL: url, DATA_DIR: yield* folder, PORT: String(yield* freePort), [name]: value }
      const { code, stderr } = yield* runNode(bundle, bundle === "cli" ? ["worker"] : [], given)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^[^\n]+\n$/)
      assert.match(stderr.trimEnd(), line)
    })
  )
}

it.scopedLive("WEBHOOK_WORKERS=0 delivers nothing; the next server without it delivers what is there", () =>
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    const endpoint = yield* receiver()
    const silent = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "0" })
    const { tokens } = yield* audience(url, endpoint, 2)
    yield* insist(() => silent.base, tokens[0], "one")
    // Eight times the time after which a worker looks, notice or not.
    yield* Effect.sleep("2 seconds")
    assert.deepStrictEqual(yield* rowsOf(client, "select distinct attempts, lease, outcome from deliveries"), [
      { attempts: 0, lease: null, outcome: null }
    ])
    assert.lengthOf(endpoint.received, 0)
    yield* listening(client, 0)

    yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "1" })
    yield* listening(client, 1)
    assert.deepInclude(yield* books(client, endpoint), { due: 2, lost: [], doubled: 0 })
  })
)

it.scopedLive("an empty WEBHOOK_WORKERS is none at all: it delivers", () =>
  Effect.gen(function* () {
    const { client, url } = yield* ownDatabase
    const endpoint = yield* receiver()
    const server = yield* startSender({ DATABASE_URL: url, WEBHOOK_WORKERS: "" })
    const { tokens } = yield* audience(url, endpoint, 2)
    yield* insist(() => server.base, tokens[0], "one")
    assert.deepInclude(yield* books(client, endpoint), { due: 2, lost: [], doubled: 0 })
  })
)
