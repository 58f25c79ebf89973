import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Installation } from "../../../src/domain/access/Installations.ts"
import { LARGE_RESPONSE, MAX_LARGE_RESPONSES } from "../../../src/domain/Idempotency.ts"
import {
  type Answer,
  ApiTest,
  dataOf,
  errorOf,
  freshClient,
  makeClient,
  type Resource
} from "../../support/http/Api.ts"
import { entriesOf, fillAppData, keysOf, usageOf } from "../../support/data/AppData.ts"
import { connection, databaseUrl, startSecondServer, rowsOf, waitForLockWaits } from "../../support/process/Process.ts"

const PATH = "/app-data/settings"

const isReplay = ({ headers }: Answer) => headers.get("idempotent-replayed") === "true"

/** Locks the usage of an installation until `release`, so that puts which have written their entry stay in flight. */
const lockUsage = Effect.fn(function* ({ id }: Installation) {
  const url = yield* databaseUrl
  const [holder, watcher] = [yield* connection(url), yield* connection(url)]
  yield* rowsOf(holder, "begin")
  yield* rowsOf(holder, "select from app_data_usage where installation_id = $1 for update", [id])
  return { watcher, release: rowsOf(holder, "commit") }
})

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Idempotency keys of app data", (it) => {
  it.effect("concurrent puts with one idempotency key store one entry, also in the last place of the quota", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      const { id } = installation
      yield* fillAppData(installation, 9_999, 9_999)
      const servers = [client, makeClient(yield* startSecondServer, client.token)]
      const race = Effect.fn(function* (body: (n: number) => Resource) {
        const { release, watcher } = yield* lockUsage(installation)
        const puts = yield* Effect.forkChild(
          Effect.forEach(times(8), (n) => (servers[n % 2] ?? client).put(PATH, body(n), { key: "one" }), {
            concurrency: "unbounded"
          })
        )
        yield* waitForLockWaits(watcher, 4)
        yield* release
        const answers = yield* Fiber.join(puts)
        const performed = answers.filter((answer) => answer.status === 200 && !isReplay(answer))
        assert.lengthOf(performed, 1)
        assert.deepStrictEqual(entriesOf(yield* client.get(PATH)).entries, performed.map(dataOf))
        assert.deepInclude((yield* usageOf(installation))[0], { entries: 10_000, isRight: true })
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(yield* sql`select from idempotency_records where actor_id = ${id} and key = 'one'`, 1)
        return answers
      })
      const expireRecord = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update idempotency_records set expires_at = clock_timestamp() where actor_id = ${id}`
      )

      const same = yield* race(() => ({ key: "a", value: 1 }))
      assert.lengthOf(new Set(same.map(({ text }) => text)), 1)
      const other = { key: "a", value: 2 }
      assert.strictEqual((yield* client.put(PATH, other, { key: "one" })).status, 409)
      yield* expireRecord
      assert.deepInclude(dataOf(yield* client.put(PATH, other, { key: "one" })), other)

      yield* client.delete(`${PATH}?key=a`)
      yield* expireRecord
      const different = yield* race((n) => ({ key: `k${n}`, value: 1 }))
      assert.lengthOf(
        different.filter(({ status }) => status === 409),
        7
      )
    })
  )

  it.effect("a dry run of a put stores nothing, is refused like the put, and leaves the idempotency key free", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* fillAppData(installation, 9_999, 9_999)
      const body = { key: "a", value: 1 }
      const dryRun = client.put(PATH, body, { key: "one", headers: { prefer: "handling=dry-run" } })
      const proposed = yield* dryRun
      assert.strictEqual(proposed.status, 200)
      assert.deepInclude(proposed.json, { dryRun: true, events: [], collections: null })
      assert.strictEqual((yield* client.get(`${PATH}?key=a`)).status, 404)
      assert.deepInclude((yield* usageOf(installation))[0], { entries: 9_999, isRight: true })
      const performed = yield* client.put(PATH, body, { key: "one" })
      assert.isFalse(isReplay(performed))
      for (const answer of [proposed, performed])
        assert.deepInclude(dataOf(answer), { namespace: "settings", ...body, expiresAt: null })

      const full = (headers: Record<string, string>) => client.put(PATH, { key: "b", value: 1 }, { headers })
      const refused = yield* full({})
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(errorOf(yield* full({ prefer: "handling=dry-run" })), errorOf(refused))
    })
  )

  it.effect("the response of a large value counts towards the limit of stored responses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { client, installation } = yield* freshClient()
      const send = (key: string, length: number) => client.put(PATH, { key, value: "x".repeat(length) })
      // Values below the limit, whose responses are on either side of it.
      const [small, large] = [LARGE_RESPONSE - 1_000, LARGE_RESPONSE - 50]
      for (const length of [small, large]) assert.strictEqual((yield* send("a", length)).status, 200)
      const counted = yield* sql`select bytes from large_responses where actor_id = ${installation.id}`
      assert.lengthOf(counted, 1)
      assert.deepStrictEqual(
        counted,
        yield* sql`
          select octet_length(outcome) as bytes from idempotency_records
          where actor_id = ${installation.id} and octet_length(outcome) > ${LARGE_RESPONSE}
        `
      )
      yield* sql`update large_responses set bytes = ${MAX_LARGE_RESPONSES} where actor_id = ${installation.id}`
      assert.strictEqual((yield* send("b", small)).status, 200)
      const refused = yield* send("c", large)
      assert.strictEqual(refused.status, 422)
      assert.include(errorOf(refused).error, "256 MiB")
      assert.deepStrictEqual(keysOf(yield* client.get(PATH)), ["a", "b"])
    })
  )

  it.effect("a put completes after its client disconnects, and the retry receives the stored response", () =>
    Effect.gen(function* () {
      const { client, installation } = yield* freshClient()
      yield* client.put(PATH, { key: "a", value: 1 })
      const { release, watcher } = yield* lockUsage(installation)
      const send = client.put(PATH, { key: "b", value: 1 }, { key: "one" })
      const first = yield* Effect.forkChild(send)
      yield* waitForLockWaits(watcher, 1)
      yield* Fiber.interrupt(first)
      const retry = yield* Effect.forkChild(send)
      yield* waitForLockWaits(watcher, 2)
      yield* release
      assert.isTrue(isReplay(yield* Fiber.join(retry)))
    })
  )
})
