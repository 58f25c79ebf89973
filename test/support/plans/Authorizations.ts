import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Agents } from "../../../src/domain/access/Agents.ts"
import { AgentClients } from "../../../src/domain/oauth/AgentClients.ts"
import { Clients, type Credentials } from "../../../src/domain/oauth/Clients.ts"
import type { Grants as Granted } from "../../../src/domain/access/AccessRule.ts"
import { Grants } from "../../../src/domain/oauth/Grants.ts"
import type { AdmissionPool } from "../../../src/layers/sql/Postgres.ts"
import { type agreeingMember, REDIRECT, type RegisteredApp } from "../oauth/Oauth.ts"

type Member = Effect.Success<ReturnType<typeof agreeingMember>>
type Measured = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R | AdmissionPool | SqlClient.SqlClient>

/** All requests of an app that follow a consent, by name. Each runs once, in order. */
export const authorizations = Effect.fn(function* (
  app: RegisteredApp,
  { agree }: Member,
  granted: Granted,
  measured: Measured
) {
  const clients = yield* Clients
  const grants = yield* Grants
  const client: Credentials = { clientId: app.clientId, secret: Redacted.make(app.secret ?? "") }
  yield* measured("a client", clients.find(app.clientId))
  const agreed = yield* measured(
    "a consent",
    agree(app, { scopes: granted.scopes, capabilities: granted.capabilities })
  )
  const presented = {
    code: Redacted.make(agreed.code),
    redirectUri: agreed.redirect_uri,
    verifier: Redacted.make(agreed.code_verifier),
    resource: undefined
  }
  const refresh = (refreshToken: Redacted.Redacted) =>
    grants.refresh(client, { refreshToken, scopes: undefined, resource: undefined })
  const wrong = { ...presented, verifier: Redacted.make("wrong") }
  yield* measured("a code that is presented wrongly", Effect.flip(grants.exchange(client, wrong)))
  const first = yield* measured("a code", grants.exchange(client, presented))
  const next = yield* measured("a refresh token", refresh(first.refreshToken))
  yield* measured("a refresh token that is repeated", refresh(first.refreshToken))
  yield* measured("a refresh token that is unknown", Effect.flip(refresh(Redacted.make("nonsense"))))
  yield* measured("an access token that is revoked", grants.revoke(client, next.accessToken))
  yield* measured("a code that is used again", Effect.flip(grants.exchange(client, presented)))
  yield* measured("a refresh token that is revoked", grants.revoke(client, next.refreshToken))
})

const HELPER = { name: "Helper", website: null, logoUrl: null, redirectUris: [REDIRECT] }

/** All requests of an agent client, from its registration to its revocation. */
export const agentAuthorizations = Effect.fn(function* ({ agreeToAgent }: Member, measured: Measured) {
  const agents = yield* Agents
  const clients = yield* AgentClients
  const grants = yield* Grants
  const clientId = yield* measured("a client that registers", clients.register(HELPER, randomUUID()))
  const client: Credentials = { clientId, secret: undefined }
  yield* measured("a client that registered", clients.find(clientId))
  const presented = yield* measured("a consent to an agent", agreeToAgent(clientId))
  const { accessToken, refreshToken } = yield* measured("an agent's code", grants.exchange(client, presented))
  yield* measured("an agent's calls by consent", agents.admit(accessToken, 1, "any"))
  yield* measured(
    "a token of an agent that is good for tools alone",
    Effect.flip(agents.admit(accessToken, 1, "shown"))
  )
  yield* measured("an agent that ends with its grant", grants.revoke(client, refreshToken))
  yield* measured("a purge of clients", clients.purge)
})
