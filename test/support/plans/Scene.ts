import { Effect, Redacted } from "effect"
import { ALL_GRANTS } from "../../../src/domain/access/AccessRule.ts"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { Tokens } from "../../../src/domain/access/Tokens.ts"
import { EventKind } from "../../../src/domain/Events.ts"
import { Webhooks } from "../../../src/domain/webhooks/Webhooks.ts"
import { makeStore } from "../http/Api.ts"
import { agreeingMember, register } from "../oauth/Oauth.ts"
import { makeMerchant } from "../rpc/Merchants.ts"
import { withoutAutovacuum } from "../postgres/PostgresTest.ts"
import { sessionOf } from "../rpc/Rpc.ts"
import { installing, performIn } from "../data/Writes.ts"

/** A store with an app that subscribes to all events. Autovacuum does not analyze the tables. */
export const scene = Effect.gen(function* () {
  const storeId = yield* makeStore()
  const app = yield* register()
  const { appId } = app
  const installation = yield* Effect.flatMap(installing, ({ install }) =>
    install({ storeId, appId, ...ALL_GRANTS, scopes: ["read_products", "read_collections"] })
  )
  const { token } = yield* Effect.flatMap(Tokens, ({ issue }) => issue(installation))
  const { email, id: merchant } = yield* makeMerchant()
  const session = Redacted.make((yield* sessionOf(email)).replace("session=", ""))
  const agents = yield* Agents
  const perform = yield* performIn(storeId)
  const member = yield* agreeingMember(storeId, { email, id: merchant })
  const { token: agentToken, write } = agents.create(storeId, merchant, { name: "An agent", scopes: [] })
  yield* perform(write)
  const agent = yield* Effect.orDie(agents.admit(agentToken, 1, "any"))
  yield* Effect.flatMap(Webhooks, ({ subscribe }) =>
    subscribe(appId, { url: "https://example.com/", kinds: EventKind.literals })
  )
  yield* withoutAutovacuum
  return { app, installation, member, token, agent, agentToken, session }
})
