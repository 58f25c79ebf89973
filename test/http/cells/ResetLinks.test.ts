import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { MerchantId } from "../../../src/domain/access/Ids.ts"
import { MAIN } from "../../../src/domain/cells/Cells.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { CellsTest, inCell, storeIn } from "../../support/cells/CellsTest.ts"
import { joinHere, memberEverywhere } from "../../support/cells/Members.ts"
import { baseUrl, makeApp } from "../../support/http/Api.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { clientOf, newKey, signIn } from "../../support/rpc/Rpc.ts"

const NEXT = "another horse battery"

/** Creates a reset link of an owner and returns its token. */
const resetToken = (client: Client, storeId: StoreId, merchantId: MerchantId) =>
  Effect.map(
    client.members.createResetLink({ storeId, idempotencyKey: newKey(), merchantId }),
    ({ link }) => link?.split("#")[1] ?? assert.fail("There is no link")
  )

/** Uses a reset link and returns the status. */
const postReset = (base: string, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/auth/reset/use`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, password: NEXT })
    })
    return response.status
  })

const useReset = (token: string) => Effect.flatMap(baseUrl, (base) => postReset(base, token))

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("Reset links in cells", (it) => {
  it.effect("an owner resets the password of a member whose stores are all in one cell and the owner's", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      for (const { storeId } of stores) {
        const other = yield* makeMerchant()
        yield* client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "staff" })
        const member = yield* clientOf(yield* signIn(other.email))
        const token = yield* resetToken(client, storeId, other.id)
        assert.strictEqual(yield* useReset(token), 200)
        assert.strictEqual(yield* useReset(token), 404)
        assert.strictEqual((yield* Effect.flip(member.account.get({})))._tag, "NotSignedIn")
        assert.notStrictEqual(yield* signIn(other.email, NEXT), "")
        const { items } = yield* client.activity.list({ storeId, limit: 1 })
        assert.deepStrictEqual(items[0]?.after, { resetLink: "used" })
        // An owner may know the password, whatever the copies of other cells still have.
        for (const { cell } of stores) {
          const elsewhere = yield* storeIn(cell)
          const joined = inCell(cell, Effect.flip(joinHere(elsewhere.storeId, other.email)))
          assert.strictEqual((yield* joined)._tag, "EmailUnproven")
        }
      }
    })
  )

  it.effect("a reset link does not work once the member develops an app or joins a store of another owner", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      for (const { storeId } of stores) {
        for (const { cell } of stores) {
          const other = yield* makeMerchant()
          yield* client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "staff" })
          const token = yield* resetToken(client, storeId, other.id)
          const elsewhere = yield* storeIn(cell)
          const base = yield* baseUrl
          // The membership of the second store is not committed while the link is used.
          const status = yield* inCell(
            cell,
            Effect.gen(function* () {
              const sql = yield* SqlClient.SqlClient
              const used = cell === MAIN ? Effect.succeed(404) : postReset(base, token)
              const during = Effect.andThen(joinHere(elsewhere.storeId, other.email), used)
              return yield* sql.withTransaction(during)
            })
          )
          assert.strictEqual(status, 404)
          assert.strictEqual(yield* useReset(token), 404)
          assert.strictEqual(
            (yield* Effect.flip(
              client.members.createResetLink({ storeId, idempotencyKey: newKey(), merchantId: other.id })
            ))._tag,
            "ResetRefused"
          )
        }
        const developer = yield* makeMerchant()
        yield* client.members.join({ storeId, idempotencyKey: newKey(), email: developer.email, role: "staff" })
        const token = yield* resetToken(client, storeId, developer.id)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update apps set developer_id = ${developer.id} where id = ${yield* makeApp()}`
        assert.strictEqual(yield* useReset(token), 404)
        assert.notStrictEqual(yield* signIn(developer.email), "")
      }
    })
  )

  it.effect("a membership waits for a reset of the password that is being checked", () =>
    Effect.gen(function* () {
      const { client, stores } = yield* memberEverywhere
      const { storeId } = stores[1] ?? assert.fail()
      const other = yield* makeMerchant()
      yield* client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "staff" })
      yield* client.members.leave({ storeId, idempotencyKey: newKey(), merchantId: other.id })
      const sql = yield* SqlClient.SqlClient
      const isWaiting = sql`select 1 from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`
      const joining = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from merchants where id = ${other.id} for update`
          const fiber = yield* Effect.forkDetach(
            Effect.result(client.members.join({ storeId, idempotencyKey: newKey(), email: other.email, role: "staff" }))
          )
          yield* Effect.repeat(isWaiting, { until: (rows) => rows.length > 0 })
          return fiber
        })
      )
      assert.strictEqual((yield* Fiber.join(joining))._tag, "Success")
    })
  )
})
