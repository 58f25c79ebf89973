import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Agent, request } from "node:http"
import { dataOf, makeClient } from "../../support/http/Api.ts"
import { sendAndLeave } from "../../support/http/RawHttp.ts"
import {
  createTokens,
  lockStore,
  makeMigratedDatabase,
  rowsOf,
  startServer,
  waitForLockWaits,
  waitUntil
} from "../../support/process/Process.ts"
import { memberOf } from "../../support/rpc/Members.ts"

/** Status of a request on the only connection of `agent`, or undefined without a response. */
const statusThrough = (agent: Agent, url: string) =>
  Effect.callback<number | undefined>((resume) => {
    request(url, { agent }, (response) => {
      response.resume().once("end", () => resume(Effect.succeed(response.statusCode)))
    })
      .once("error", () => resume(Effect.succeed(undefined)))
      .end()
  })

const isRejected = (status: number | undefined) => status === undefined || status === 503

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  it.live(`${signal} finishes requests in flight, accepts no new ones and exits with 0`, () =>
    Effect.gen(function* () {
      const { client, url } = yield* makeMigratedDatabase
      const server = yield* startServer({ DATABASE_URL: url })
      const { storeId, tokens } = yield* createTokens(url)
      const api = makeClient(server.base, tokens[0])
      const { release, watcher } = yield* lockStore(url, storeId)

      const names = ["Cup", "Mug", "Jug"]
      const writing = yield* Effect.forkChild(
        Effect.forEach(names, (name) => api.post("/products", { name }), { concurrency: "unbounded" })
      )
      yield* waitForLockWaits(watcher, names.length)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      assert.strictEqual(yield* statusThrough(agent, `${server.base}/healthz`), 200)

      server.kill(signal)
      yield* waitUntil(statusThrough(new Agent(), `${server.base}/healthz`), isRejected)
      assert.isTrue(isRejected(yield* statusThrough(agent, `${server.base}/healthz`)))
      assert.isNull(server.child.exitCode)

      yield* release
      const answers = yield* Fiber.join(writing)
      assert.deepStrictEqual(
        answers.map((answer) => [answer.status, dataOf(answer)["name"]]),
        names.map((name) => [201, name])
      )
      const { code, signal: killedBy, stderr } = yield* server.ended
      assert.deepStrictEqual({ code, killedBy, stderr }, { code: 0, killedBy: null, stderr: "" })
      const written = yield* rowsOf(client, "select document ->> 'name' as name from products order by id")
      assert.sameMembers(
        written.map(({ name }) => name),
        names
      )
      assert.deepStrictEqual(
        yield* rowsOf(
          client,
          "select pid from pg_stat_activity where application_name = 'partner-api' and datname = current_database()"
        ),
        []
      )
    })
  )
}

it.live("SIGTERM without requests in flight ends the server within 4 s, even with idle connections", () =>
  Effect.gen(function* () {
    const { url } = yield* makeMigratedDatabase
    const server = yield* startServer({ DATABASE_URL: url })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    assert.strictEqual(yield* statusThrough(agent, `${server.base}/healthz`), 200)
    const startedAt = Date.now()
    server.kill("SIGTERM")
    const { code, stderr } = yield* server.ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.isBelow(Date.now() - startedAt, 4000)
  })
)

it.live("SIGTERM after a client left its upload ends the server within 4 s", () =>
  Effect.gen(function* () {
    const { client, url } = yield* makeMigratedDatabase
    const server = yield* startServer({ DATABASE_URL: url })
    const { storeId } = yield* createTokens(url)
    const cookie = yield* memberOf(url, [storeId])
    const query = { storeId, settings: { kind: "products", format: "jsonl" } }
    const leave = yield* sendAndLeave(
      `${server.base}/rpc/imports?import=${encodeURIComponent(JSON.stringify(query))}`,
      cookie,
      Array.from({ length: 200_000 }, (_, n) => JSON.stringify({ externalId: `cup-${n}`, name: "Cup" })).join("\n")
    )
    yield* waitUntil(rowsOf(client, "select from change_set_operations limit 1"), (rows) => rows.length > 0)
    leave()
    const startedAt = Date.now()
    server.kill("SIGTERM")
    const { code, stderr } = yield* server.ended
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.isBelow(Date.now() - startedAt, 4000)
    assert.deepStrictEqual(yield* rowsOf(client, "select id from change_set_uploads"), [])
  })
)
