import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { ApiTest } from "../../support/http/Api.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("agents", (it) => {
  it.effect("that were revoked are listed for 430 days, and then forgotten", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Agents
      const member = yield* freshMember()
      const { storeId } = member
      const [kept, gone, stays] = [yield* agentOf(member), yield* agentOf(member), yield* agentOf(member)]
      for (const { id } of [kept, gone]) yield* member.client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      yield* sql`update agents set revoked_at = now() - interval '430 days' where id = ${gone.id}`
      yield* sql`update agents set revoked_at = now() - interval '429 days' where id = ${kept.id}`
      yield* Effect.repeat(purge, { while: (went) => went > 0 })
      const { items } = yield* member.client.agents.list({ storeId })
      const ids: ReadonlyArray<string> = items.map(({ id }) => id)
      assert.deepStrictEqual(ids, [kept.id, stays.id])
    })
  )
})
