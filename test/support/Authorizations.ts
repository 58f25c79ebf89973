import { Effect, Redacted } from "effect"
import { Clients, type Credentials } from "../../src/domain/oauth/Clients.ts"
import type { Grants as Granted } from "../../src/domain/access/AccessRule.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import type { Database, Door } from "../../src/layers/database/Postgres.ts"
import type { agreeingMember, RegisteredApp } from "./Oauth.ts"

/** All that an app does with what a merchant agrees to, each done once by name. */
export const authorizations = Effect.fn(function* (
  app: RegisteredApp,
  agree: Effect.Effect.Success<ReturnType<typeof agreeingMember>>["agree"],
  granted: Granted,
  measured: <A, E, R>(name: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Database | Door>
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
