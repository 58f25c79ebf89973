import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type pg from "pg"
import { WindowTimeout } from "../../../src/layers/rateLimit/LockedWindows.ts"
import {
  ApiTest,
  assertUnavailable,
  baseUrl,
  type Client,
  freshClient,
  IsolatedApiTest,
  makeClient
} from "../../support/http/Api.ts"
import { connection, databaseUrl, globalDatabaseUrl, startSecondServer, rowsOf } from "../../support/process/Process.ts"
import { agentOf, callLine, exitsOf, freshMember, postTo } from "../../support/rpc/Rpc.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

/** Locks a row in a transaction that stays open until `release`. */
const lockRow = Effect.fn(function* (select: string, id: string, url?: string) {
  const holder = yield* connection(url ?? (yield* databaseUrl))
  yield* rowsOf(holder, "begin")
  assert.lengthOf(yield* rowsOf(holder, `${select} for update`, [id]), 1)
  return { release: rowsOf(holder, "rollback") }
})

/** Queries of the service that wait for a lock. */
const blockedQueries = (watcher: pg.Client) =>
  rowsOf(
    watcher,
    `select query from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'`
  )

const countHits = (watcher: pg.Client, table: string, column: string, id: string) =>
  Effect.map(
    rowsOf(watcher, `select cardinality(hits) as n from ${table} where ${column} = $1`, [id]),
    ([row]) => row?.["n"]
  )

const isPending = (fiber: Fiber.Fiber<unknown>) => Effect.sync(() => fiber.pollUnsafe() === undefined)

/** Sends a request four times without awaiting it, with requests of another client in between. */
const sendInterleaved = <A, R>(request: Effect.Effect<A, never, R>, other: Effect.Effect<void>) =>
  Effect.forEach(times(4), () => Effect.tap(Effect.forkScoped(request), () => Effect.repeat(other, { times: 4 })))

const assertServed = (client: Client) =>
  Effect.map(client.get("/products"), ({ status, text }) => assert.strictEqual(status, 200, text))

const assertCallSucceeds = (base: string, headers: Record<string, string>, storeId: string) =>
  Effect.map(postTo(base, callLine("store.get", { storeId }), headers), ({ text }) =>
    assert.strictEqual(exitsOf(text).get("1")?._tag, "Success", text)
  )

layer(ApiTest, { excludeTestServices: true, timeout: "90 seconds" })("Locked windows", (it) => {
  it.effect("a locked installation window delays only requests of its installation, until it is released", () =>
    Effect.gen(function* () {
      const [locked, other] = [yield* freshClient(), yield* freshClient()]
      const secondServer = makeClient(yield* startSecondServer, locked.client.token)
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { id } = locked.installation
      const { release } = yield* lockRow("select 1 from rate_windows where installation_id = $1", id)

      const interleaved = assertServed(other.client)
      const onFirst = yield* sendInterleaved(locked.client.get("/products"), interleaved)
      const onSecond = yield* sendInterleaved(secondServer.get("/products"), interleaved)
      assert.deepStrictEqual(yield* blockedQueries(watcher), [])
      const waiting = [...onFirst, ...onSecond]
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(8).map(() => true)
      )
      yield* release
      const responses = yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(
        responses.map(({ status }) => status),
        times(8).map(() => 200)
      )
      assert.strictEqual(yield* countHits(watcher, "rate_windows", "installation_id", id), 8)
    })
  )

  it.effect("a locked agent window delays only calls of its agent", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const [member, other] = [yield* freshMember(), yield* freshMember()]
      const { authorization, id } = yield* agentOf(member)
      const { release } = yield* lockRow("select 1 from agent_windows where agent_id = $1", id)
      const interleaved = assertCallSucceeds(base, { cookie: other.cookie }, other.storeId)
      const waiting = yield* sendInterleaved(assertCallSucceeds(base, { authorization }, member.storeId), interleaved)
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(4).map(() => true)
      )
      yield* release
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )

  it.effect("a locked merchant window delays only calls of its merchant", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const [member, other] = [yield* freshMember(), yield* freshMember()]
      const { release } = yield* lockRow(
        "select 1 from merchant_call_windows where merchant_id = $1",
        member.merchantId,
        yield* globalDatabaseUrl
      )
      const interleaved = assertCallSucceeds(base, { cookie: other.cookie }, other.storeId)
      const waiting = yield* sendInterleaved(
        assertCallSucceeds(base, { cookie: member.cookie }, member.storeId),
        interleaved
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(4).map(() => true)
      )
      yield* release
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )

  it.effect("a locked account row does not delay calls of its merchant", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const member = yield* freshMember()
      yield* lockRow("select 1 from merchants where id = $1", member.merchantId)
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      for (const _ of times(3)) yield* assertCallSucceeds(base, { cookie: member.cookie }, member.storeId)
      assert.deepStrictEqual(yield* blockedQueries(watcher), [])
    })
  )
})

const WAIT_MILLIS = 1000
const ImpatientApi = Layer.provide(IsolatedApiTest, Layer.succeed(WindowTimeout, WAIT_MILLIS))

layer(ImpatientApi, { excludeTestServices: true, timeout: "60 seconds" })("Windows that stay locked", (it) => {
  it.effect("a request whose window stays locked returns 503 after the timeout and is not counted", () =>
    Effect.gen(function* () {
      const [locked, other] = [yield* freshClient(), yield* freshClient()]
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { id } = locked.installation
      const { release } = yield* lockRow("select 1 from rate_windows where installation_id = $1", id)
      const startedAt = performance.now()
      const waiting = yield* Effect.forEach(times(3), () => Effect.forkScoped(locked.client.get("/products")))
      yield* Effect.repeat(assertServed(other.client), { times: 4 })
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(3).map(() => true)
      )
      const responses = yield* Effect.forEach(waiting, Fiber.join)
      assert.isAtLeast(performance.now() - startedAt, WAIT_MILLIS)
      responses.forEach(assertUnavailable)
      yield* release
      assert.strictEqual(yield* countHits(watcher, "rate_windows", "installation_id", id), 0)
      yield* assertServed(locked.client)
    })
  )
})
