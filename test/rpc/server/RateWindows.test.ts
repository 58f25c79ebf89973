import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { MERCHANT_CALLS } from "../../../src/domain/RateLimit.ts"
import { ApiTest, baseUrl, makeStore } from "../../support/http/Api.ts"
import { neighbour } from "../../support/process/Process.ts"
import { agentOf, callLine, exitsOf, freshMember, memberOf, postTo, sessionOf, newKey } from "../../support/rpc/Rpc.ts"

/** One body that is sent many times at once, to two servers in turn, by whoever is next: how each call ended. */
const callAtOnce = Effect.fn(function* (
  senders: ReadonlyArray<Record<string, string>>,
  bodies: number,
  calls: number,
  storeId: string
) {
  const servers = [yield* baseUrl, yield* neighbour]
  const body = Array.from({ length: calls }, (_, id) => callLine("store.get", { storeId }, { id: String(id) })).join("")
  const answers = yield* Effect.forEach(
    Array.from({ length: bodies }, (_, index) => index),
    (index) => postTo(servers[index % 2] ?? "", body, senders[Math.floor(index / 2) % senders.length]),
    { concurrency: "unbounded" }
  )
  return answers.map(({ text }) => [...exitsOf(text).values()])
})

type Exits = ReadonlyArray<ReadonlyArray<ReturnType<typeof exitsOf> extends Map<string, infer Exit> ? Exit : never>>

/** Calls that their window did not take. */
const refusalsOf = (bodies: Exits) =>
  bodies
    .flat()
    .flatMap((exit) => (exit._tag === "Failure" ? [exit.cause[0].error] : []))
    .filter(({ _tag }) => _tag === "RateLimitExceeded")

/** How many it took, whatever came of them then: the store may have had too many at once. */
const admittedOf = (bodies: Exits) => bodies.flat().length - refusalsOf(bodies).length

/** Lets time pass for the windows of all agents and merchants. */
const pass = (seconds: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const table of ["agent_windows", "merchant_call_windows"]) {
      yield* sql`
        update ${sql(table)} set hits = array(select hit - ${seconds * 1_000_000}::bigint from unnest(hits) as hit order by hit)
      `
    }
  })

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("windows of calls", (it) => {
  it.effect("of 200 calls of an agent that come at once to two servers 100 are admitted, and 100 a minute later", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member)
      for (const _ of "ab") {
        const ended = yield* callAtOnce([{ authorization }], 200, 1, member.storeId)
        assert.strictEqual(admittedOf(ended), 100)
        for (const error of refusalsOf(ended)) {
          assert.isAtLeast(Number(error["retryAfter"]), 1)
          assert.isAtMost(Number(error["retryAfter"]), 60)
        }
        yield* pass(61)
      }
    })
  )

  it.effect("each call of a body counts, and of one that does not fit the first are answered", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member, { window: 50 })
      const ended = yield* callAtOnce([{ authorization }], 6, 16, member.storeId)
      assert.strictEqual(admittedOf(ended), 50)
      const inPart = ended.filter((body) => body.some(({ _tag }) => _tag === "Failure"))
      assert.includeDeepMembers(
        inPart.map((body) => body.map(({ _tag }) => _tag)),
        [["Success", "Success", ...Array.from({ length: 14 }, () => "Failure")]]
      )
    })
  )

  it.effect("a merchant has one for all sessions and stores, and another merchant of a store one of their own", () =>
    Effect.gen(function* () {
      const { cookie, email, storeId } = yield* freshMember()
      const other = yield* memberOf(storeId)
      const senders = [{ cookie }, { cookie: yield* sessionOf(email) }]
      const half = MERCHANT_CALLS / 2
      assert.strictEqual(admittedOf(yield* callAtOnce(senders, half / 15, 15, storeId)), half)
      yield* pass(30)
      const ended = yield* callAtOnce(senders, half / 10, 16, storeId)
      assert.strictEqual(admittedOf(ended), half)
      for (const error of refusalsOf(ended)) assert.isAtMost(Number(error["retryAfter"]), 30)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ cookie: other.cookie }], 1, 16, storeId)), 16)
      // What was refused did not count: the first half has left the window by now.
      yield* pass(31)
      assert.strictEqual(admittedOf(yield* callAtOnce(senders, half / 10, 16, storeId)), half)
    })
  )

  it.effect("a call that is refused for what it asks counts, one without a caller counts for nobody", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { authorization } = yield* agentOf(member, { window: 20, scopes: [] })
      const elsewhere = yield* makeStore()
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, elsewhere)), 16)
      yield* callAtOnce([{ authorization: "Bearer agent_nobody" }, { cookie: "session=nobody" }], 4, 16, member.storeId)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, member.storeId)), 4)
    })
  )

  it.effect("a window that is made smaller holds at once, also one that holds more by then", () =>
    Effect.gen(function* () {
      const member = yield* freshMember()
      const { storeId } = member
      const { authorization, id } = yield* agentOf(member)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, storeId)), 16)
      yield* pass(40)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 10, storeId)), 10)
      yield* member.client.agents.update({ storeId, idempotencyKey: newKey(), id, patch: { window: 12 } })
      const [error] = refusalsOf(yield* callAtOnce([{ authorization }], 1, 1, storeId))
      assert.isAtMost(Number(error?.["retryAfter"]), 20)
      yield* pass(21)
      assert.strictEqual(admittedOf(yield* callAtOnce([{ authorization }], 1, 16, storeId)), 2)
    })
  )
})
