import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Installations } from "../../../src/domain/access/Installations.ts"
import { Merchants } from "../../../src/domain/access/Merchants.ts"
import { AgentClients } from "../../../src/domain/oauth/AgentClients.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ApiTest, makeStore } from "../../support/http/Api.ts"
import { agreeingMember, REDIRECT, register } from "../../support/oauth/Oauth.ts"
import { makeMerchant } from "../../support/rpc/Merchants.ts"
import { performIn } from "../../support/data/Writes.ts"

const ROUNDS = 20
const MEMBERS = 4

/** Returns the installations of a store. */
const installedOn = Effect.fn(function* (storeId: StoreId) {
  const { list } = yield* Installations
  return yield* list({ storeId: Option.some(storeId), appId: Option.none(), limit: 2 })
})

layer(ApiTest, { excludeTestServices: true, timeout: "60 seconds" })("Consents", (it) => {
  it.effect("concurrent consents, uninstalls and departures of members do not deadlock", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const perform = yield* performIn(storeId)
      const { join, leave } = yield* Merchants
      const { uninstall } = yield* Installations
      const owner = yield* makeMerchant()
      yield* perform(join(storeId, owner.email, "owner"))
      const app = yield* register()
      const client = { name: "Helper", website: null, logoUrl: null, redirectUris: [REDIRECT] }
      const clientId = yield* Effect.flatMap(AgentClients, ({ register }) => register(client, "192.0.2.1"))
      const members = yield* Effect.replicateEffect(
        Effect.flatMap(makeMerchant(), (merchant) =>
          Effect.map(agreeingMember(storeId, merchant), (member) => ({ ...merchant, ...member }))
        ),
        MEMBERS
      )
      const uninstallAll = Effect.flatMap(installedOn(storeId), (installed) =>
        Effect.forEach(installed, ({ installationId }) => perform(uninstall(storeId, installationId)))
      )
      // Errors are expected, but a deadlock would be a defect.
      const round = members.flatMap(({ agree, agreeToAgent, email, id }) => [
        Effect.ignore(agree(app)),
        Effect.ignore(agreeToAgent(clientId)),
        Effect.ignore(Effect.andThen(perform(leave(storeId, id)), perform(join(storeId, email, "owner")))),
        Effect.ignore(uninstallAll)
      ])
      yield* Effect.replicateEffect(Effect.all(round, { concurrency: "unbounded" }), ROUNDS)
      assert.isAtMost((yield* installedOn(storeId)).length, 1)
    })
  )

  it.effect("a consent to an agent is recorded in the journal", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const storeId = yield* makeStore()
      const { agreeToAgent, merchantId } = yield* agreeingMember(storeId, yield* makeMerchant())
      const client = { name: "Helper", website: null, logoUrl: null, redirectUris: [REDIRECT] }
      const clientId = yield* Effect.flatMap(AgentClients, ({ register }) => register(client, "192.0.2.1"))
      yield* agreeToAgent(clientId)
      const entries = yield* sql`
        select actor_id, surface, request_id, before, after::jsonb ->> 'name' as name, version
        from journal where store_id = ${storeId} and resource = 'agent'
      `
      const by = { actor_id: merchantId, surface: "consent", request_id: "trace" }
      assert.deepStrictEqual(entries, [{ ...by, before: null, name: "Helper", version: null }])
    })
  )

  it.effect("a consent of a merchant who is not a member fails and installs nothing", () =>
    Effect.gen(function* () {
      const storeId = yield* makeStore()
      const { leave } = yield* Merchants
      const perform = yield* performIn(storeId)
      const stays = yield* agreeingMember(storeId, yield* makeMerchant())
      const leaves = yield* agreeingMember(storeId, yield* makeMerchant())
      yield* perform(leave(storeId, leaves.merchantId))
      const app = yield* register()
      assert.strictEqual((yield* Effect.flip(leaves.agree(app)))._tag, "StoreNotFound")
      assert.deepStrictEqual(yield* installedOn(storeId), [])
      yield* stays.agree(app)
      assert.lengthOf(yield* installedOn(storeId), 1)
    })
  )
})
