import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeStore } from "../../support/http/Api.ts"
import { PostgresTest } from "../../support/postgres/PostgresTest.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { sessionOf } from "../../support/rpc/Rpc.ts"
import { performIn } from "../../support/data/Writes.ts"

const Live = DomainLive.pipe(Layer.provideMerge(PostgresTest))

const INVALID_TOKEN = Redacted.make("invalid")

/** Creates a store and its owner, with this number of sessions. */
const makeOwner = Effect.fn(function* (sessions: number) {
  const storeId = yield* makeStore()
  const { email, id } = yield* makeMerchant()
  const { join } = yield* Merchants
  const perform = yield* performIn(storeId)
  yield* perform(join(storeId, email, "owner"))
  const tokens = yield* Effect.forEach(Array.from({ length: sessions }), () => sessionOf(email))
  return { storeId, id, tokens: tokens.map((cookie) => Redacted.make(cookie.replace("session=", ""))) }
})

/** Creates an agent whose rate limit is `window` calls. */
const makeAgent = Effect.fn(function* (window: number) {
  const { create } = yield* Agents
  const { id, storeId } = yield* makeOwner(0)
  const { token, write } = create(storeId, id, { name: "An agent", scopes: [], window })
  const perform = yield* performIn(storeId)
  yield* perform(write)
  return { storeId, token }
})

const resultOf = <A extends { readonly admitted: number }, E extends { readonly _tag: string }>(
  answer: Result.Result<A, E>
) => Result.match(answer, { onFailure: ({ _tag }) => _tag, onSuccess: ({ admitted }) => admitted })

const admitConcurrently = <A extends { readonly admitted: number }, E extends { readonly _tag: string }, R>(
  work: ReadonlyArray<Effect.Effect<A, E, R>>
) => Effect.map(Effect.all(work.map(Effect.result), { concurrency: "unbounded" }), (answers) => answers.map(resultOf))

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("Admissions in one statement", (it) => {
  it.effect("each agent gets its own result, and a shared window admits the first requests", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const agents = yield* Agents
      const admit = (token: Redacted.Redacted, calls: number) => agents.admit(token, calls, "any")
      const [busy, other, revoked, homeless] = yield* Effect.all([
        makeAgent(10),
        makeAgent(3),
        makeAgent(5),
        makeAgent(5)
      ])
      yield* sql`update agents set revoked_at = now() where store_id = ${revoked.storeId}`
      yield* sql`update stores set deleted_at = now() where id = ${homeless.storeId}`
      const results = yield* admitConcurrently([
        admit(busy.token, 4),
        admit(INVALID_TOKEN, 1),
        admit(other.token, 2),
        admit(busy.token, 5),
        admit(revoked.token, 1),
        admit(busy.token, 3),
        admit(homeless.token, 1),
        admit(busy.token, 2),
        admit(other.token, 1)
      ])
      assert.deepStrictEqual(results, [4, "InvalidToken", 2, 5, "InvalidToken", 1, "StoreNotFound", 0, 1])
      assert.deepStrictEqual(yield* admitConcurrently([admit(busy.token, 1), admit(other.token, 1)]), [0, 0])
    })
  )

  it.effect("each merchant gets their own roles, and only their own sessions share a window", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admit, find } = yield* Sessions
      const [ada, bob] = [yield* makeOwner(2), yield* makeOwner(1)]
      const [one, two] = ada.tokens
      const [three] = bob.tokens
      if (one === undefined || two === undefined || three === undefined) return assert.fail("There is no session")
      const stores = [ada.storeId, bob.storeId]
      const [first, looked, notSignedIn, second, others] = yield* Effect.all(
        [
          admit(one, stores, 595),
          find(two, [bob.storeId]),
          Effect.flip(admit(INVALID_TOKEN, stores, 1)),
          admit(two, [], 16),
          admit(three, stores, 16)
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([first.admitted, second.admitted, others.admitted], [595, 5, 16])
      assert.deepStrictEqual(first.roles, { [ada.storeId]: "owner" })
      assert.deepStrictEqual(others.roles, { [bob.storeId]: "owner" })
      assert.deepStrictEqual([looked.roles, second.roles], [{}, {}])
      assert.strictEqual(looked.merchantId, ada.id)
      assert.strictEqual(notSignedIn._tag, "NotSignedIn")

      // Concurrent requests a minute later update the time of last use of every session.
      yield* sql`update sessions set seen_at = seen_at - interval '2 minutes', ends_at = ends_at - interval '2 minutes'`
      yield* Effect.all([find(one, []), find(two, []), find(one, []), find(three, [])], { concurrency: "unbounded" })
      const stale = yield* sql`select 1 from sessions where seen_at < now() - interval '1 minute'`
      assert.lengthOf(stale, 0)
    })
  )
})
