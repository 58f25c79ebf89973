/*
 * The errors of this package. Each has a `_tag`, because `instanceof` fails across two copies of the package. Aborted
 * calls reject with the reason of their signal instead.
 */

/** An error response of the service. `message` describes the problem and how to solve it. */
export class ApiError extends Error {
  readonly _tag = "ApiError"
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** One line for each problem, `path: reason`. */
  readonly issues: ReadonlyArray<string>
  /** The request id in the service's log. */
  readonly requestId: string
  /** The key of a write. Repeated with this key, the write happens once. */
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    details: Pick<ApiError, "status" | "issues" | "requestId"> & { readonly idempotencyKey?: string | undefined }
  ) {
    super(message)
    this.status = details.status
    this.issues = details.issues
    this.requestId = details.requestId
    this.idempotencyKey = details.idempotencyKey
  }
}

/**
 * No readable response, after all retries. A write may have happened. Repeated with its `idempotencyKey`, it happens once.
 */
export class ConnectionError extends Error {
  readonly _tag = "ConnectionError"
  override readonly name = "ConnectionError"
  /** The request id that the service's log would have. */
  readonly requestId: string
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    details: {
      readonly cause?: unknown
      readonly requestId: string
      readonly idempotencyKey?: string | undefined
    }
  ) {
    super(message, { cause: details.cause })
    this.requestId = details.requestId
    this.idempotencyKey = details.idempotencyKey
  }
}

/** An authorization was refused, or its callback is invalid. */
export class OAuthError extends Error {
  readonly _tag = "OAuthError"
  override readonly name = "OAuthError"
  /**
   * A code of RFC 6749, as in `access_denied` and `invalid_grant`: authorize the installation again. Or a code of this
   * package for an invalid callback: `state_mismatch`, `issuer_mismatch` or `code_missing`.
   */
  readonly code: string
  /** The description of the service, if any. */
  readonly description: string | undefined
  /** The HTTP status. Undefined for an error in a callback. */
  readonly status: number | undefined
  /** The request id in the service's log. */
  readonly requestId: string | undefined

  constructor(
    code: string,
    details: {
      readonly description?: string | undefined
      readonly status?: number | undefined
      readonly requestId?: string | undefined
    }
  ) {
    super(details.description === undefined ? code : `${code}: ${details.description}`)
    this.code = code
    this.description = details.description
    this.status = details.status
    this.requestId = details.requestId
  }
}
