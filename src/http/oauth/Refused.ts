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

/** What the authorization server refuses with a code of its protocol. */
export type OauthRefusal =
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

/** The codes of RFC 6749, sections 4.1.2.1 and 5.2, RFC 7591, section 3.2.2, and RFC 8707, and the status of those that are answered. */
const TABLE: { readonly [Tag in OauthRefusal["_tag"]]: readonly [code: string, status: number] } = {
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

/** An error as a client is told of it, in an answer or in the address that a merchant is sent back to. */
export const errorOf = (error: OauthRefusal) => ({ error: TABLE[error._tag][0], error_description: error.message })

/** What is answered with tokens, or instead of them, is nobody else's (RFC 6749, section 5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" }

/** What a request is answered with that is refused. */
export const refusedOf = (error: OauthRefusal): Reply => ({
  status: TABLE[error._tag][1],
  body: JSON.stringify(errorOf(error)),
  headers: {
    ...NO_STORE,
    ...(error._tag === "InvalidClient" ? { "www-authenticate": 'Basic realm="oauth"' } : {}),
    ...("retryAfter" in error ? { "retry-after": String(error.retryAfter) } : {})
  }
})
