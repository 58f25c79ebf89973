import { Effect, Layer, Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import type { Credentials } from "../../domain/oauth/Clients.ts"
import { Grants, type TokenSet } from "../../domain/oauth/Grants.ts"
import { isVerifier } from "../../domain/oauth/Pkce.ts"
import { InvalidRequest, TooManyFailures, UnsupportedGrantType } from "../../domain/oauth/Refusals.ts"
import { postRoute, type Reply } from "../Reply.ts"
import type { NodeResponse } from "../server/NodeResponse.ts"
import { makeFailures } from "./Failures.ts"
import { credentialsOf, formOf, required } from "./Form.ts"
import { said } from "./Parameters.ts"
import { NO_STORE, type OauthRefusal, refusedOf } from "./Refused.ts"

type Perform = (client: Credentials, form: URLSearchParams) => Effect.Effect<Reply, OauthRefusal>

const answerOf = ({ accessToken, expiresIn, refreshToken, scopes }: TokenSet): Reply => ({
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

const NOT_POST = "Forms are sent with POST"

const REVOKED: Reply = { status: 200, body: "{}", headers: NO_STORE }

/**
 * `POST /oauth/token` and `POST /oauth/revoke`, for clients (RFC 6749, sections 4.1.3 and 6; RFC 7009). They count by what
 * is sent alone, by no cookie, so pages of any site may send them; none may read the answer, as no surface of the service
 * is for pages of other sites.
 */
export const TokenRoutes = Effect.gen(function* () {
  const grants = yield* Grants
  const failed = makeFailures()

  const exchange: Perform = Effect.fnUntraced(function* (client, form) {
    const code = Redacted.make(yield* required(form, "code"))
    const redirectUri = yield* required(form, "redirect_uri")
    const verifier = yield* required(form, "code_verifier")
    if (!isVerifier(verifier)) {
      return yield* new InvalidRequest({ reason: "code_verifier must have 43 to 128 characters (RFC 7636)" })
    }
    const presented = { code, redirectUri, verifier: Redacted.make(verifier), resource: said(form, "resource") }
    return answerOf(yield* grants.exchange(client, presented))
  })

  const refresh: Perform = Effect.fnUntraced(function* (client, form) {
    const refreshToken = Redacted.make(yield* required(form, "refresh_token"))
    const scopes = said(form, "scope")?.split(" ").filter(Boolean)
    return answerOf(yield* grants.refresh(client, { refreshToken, scopes, resource: said(form, "resource") }))
  })

  const GRANT_TYPES: ReadonlyMap<string, Perform> = new Map([
    ["authorization_code", exchange],
    ["refresh_token", refresh]
  ])

  const token: Perform = Effect.fnUntraced(function* (client, form) {
    const perform = GRANT_TYPES.get(yield* required(form, "grant_type"))
    return yield* perform === undefined ? new UnsupportedGrantType() : perform(client, form)
  })

  const revoke: Perform = Effect.fnUntraced(function* (client, form) {
    yield* grants.revoke(client, Redacted.make(yield* required(form, "token")))
    return REVOKED
  })

  /** What fails is told why, but to those that fail again and again. */
  const answering =
    (perform: Perform) =>
    (message: IncomingMessage, { address }: NodeResponse) => {
      let client = ""
      return Effect.gen(function* () {
        const form = yield* formOf(message)
        const credentials = yield* credentialsOf(message, form)
        client = credentials.clientId
        return yield* perform(credentials, form)
      }).pipe(
        Effect.catch((error: OauthRefusal) => {
          const retryAfter = failed(client, address)
          return Effect.succeed(refusedOf(retryAfter === undefined ? error : new TooManyFailures({ retryAfter })))
        })
      )
    }

  return Layer.merge(
    postRoute("/oauth/token", NOT_POST, answering(token)),
    postRoute("/oauth/revoke", NOT_POST, answering(revoke))
  )
}).pipe(Layer.unwrap)
