import { Effect, Layer, Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import { Grants, type TokenSet } from "../../domain/oauth/Grants.ts"
import { isVerifier } from "../../domain/oauth/Pkce.ts"
import { InvalidRequest, InvalidScope, TooManyFailures, UnsupportedGrantType } from "../../domain/oauth/Refusals.ts"
import { postRoute, type Reply } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { issuer, toResource } from "./Discovery.ts"
import { makeFailureThrottle } from "./FailureThrottle.ts"
import { getParameter, readCredentials, readForm, requestedScopes, requireParameter } from "./Form.ts"
import { NO_STORE, type OAuthError, toOAuthErrorReply } from "./OAuthErrors.ts"

type GrantHandler = (client: Credentials, form: URLSearchParams) => Effect.Effect<Reply, OAuthError>

const tokenReply = ({ accessToken, expiresIn, refreshToken, scopes }: TokenSet): Reply => ({
  status: 200,
  body: JSON.stringify({
    access_token: Redacted.value(accessToken),
    token_type: "Bearer",
    expires_in: expiresIn,
    refresh_token: Redacted.value(refreshToken),
    scope: scopes.join(" ")
  }),
  headers: NO_STORE
})

const NOT_POST = "Send forms with POST"

const REVOKED: Reply = { status: 200, body: "{}", headers: NO_STORE }

/**
 * `POST /oauth/token` and `POST /oauth/revoke` (RFC 6749, sections 4.1.3 and 6; RFC 7009). They use no cookies, so the
 * origin of the sender does not matter. CORS keeps pages of other sites from reading the response.
 */
export const TokenRoutes = Effect.gen(function* () {
  const grants = yield* Grants
  const iss = yield* issuer
  const countFailure = makeFailureThrottle()

  const resourceOf = (form: URLSearchParams) => toResource(iss, getParameter(form, "resource"))

  const exchange: GrantHandler = Effect.fnUntraced(function* (client, form) {
    const code = Redacted.make(yield* requireParameter(form, "code"))
    const redirectUri = yield* requireParameter(form, "redirect_uri")
    const verifier = yield* requireParameter(form, "code_verifier")
    if (!isVerifier(verifier)) {
      return yield* new InvalidRequest({
        reason:
          "code_verifier is malformed; send the 43 to 128 characters (RFC 7636) whose SHA-256 was the code_challenge"
      })
    }
    const presented = { code, redirectUri, verifier: Redacted.make(verifier), resource: resourceOf(form) }
    return tokenReply(yield* grants.exchange(client, presented))
  })

  const refresh: GrantHandler = Effect.fnUntraced(function* (client, form) {
    const refreshToken = Redacted.make(yield* requireParameter(form, "refresh_token"))
    const scopes = requestedScopes(form)
    if (scopes?.length === 0) {
      return yield* new InvalidScope({ reason: "scope names no known scope; leave it out for all granted ones" })
    }
    return tokenReply(yield* grants.refresh(client, { refreshToken, scopes, resource: resourceOf(form) }))
  })

  const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map([
    ["authorization_code", exchange],
    ["refresh_token", refresh]
  ])

  const token: GrantHandler = Effect.fnUntraced(function* (client, form) {
    const handle = GRANT_TYPES.get(yield* requireParameter(form, "grant_type"))
    return yield* handle === undefined ? new UnsupportedGrantType() : handle(client, form)
  })

  const revoke: GrantHandler = Effect.fnUntraced(function* (client, form) {
    yield* grants.revoke(client, Redacted.make(yield* requireParameter(form, "token")))
    return REVOKED
  })

  /** Reads form and credentials. Responds with errors, or 429 after too many. */
  const withClient =
    (handle: GrantHandler) =>
    (request: IncomingMessage, { address }: NodeResponse) => {
      let client = ""
      return Effect.gen(function* () {
        const form = yield* readForm(request)
        const credentials = yield* readCredentials(request, form)
        client = credentials.clientId
        return yield* handle(credentials, form)
      }).pipe(
        Effect.catch((error: OAuthError) => {
          const retryAfter = countFailure(client, address)
          return Effect.succeed(
            toOAuthErrorReply(retryAfter === undefined ? error : new TooManyFailures({ retryAfter }))
          )
        })
      )
    }

  return Layer.merge(
    postRoute("/oauth/token", NOT_POST, withClient(token)),
    postRoute("/oauth/revoke", NOT_POST, withClient(revoke))
  )
}).pipe(Layer.unwrap)
