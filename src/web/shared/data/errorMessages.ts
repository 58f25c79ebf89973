import { Predicate } from "effect"
import { dataTexts } from "./dataTexts.ts"

/** Error message for people: what happened, and what to do. */
export interface ErrorMessage {
  readonly title: string
  readonly advice: string
  /** Identifies the request in the log of the service. */
  readonly requestId?: string
}

const tagOf = (error: unknown) =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : undefined

/** True if a retry can succeed. */
export const isTransient = (error: unknown): boolean => {
  const tag = tagOf(error)
  return tag === "RpcClientError" || tag === "ServiceUnavailable" || tag === "StoreBusy" || tag === "RateLimitExceeded"
}

/** True if the session has expired. */
export const isSignedOut = (error: unknown): boolean => tagOf(error) === "NotSignedIn"

/** True if the resource does not exist. */
export const isMissing = (error: unknown): boolean => tagOf(error)?.endsWith("NotFound") === true

/** True if another user changed the resource first. */
export const isOutdated = (error: unknown): boolean => tagOf(error) === "VersionMismatch"

const requestIdOf = (error: unknown) =>
  Predicate.hasProperty(error, "requestId") && typeof error.requestId === "string" ? { requestId: error.requestId } : {}

/** Uses the message of domain errors. Transport and authorization errors get a message here. */
export const errorMessageOf = (error: unknown): ErrorMessage => {
  const tag = tagOf(error)
  switch (tag) {
    case undefined:
      return dataTexts.errors.unexpected
    case "RpcClientError":
      return dataTexts.errors.unreachable
    case "ServiceUnavailable":
    case "StoreBusy":
    case "RateLimitExceeded":
      return dataTexts.errors.busy
    case "InternalError":
      return { ...dataTexts.errors.internal, ...requestIdOf(error) }
    case "NotSignedIn":
      return dataTexts.errors.signedOut
    case "OwnersOnly":
      return dataTexts.errors.ownersOnly
    default:
      return { title: dataTexts.errors.rejected, advice: error instanceof Error ? error.message : String(tag) }
  }
}
