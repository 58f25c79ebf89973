import { Predicate } from "effect"
import { type Problems, parseIssues } from "./productInput.ts"

export const NO_PROBLEMS: Problems = new Map()

const isText = (line: unknown): line is string => typeof line === "string"

/** Validation messages of a service error, by field. */
export const problemsIn = (error: unknown): Problems => {
  if (Predicate.isTagged(error, "SlugTaken") && error instanceof Error) return new Map([["slug", error.message]])
  const issues = Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues : []
  return parseIssues(issues.filter(isText))
}

/** True if the form shows the error itself, at a field or as a conflict. */
export const isShownInForm = (error: unknown): boolean =>
  problemsIn(error).size > 0 || Predicate.isTagged(error, "VersionMismatch")
