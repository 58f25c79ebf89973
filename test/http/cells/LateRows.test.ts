import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountLinks } from "../../../src/domain/access/AccountLinks.ts"
import { CellsTest, inCell, NORTH, storeIn } from "../../support/cells/CellsTest.ts"
import { arriveDuring, withoutCopies } from "../../support/cells/LateCopies.ts"
import { joinHere } from "../../support/cells/Members.ts"
import { performIn } from "../../support/data/Writes.ts"
import { developer } from "../../support/rpc/Developers.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })(
  "Global rows that arrive late in a cell",
  (it) => {
    it.effect(
      "an account whose address a password reset has proved joins, although its cell does not know it yet",
      () =>
        Effect.gen(function* () {
          const { storeId } = yield* storeIn(NORTH)
          const { email, id } = yield* makeMerchant()
          const main = yield* SqlClient.SqlClient
          yield* main`update merchants set is_claimed = true where id = ${id}`
          assert.strictEqual((yield* inCell(NORTH, Effect.flip(joinHere(storeId, email))))._tag, "EmailUnproven")
          yield* withoutCopies
          yield* main`update merchants set is_claimed = false where id = ${id}`
          assert.strictEqual(yield* arriveDuring("merchants", inCell(NORTH, joinHere(storeId, email))), id)
        }).pipe(Effect.scoped)
    )

    it.effect("a member is not invited again, although the cell does not know the account yet", () =>
      Effect.gen(function* () {
        const { storeId } = yield* storeIn(NORTH)
        yield* withoutCopies
        const [owner, member] = [yield* makeMerchant(), yield* makeMerchant()]
        const invited = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into members (store_id, merchant_id, role) values (${storeId}, ${member.id}, 'staff')`
          const { invite } = yield* AccountLinks
          const perform = yield* performIn(storeId)
          return yield* Effect.flip(perform(invite(storeId, owner.id, member.email, "staff").write))
        })
        assert.strictEqual((yield* inCell(NORTH, invited))._tag, "AlreadyMember")
      }).pipe(Effect.scoped)
    )

    it.effect("a developer lists the installations of an app that a cell does not know yet", () =>
      Effect.gen(function* () {
        const { client, create } = yield* developer
        yield* withoutCopies
        const { id } = yield* create()
        const known = yield* inCell(
          NORTH,
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from apps where id = ${id}`)
        )
        assert.lengthOf(known, 0)
        assert.deepStrictEqual(yield* client.apps.installations({ id }), { items: [], nextCursor: null })
        assert.strictEqual((yield* client.apps.get({ id })).installations, 0)
      }).pipe(Effect.scoped)
    )
  }
)
