import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { MERCHANT_CALLS } from "../../../src/domain/RateLimit.ts"
import { GlobalDatabase } from "../../../src/layers/sql/Postgres.ts"
import { performIn } from "../../support/data/Writes.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { startSecondServer } from "../../support/process/Process.ts"
import { agentOf, callLine, exitsOf, freshMember, memberOf, postTo, sessionOf, newKey } from "../../support/rpc/Rpc.ts"

/** Sends one body many times at once, to two servers and by all senders in turn. Returns the exits of its calls. */
const callAtOnce = Effect.fn(function* (
  senders: ReadonlyArray<Record<string, string>>,
  bodies: number,
  calls: number,
  storeId: string
) {
  const servers = [yield* baseUrl, yield* startSecondServer]
  const body = Array.from({ length: calls }, (_, id) => callLine("store.get", { storeId }, { id: String(id) })).join("")
  const responses = yield* Effect.forEach(
    Array.from({ length: bodies }, (_, index) => index),
    (index) => postTo(servers[index % 2] ?? "", body, senders[Math.floor(index / 2) % senders.length]),
    { concurrency: "unbounded" }
  )
  return responses.map(({ text }) => [...exitsOf(text).values()])
})

type Exits = ReadonlyArray<ReadonlyArray<ReturnType<typeof exitsOf> extends Map<string, infer Exit> ? Exit : never>>

/** Errors of the calls that exceeded their window. */
const refusalsOf = (bodies: Exits) =>
  bodies
    .flat()
    .flatMap((exit) => (exit._tag === "Failure" ? [exit.cause[0].error] : []))
    .filter(({ _tag }) => _tag === "RateLimitExceeded")

/** Number of calls that the window admitted. Some of them may fail later, for the bulkhead of the store. */
const admittedOf = (bodies: Exits) => bodies.flat().length - refusalsOf(bodies).length

/** Moves the windows of all agents and merchants into the past. */
const passTime = (seconds: number) =>
  Effect.gen(function* () {
    // Windows of merchants are in the global database.
    const [own, global] = [yield* SqlClient.SqlClient, yield* GlobalDatabase]
    for (const [sql, table] of [
      [own, "agent_windows"],
      [global.sql, "merchant_call_windows"]
    ] as const) {
      yield* sql`
        update ${sql(table)} set hits = array(select hit - ${seconds * 1_000_000}::bigint from unnest(hits) as hit order by hit)
      `
    }
  })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Call windows", (it) => {
  it.effect("two servers admit 100 of 200 concurrent calls of an agent, and 100 more a minute later", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member)
      for (const _ of "ab") {
        const exits = yield* callAtOnce([{ authorization }], 200, 1, member.storeId)
        assert.strictEqual(admittedOf(exits), 100)
        for (const error of refusalsOf(exits)) {
          assert.isAtLeast(Number(error["retryAfter"]), 1)
          assert.isAtMost(Number(error["retryAfter"]), 60)
        }
        yield* passTime(61)
      }
    })
  )

  it.effect("each call of a body counts; if a body exceeds the window, its first calls succeed", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member, { window: 50 })
      const exits = yield* callAtOnce([{ authorization }], 6, 16, member.storeId)
      assert.strictEqual(admittedOf(exits), 50)
      const partial = exits.filter((body) => body.some(({ _tag }) => _tag === "Failure"))
      assert.includeDeepMembers(
        partial.map((body) => body.map(({ _tag }) => _tag)),
        [["Success", "Success", ...Array.from({ length: 14 }, () => "Failure")]]
      )
    })
  )

  it.effect("a merchant has one call window for all sessions and stores; another merchant has their own", () =>
    Effect.gen(function* () {
      const { cookie, email, storeId } = yield* freshMember()
      const other = yield* memberOf(storeId)
      const { join } = yield* Merchants
      const secondStore = yield* makeStore()
      const perform = yield* performIn(secondStore)
      yield* perform(join(secondStore, email, "owner"))
      const senders = [{ cookie }, { cookie: yield* sessionOf(email) }]
      const half = MERCHANT_CALLS / 2
      assert.strictEqual(admittedOf(yield* callAtOnce(senders, half / 15, 15, storeId)), half)
      yield* passTime(30)
      const exits = yield* callAtOnce(senders, half / 10, 16, storeId)
      assert.strictEqual(admittedOf(exits), half)
      for (const error of refusalsOf(exits)) assert.isAtMost(Number(error["retryAfter"]), 30)
      assert.strictEqual(admittedOf(yield* callAtOnce(senders, 2, 1, secondStore)), 0)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ cookie: other.cookie }], 1, 16, storeId)), 16)
      // Rejected calls do not count: the first half has left the window by now.
      yield* passTime(31)
      assert.strictEqual(admittedOf(yield* callAtOnce(senders, half / 10, 16, storeId)), half)
    })
  )

  it.effect("a call that fails authorization counts; a call with an invalid token counts for no window", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member, { window: 20, scopes: [] })
      const otherStore = yield* makeStore()
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, otherStore)), 16)
      yield* callAtOnce([{ authorization: "Bearer agent_nobody" }, { cookie: "session=nobody" }], 4, 16, member.storeId)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, member.storeId)), 4)
    })
  )

  it.effect("a reduced window applies at once, even if it already has more calls", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { authorization, id } = yield* agentOf(member)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, storeId)), 16)
      yield* passTime(40)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 10, storeId)), 10)
      yield* member.client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { window: 12 } })
      const [error] = refusalsOf(yield* callAtOnce([{ authorization }], 1, 1, storeId))
      assert.isAtMost(Number(error?.["retryAfter"]), 20)
      yield* passTime(21)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, storeId)), 2)
    })
  )
})
