import { Predicate } from "effect"

/** Error message for people: what happened, and what to do. */
export interface ErrorMessage {
  readonly title: string
  readonly advice: string
  /** Identifies the request in the log of the service. */
  readonly requestId?: string
}

const UNREACHABLE: ErrorMessage = {
  title: "Cannot reach the service",
  advice: "Check your connection, then try again. Your entries are kept."
}

const BUSY: ErrorMessage = { title: "The service is busy", advice: "Wait a moment, then try again." }

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
      return { title: "This page could not be displayed", advice: "Reload the page. Saved changes are kept." }
    case "RpcClientError":
      return UNREACHABLE
    case "ServiceUnavailable":
    case "StoreBusy":
    case "RateLimitExceeded":
      return BUSY
    case "InternalError":
      return {
        title: "Something went wrong",
        advice: "Try again. If the problem continues, send the request ID to support.",
        ...requestIdOf(error)
      }
    case "NotSignedIn":
      return { title: "Your session has expired", advice: "Sign in again to return to this page." }
    case "OwnersOnly":
      return { title: "Owners only", advice: "Ask an owner of the store to do this, or to make you an owner." }
    default:
      return { title: "This could not be completed", advice: error instanceof Error ? error.message : String(tag) }
  }
}
