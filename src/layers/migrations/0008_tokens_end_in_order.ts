import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { buildIndex, OutsideTransaction } from "../database/IndexMigration.ts"

/** Finds expired tokens for the purge, as 0007 finds records. */
export default new OutsideTransaction({
  steps: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* buildIndex({ name: "access_tokens_in_order", table: "access_tokens", definition: "(expires_at)" })
    yield* sql`
      alter table access_tokens set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)
    `
  })
})
