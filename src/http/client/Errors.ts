/*
 * What the promises of this package reject with. Each error has a `_tag`, to be told from the others also where two
 * copies of the package meet. Who aborts a call gets the reason of their own signal instead.
 */

/** The service refused a call: `message` says what went wrong, and what to do about it. */
export class ApiError extends Error {
  readonly _tag = "ApiError"
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** One line for each thing to change, `path: reason`. */
  readonly issues: ReadonlyArray<string>
  /** What the call is named in the log of the service. */
  readonly requestId: string
  /** The key that a write was sent with: repeated under it, the write happens once. */
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    facts: Pick<ApiError, "status" | "issues" | "requestId"> & { readonly idempotencyKey?: string | undefined }
  ) {
    super(message)
    this.status = facts.status
    this.issues = facts.issues
    this.requestId = facts.requestId
    this.idempotencyKey = facts.idempotencyKey
  }
}

/**
 * No answer came that could be read, whatever was tried. A write may have happened: repeated under its
 * `idempotencyKey`, it happens once.
 */
export class ConnectionError extends Error {
  readonly _tag = "ConnectionError"
  override readonly name = "ConnectionError"
  /** What the call would be named in the log of the service. */
  readonly requestId: string
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    facts: {
      readonly cause?: unknown
      readonly requestId: string
      readonly idempotencyKey?: string | undefined
    }
  ) {
    super(message, { cause: facts.cause })
    this.requestId = facts.requestId
    this.idempotencyKey = facts.idempotencyKey
  }
}

/** An authorization was refused, or its callback cannot be trusted. */
export class OAuthError extends Error {
  readonly _tag = "OAuthError"
  override readonly name = "OAuthError"
  /**
   * As RFC 6749 has it, as in `access_denied` and `invalid_grant`: the installation has to be authorized anew. Of this
   * package: `state_mismatch`, `issuer_mismatch` and `code_missing`, where a callback is not what was asked for.
   */
  readonly code: string
  /** What the service says of it, if anything. */
  readonly description: string | undefined
  /** The HTTP status; undefined where a callback said it. */
  readonly status: number | undefined
  /** What the request is named in the log of the service. */
  readonly requestId: string | undefined

  constructor(
    code: string,
    facts: {
      readonly description?: string | undefined
      readonly status?: number | undefined
      readonly requestId?: string | undefined
    }
  ) {
    super(facts.description === undefined ? code : `${code}: ${facts.description}`)
    this.code = code
    this.description = facts.description
    this.status = facts.status
    this.requestId = facts.requestId
  }
}
