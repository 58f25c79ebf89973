import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type pg from "pg"
import { ApiTest, assertUnavailable, baseUrl, type Client, freshClient, makeClient } from "../../support/http/Api.ts"
import { connection, databaseUrl, neighbour, rowsOf } from "../../support/process/Process.ts"
import { agentOf, callLine, exitsOf, freshMember, postTo } from "../../support/rpc/Rpc.ts"

const times = (n: number) => Array.from({ length: n }, (_, index) => index)

/** Locks rows in a transaction that stays open until it is released. */
const hold = Effect.fn(function* (select: string, id: string) {
  const holder = yield* Effect.flatMap(databaseUrl, connection)
  yield* rowsOf(holder, "begin")
  assert.lengthOf(yield* rowsOf(holder, `${select} for update`, [id]), 1)
  return { release: rowsOf(holder, "rollback") }
})

/** Sessions of the service that wait for a lock. */
const blocked = (watcher: pg.Client) =>
  rowsOf(
    watcher,
    `select query from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and application_name = 'partner-api'`
  )

const instantsIn = (watcher: pg.Client, table: string, column: string, id: string) =>
  Effect.map(
    rowsOf(watcher, `select cardinality(hits) as n from ${table} where ${column} = $1`, [id]),
    ([row]) => row?.["n"]
  )

const isPending = (fiber: Fiber.Fiber<unknown>) => Effect.sync(() => fiber.pollUnsafe() === undefined)

/** Sends a request several times, each while those before it are still unanswered, with another client's in between. */
const sendBesides = <A, R>(request: Effect.Effect<A, never, R>, other: Effect.Effect<void>) =>
  Effect.forEach(times(4), () => Effect.tap(Effect.forkScoped(request), () => Effect.repeat(other, { times: 4 })))

const assertServed = (client: Client) =>
  Effect.map(client.get("/products"), ({ status, text }) => assert.strictEqual(status, 200, text))

const assertAnswered = (base: string, headers: Record<string, string>, storeId: string) =>
  Effect.map(postTo(base, callLine("store.get", { storeId }), headers), ({ text }) =>
    assert.strictEqual(exitsOf(text).get("1")?._tag, "Success", text)
  )

layer(ApiTest, { excludeTestServices: true, timeout: "90 seconds" })("a window that another session holds", (it) => {
  it.effect("delays the requests of its own installation alone, which are answered once it is free", () =>
    Effect.gen(function* () {
      const [stuck, other] = [yield* freshClient(), yield* freshClient()]
      const elsewhere = makeClient(yield* neighbour, stuck.client.token)
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { id } = stuck.installation
      const { release } = yield* hold("select 1 from rate_windows where installation_id = $1", id)

      const besides = assertServed(other.client)
      const here = yield* sendBesides(stuck.client.get("/products"), besides)
      const there = yield* sendBesides(elsewhere.get("/products"), besides)
      assert.deepStrictEqual(yield* blocked(watcher), [])
      const waiting = [...here, ...there]
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(8).map(() => true)
      )
      yield* release
      const answers = yield* Effect.forEach(waiting, Fiber.join)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        times(8).map(() => 200)
      )
      assert.strictEqual(yield* instantsIn(watcher, "rate_windows", "installation_id", id), 8)
    })
  )

  it.effect("delays the calls of its own agent alone", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const [member, other] = [yield* freshMember(), yield* freshMember()]
      const { authorization, id } = yield* agentOf(member)
      const { release } = yield* hold("select 1 from agent_windows where agent_id = $1", id)
      const besides = assertAnswered(base, { cookie: other.cookie }, other.storeId)
      const waiting = yield* sendBesides(assertAnswered(base, { authorization }, member.storeId), besides)
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(4).map(() => true)
      )
      yield* release
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )

  it.effect("delays the calls of its own merchant alone", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const [member, other] = [yield* freshMember(), yield* freshMember()]
      const { release } = yield* hold("select 1 from merchant_call_windows where merchant_id = $1", member.merchantId)
      const besides = assertAnswered(base, { cookie: other.cookie }, other.storeId)
      const waiting = yield* sendBesides(assertAnswered(base, { cookie: member.cookie }, member.storeId), besides)
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(4).map(() => true)
      )
      yield* release
      yield* Effect.forEach(waiting, Fiber.join)
    })
  )

  it.effect("is no part of the account: a locked account delays no call of its merchant", () =>
    Effect.gen(function* () {
      const base = yield* baseUrl
      const member = yield* freshMember()
      yield* hold("select 1 from merchants where id = $1", member.merchantId)
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      for (const _ of times(3)) yield* assertAnswered(base, { cookie: member.cookie }, member.storeId)
      assert.deepStrictEqual(yield* blocked(watcher), [])
    })
  )

  it.effect("is waited for for 10 seconds; then the request is answered with 503, and counts in no window", () =>
    Effect.gen(function* () {
      const [stuck, other] = [yield* freshClient(), yield* freshClient()]
      const watcher = yield* Effect.flatMap(databaseUrl, connection)
      const { id } = stuck.installation
      const { release } = yield* hold("select 1 from rate_windows where installation_id = $1", id)
      const startedAt = performance.now()
      const waiting = yield* Effect.forEach(times(3), () => Effect.forkScoped(stuck.client.get("/products")))
      yield* Effect.repeat(assertServed(other.client), { times: 4 })
      assert.deepStrictEqual(
        yield* Effect.forEach(waiting, isPending),
        times(3).map(() => true)
      )
      const answers = yield* Effect.forEach(waiting, Fiber.join)
      assert.isAtLeast(performance.now() - startedAt, 9_500)
      answers.forEach(assertUnavailable)
      yield* release
      assert.strictEqual(yield* instantsIn(watcher, "rate_windows", "installation_id", id), 0)
      yield* assertServed(stuck.client)
    })
  )
})
