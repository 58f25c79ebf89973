import { Schema } from "effect"

/*
 * What the authorization server refuses, each by an error that has a code of its own in the protocol. The reason tells the
 * developer of a client what to change, and nothing that a stranger may not know.
 */

const fields = { reason: Schema.String }

/** A parameter is missing, malformed, or there more than once. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", fields) {
  override get message() {
    return this.reason
  }
}

/** The client is unknown, or did not prove who it is. */
export class InvalidClient extends Schema.TaggedError<InvalidClient>()("InvalidClient", {}) {
  override get message() {
    return "The client is unknown, or its secret is missing or wrong; a public client sends none"
  }
}

/** The code or refresh token is not good, or was for another client, address, or verifier. */
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

/** What tokens are asked for is not what they are for (RFC 8707). */
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
    return "response_type must be code"
  }
}

export class UnsupportedGrantType extends Schema.TaggedError<UnsupportedGrantType>()("UnsupportedGrantType", {}) {
  override get message() {
    return "grant_type must be authorization_code or refresh_token"
  }
}

/** The merchant did not agree. */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", {}) {
  override get message() {
    return "The merchant did not agree"
  }
}

/** Too many attempts that failed. */
export class TooManyFailures extends Schema.TaggedError<TooManyFailures>()("TooManyFailures", {
  retryAfter: Schema.Int
}) {
  override get message() {
    return `Too many requests of this client failed; wait ${this.retryAfter} seconds, and look at what they were answered`
  }
}
