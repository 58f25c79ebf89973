import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { partnerApi } from "../../../src/cli/Program.ts"
import { subscriptionOf } from "../../../src/layers/cells/GlobalTables.ts"
import { CellsTest, Databases, inCell, NORTH, storeIn } from "../../support/cells/CellsTest.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { runInProcess } from "../../support/process/Cli.ts"
import { diagnose, linesOf } from "../../support/process/Doctor.ts"

layer(CellsTest, { excludeTestServices: true, timeout: "60 seconds" })("Adoption of a store", (it) => {
  it.effect("doctor finds a store that a restored main does not know, and a command brings it back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { main, settings } = yield* Databases
      const variables = { DATABASE_URL: Redacted.value(main), ...settings }
      const run = (...args: ReadonlyArray<string>) => runInProcess(partnerApi(args), variables)
      const { appId, client, storeId } = yield* storeIn(NORTH)
      const { email, id: merchantId } = yield* inCell(NORTH, makeMerchant([storeId]))
      const adopt = ["stores", "adopt", storeId, "--cell", NORTH]

      // The restored main has lost the slot, so the cell keeps its copies.
      yield* inCell(
        NORTH,
        Effect.flatMap(SqlClient.SqlClient, (cell) => cell`alter subscription ${cell(subscriptionOf(NORTH))} disable`)
      )
      yield* sql`delete from directory where store_id = ${storeId}`
      yield* sql`delete from merchant_stores where store_id = ${storeId}`
      yield* sql`delete from apps where id = ${appId}`
      yield* sql`delete from sessions where merchant_id = ${merchantId}`
      yield* sql`delete from merchants where id = ${merchantId}`
      assert.strictEqual((yield* client.get("/store")).status, 401)
      assert.include(
        linesOf(yield* diagnose(variables), "cell north"),
        `problem: The directory of main does not name it for stores that it has: ${storeId}. Run for each: partner-api stores adopt`
      )

      const elsewhere = yield* run("stores", "adopt", storeId, "--cell", "south")
      assert.include(elsewhere.stderr, "The cell south has no store")
      const adopted = yield* run(...adopt, "--json")
      assert.strictEqual(adopted.code, 0, adopted.stderr)
      assert.deepNestedInclude(JSON.parse(adopted.stdout), {
        "restored.merchants": 1,
        "restored.apps": 1,
        lostApps: [],
        lostAccounts: []
      })
      assert.strictEqual((yield* client.get("/store")).status, 200)
      assert.lengthOf(yield* sql`select from merchant_stores where store_id = ${storeId}`, 1)
      const link = yield* run("merchants", "reset-link", "--email", email)
      assert.strictEqual(link.code, 0, link.stderr)
      assert.notInclude(linesOf(yield* diagnose(variables), "cell north"), storeId)
      assert.strictEqual((yield* run(...adopt)).code, 0)

      // The cell was restored to a moment before the store.
      yield* inCell(
        NORTH,
        Effect.flatMap(SqlClient.SqlClient, (cell) => cell`update stores set moved_at = now() where id = ${storeId}`)
      )
      assert.include(
        linesOf(yield* diagnose(variables), "cell north"),
        `problem: It does not have stores for which the directory of main names it: ${storeId}`
      )
    })
  )
})
