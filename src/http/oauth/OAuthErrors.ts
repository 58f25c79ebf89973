import type { TooManyRegistrations } from "../../domain/oauth/AgentClients.ts"
import type { InvalidClientMetadata, InvalidRedirectUri } from "../../domain/oauth/ClientMetadata.ts"
import type {
  AccessDenied,
  InvalidClient,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  TooManyFailures,
  UnsupportedGrantType,
  UnsupportedResponseType
} from "../../domain/oauth/Refusals.ts"
import type { Reply } from "../Reply.ts"

/** The errors of the authorization server that have a protocol code. */
export type OAuthError =
  | AccessDenied
  | InvalidClient
  | InvalidClientMetadata
  | InvalidGrant
  | InvalidRedirectUri
  | InvalidRequest
  | InvalidScope
  | InvalidTarget
  | TooManyFailures
  | TooManyRegistrations
  | UnsupportedGrantType
  | UnsupportedResponseType

/**
 * The code and status of each error (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7591, section 3.2.2; RFC 8707). A redirect
 * has the code only.
 */
const TABLE: { readonly [Tag in OAuthError["_tag"]]: readonly [code: string, status: number] } = {
  AccessDenied: ["access_denied", 403],
  InvalidClient: ["invalid_client", 401],
  InvalidClientMetadata: ["invalid_client_metadata", 400],
  InvalidGrant: ["invalid_grant", 400],
  InvalidRedirectUri: ["invalid_redirect_uri", 400],
  InvalidRequest: ["invalid_request", 400],
  InvalidScope: ["invalid_scope", 400],
  InvalidTarget: ["invalid_target", 400],
  TooManyFailures: ["temporarily_unavailable", 429],
  TooManyRegistrations: ["temporarily_unavailable", 429],
  UnsupportedGrantType: ["unsupported_grant_type", 400],
  UnsupportedResponseType: ["unsupported_response_type", 400]
}

/** Makes the parameters of an error, for a JSON body or a redirect. */
export const toErrorParameters = (error: OAuthError) => ({
  error: TABLE[error._tag][0],
  error_description: error.message
})

/** Headers of responses with tokens, which must not be cached (RFC 6749, section 5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" }

/** Makes the response of an error. */
export const toOAuthErrorReply = (error: OAuthError): Reply => ({
  status: TABLE[error._tag][1],
  body: JSON.stringify(toErrorParameters(error)),
  headers: {
    ...NO_STORE,
    ...(error._tag === "InvalidClient" ? { "www-authenticate": 'Basic realm="oauth"' } : {}),
    ...("retryAfter" in error ? { "retry-after": String(error.retryAfter) } : {})
  }
})
