import { Schema } from "effect"

/*
 * Errors of the authorization server, one for each error code of the protocol. The reason helps the client developer to
 * fix the request and reveals nothing confidential.
 */

const fields = { reason: Schema.String }

/** A parameter is missing, malformed or repeated. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", fields) {
  override get message() {
    return this.reason
  }
}

/** The client is unknown or its authentication failed. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {}) {
  override get message() {
    return "The client is unknown, or its secret is missing or wrong; check client_id and client_secret (public clients send no secret)"
  }
}

/** The code or refresh token is invalid, or was issued for another client, redirect URI or verifier. */
export class InvalidGrant extends Schema.TaggedError<InvalidGrant>()("InvalidGrant", fields) {
  override get message() {
    return this.reason
  }
}

export class InvalidScope extends Schema.TaggedError<InvalidScope>()("InvalidScope", fields) {
  override get message() {
    return this.reason
  }
}

/** The requested resource is not the one that the tokens are for (RFC 8707). */
export class InvalidTarget extends Schema.TaggedError<InvalidTarget>()("InvalidTarget", fields) {
  override get message() {
    return this.reason
  }
}

export class UnsupportedResponseType extends Schema.TaggedError<UnsupportedResponseType>()(
  "UnsupportedResponseType",
  {}
) {
  override get message() {
    return "response_type is not supported; send code"
  }
}

export class UnsupportedGrantType extends Schema.TaggedError<UnsupportedGrantType>()("UnsupportedGrantType", {}) {
  override get message() {
    return "grant_type is not supported; send authorization_code or refresh_token"
  }
}

/** The merchant denied the request. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", {}) {
  override get message() {
    return "The merchant denied access; send them to /oauth/authorize again if they want to allow it"
  }
}

/** The client made too many failed requests. */
export class TooManyFailures extends Schema.TaggedError<TooManyFailures>()("TooManyFailures", {
  retryAfter: Schema.Int
}) {
  override get message() {
    return `Too many requests of this client failed; wait ${this.retryAfter} seconds and check the earlier responses`
  }
}
