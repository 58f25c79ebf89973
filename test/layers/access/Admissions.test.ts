import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { makeStore } from "../../support/Api.ts"
import { PostgresTest } from "../../support/PostgresTest.ts"
import { makeMerchant } from "../../support/Merchants.ts"
import { sessionOf } from "../../support/Rpc.ts"
import { performIn } from "../../support/Writes.ts"

const Live = DomainLive.pipe(Layer.provideMerge(PostgresTest))

const NOBODY = Redacted.make("nobody")

/** An owner of a store of their own, with as many sessions as are asked for. */
const owner = Effect.fn(function* (sessions: number) {
  const storeId = yield* makeStore()
  const { email, id } = yield* makeMerchant()
  const { join } = yield* Merchants
  const perform = yield* performIn(storeId)
  yield* perform(join(storeId, email, "owner"))
  const tokens = yield* Effect.forEach(Array.from({ length: sessions }), () => sessionOf(email))
  return { storeId, id, tokens: tokens.map((cookie) => Redacted.make(cookie.replace("session=", ""))) }
})

/** An agent of a store, whose window takes so many calls. */
const agentOf = Effect.fn(function* (window: number) {
  const { create } = yield* Agents
  const { id, storeId } = yield* owner(0)
  const { token, write } = create(storeId, id, { name: "An agent", scopes: [], window })
  const perform = yield* performIn(storeId)
  yield* perform(write)
  return { storeId, token }
})

const toldOf = <A extends { readonly admitted: number }, E extends { readonly _tag: string }>(
  answer: Result.Result<A, E>
) => Result.match(answer, { onFailure: ({ _tag }) => _tag, onSuccess: ({ admitted }) => admitted })

const atOnce = <A extends { readonly admitted: number }, E extends { readonly _tag: string }, R>(
  work: ReadonlyArray<Effect.Effect<A, E, R>>
) => Effect.map(Effect.all(work.map(Effect.result), { concurrency: "unbounded" }), (answers) => answers.map(toldOf))

layer(Live, { excludeTestServices: true, timeout: "60 seconds" })("admissions that share a statement", (it) => {
  it.effect("agents are each told for themselves, and those that come first of one window have it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const agents = yield* Agents
      const admit = (token: Redacted.Redacted, calls: number) => agents.admit(token, calls, "any")
      const [busy, other, revoked, homeless] = yield* Effect.all([agentOf(10), agentOf(3), agentOf(5), agentOf(5)])
      yield* sql`update agents set revoked_at = now() where store_id = ${revoked.storeId}`
      yield* sql`update stores set deleted_at = now() where id = ${homeless.storeId}`
      const told = yield* atOnce([
        admit(busy.token, 4),
        admit(NOBODY, 1),
        admit(other.token, 2),
        admit(busy.token, 5),
        admit(revoked.token, 1),
        admit(busy.token, 3),
        admit(homeless.token, 1),
        admit(busy.token, 2),
        admit(other.token, 1)
      ])
      assert.deepStrictEqual(told, [4, "InvalidToken", 2, 5, "InvalidToken", 1, "StoreNotFound", 0, 1])
      assert.deepStrictEqual(yield* atOnce([admit(busy.token, 1), admit(other.token, 1)]), [0, 0])
    })
  )

  it.effect("merchants are each told their own roles, and share a window over their sessions alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admit, find } = yield* Sessions
      const [ada, bob] = [yield* owner(2), yield* owner(1)]
      const [one, two] = ada.tokens
      const [three] = bob.tokens
      if (one === undefined || two === undefined || three === undefined) return assert.fail("There is no session")
      const stores = [ada.storeId, bob.storeId]
      const [first, looked, nobody, second, others] = yield* Effect.all(
        [
          admit(one, stores, 595),
          find(two, [bob.storeId]),
          Effect.flip(admit(NOBODY, stores, 1)),
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
      assert.strictEqual(nobody._tag, "NotSignedIn")

      // A minute later each of their sessions counts as used, however many ask at once.
      yield* sql`update sessions set seen_at = seen_at - interval '2 minutes', ends_at = ends_at - interval '2 minutes'`
      yield* Effect.all([find(one, []), find(two, []), find(one, []), find(three, [])], { concurrency: "unbounded" })
      const stale = yield* sql`select 1 from sessions where seen_at < now() - interval '1 minute'`
      assert.lengthOf(stale, 0)
    })
  )
})
