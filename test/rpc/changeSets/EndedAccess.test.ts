import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeSetId } from "../../../src/domain/changeSets/ChangeSet.ts"
import { Operation } from "../../../src/domain/changeSets/Operation.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import type { Client } from "../../../src/rpc/Client.ts"
import { suspend } from "../../support/data/Writes.ts"
import { type Client as RestClient, freshClient } from "../../support/http/Api.ts"
import { createSet, CREATION, PausedJobsTest, requestOf, running, waitForState } from "../../support/http/ChangeSets.ts"
import { keyedIn } from "../../support/rpc/Proposals.ts"
import { agentOf, freshMember, memberOf } from "../../support/rpc/Rpc.ts"

const operations = Schema.decodeUnknownSync(Schema.Array(Operation))(CREATION.operations)

interface Author {
  readonly create: () => Effect.Effect<{ readonly id: ChangeSetId }>
  readonly apply: (id: ChangeSetId) => Effect.Effect<unknown>
}

const overRest = (client: RestClient): Author => ({
  create: () => createSet(client),
  apply: (id) => requestOf(client, id, "apply")
})

const overRpc = (client: Client, storeId: StoreId): Author => ({
  create: () => Effect.orDie(client.changeSets.create({ ...keyedIn(storeId), mode: "each", operations })),
  apply: (id) => Effect.orDie(client.changeSets.apply({ ...keyedIn(storeId), id }))
})

/** Authors of sets with what ends their access to the store. */
const authors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [suspended, reduced, owner] = [yield* freshClient(), yield* freshClient(), yield* freshMember()]
  const { storeId } = owner
  const agent = yield* agentOf(owner)
  const member = yield* memberOf(storeId)
  return [
    { ...overRest(suspended.client), lose: suspend(suspended.installation) },
    {
      ...overRest(reduced.client),
      lose: sql`update installations set scopes = '{read_products}' where id = ${reduced.installation.id}`
    },
    {
      ...overRpc(agent.client, storeId),
      lose: owner.client.agents.revoke({ ...keyedIn(storeId), id: agent.id })
    },
    {
      ...overRpc(member.client, storeId),
      lose: owner.client.members.leave({ ...keyedIn(storeId), merchantId: member.merchantId })
    }
  ]
})

layer(PausedJobsTest, { excludeTestServices: true, timeout: "60 seconds" })("Change sets whose access ends", (it) => {
  it.effect(
    "a set whose author loses the access before a step of its preview or application fails with the reason",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* authors
        const applying = yield* Effect.forEach(all, ({ create }) => create())
        yield* running(Effect.forEach(applying, ({ id }) => waitForState(id, "ready")))
        const previewing = yield* Effect.forEach(all, ({ apply, create }, at) =>
          Effect.andThen(apply(applying[at]?.id ?? assert.fail("There are as many sets")), create())
        )
        for (const { lose } of all) yield* lose
        const ids = [...applying, ...previewing].map(({ id }) => id)
        yield* running(Effect.forEach(ids, (id) => waitForState(id, "failed")))
        const failures = yield* sql`
        select failure, changed, (select count(*)::integer from products where store_id = s.store_id) as products
        from change_sets s where id = any(${ids}::uuid[])
      `
        const failure = "The author of the change set no longer has the access that it needs"
        assert.deepStrictEqual(
          failures,
          ids.map(() => ({ failure, changed: 0, products: 0 }))
        )
      })
  )
})
