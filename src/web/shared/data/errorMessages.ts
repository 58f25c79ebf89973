import { Predicate } from "effect"
import { MAX_NUMBER, NOT_A_DOUBLE } from "../../../domain/json/Numbers.ts"
import { dataTexts } from "../sharedTexts.ts"

/** Error message for people: what happened, and what to do. */
interface ErrorMessage {
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

/** Validation messages by field name. */
export type Problems = Readonly<Record<string, string>>

/** Messages for developers that forms word for merchants. */
const REWORDED: ReadonlyArray<readonly [message: RegExp, text: (...found: ReadonlyArray<string>) => string]> = [
  [/^must be text of at most ([\d,]+) characters$/, (_, most = "") => dataTexts.input.tooLong(most)],
  [
    /^must be text of 1 to ([\d,]+) characters(?:, not only invisible ones)?$/,
    (_, most = "") => dataTexts.input.missing(most)
  ],
  [new RegExp(`^must be a number from 0 to ${MAX_NUMBER}$`), () => dataTexts.input.notNegative],
  [
    /^must be an? (?:integer|number) from (-?\d+) to (\d+)$/,
    (_, least, most) => dataTexts.input.outOfRange(Number(least), Number(most))
  ]
]

/** Words the reason of a validation error for a form. */
export const problemText = (reason: string): string => {
  if (reason.startsWith(NOT_A_DOUBLE)) return dataTexts.input.tooManyDigits
  for (const [message, text] of REWORDED) {
    const found = message.exec(reason)
    if (found !== null) return text(...found)
  }
  return reason
}

/** Lines `path: reason` of a validation error. Empty for other errors. */
const issuesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.filter(Predicate.isString) : []

/** First message of each field. The field of `redirectUris.0: must be …` is `redirectUris`. */
export const fieldProblemsOf = (error: unknown): Problems => {
  const problems: Record<string, string> = {}
  for (const line of issuesOf(error)) {
    const [, field = "", reason = ""] = /^([^.:]*)[^:]*: (.*)$/s.exec(line) ?? []
    problems[field] ??= problemText(reason)
  }
  return problems
}
