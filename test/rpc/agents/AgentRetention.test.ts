import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { IsolatedApiTest } from "../../support/http/Api.ts"
import { agentOf, freshMember, newKey } from "../../support/rpc/Rpc.ts"

layer(IsolatedApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Retention of revoked agents", (it) => {
  it.effect("revoked agents are listed for 430 days and then deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { purge } = yield* Agents
      const member = yield* freshMember()
      const { storeId } = member
      const [recent, expired, active] = [yield* agentOf(member), yield* agentOf(member), yield* agentOf(member)]
      for (const { id } of [recent, expired])
        yield* member.client.agents.revoke({ storeId, idempotencyKey: newKey(), id })
      yield* sql`update agents set revoked_at = now() - interval '430 days' where id = ${expired.id}`
      yield* sql`update agents set revoked_at = now() - interval '429 days' where id = ${recent.id}`
      yield* Effect.repeat(purge, { while: (deleted) => deleted > 0 })
      const { items } = yield* member.client.agents.list({ storeId })
      const ids: ReadonlyArray<string> = items.map(({ id }) => id)
      assert.deepStrictEqual(ids, [recent.id, active.id])
    })
  )
})
