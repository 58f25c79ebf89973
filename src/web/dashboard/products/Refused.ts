import { Predicate } from "effect"
import { type Problems, problemsOf } from "./DraftInput.ts"

export const NOTHING_WRONG: Problems = new Map()

const isText = (line: unknown): line is string => typeof line === "string"

/** What the service refused, by the fields that it names. */
export const refusedFields = (error: unknown): Problems => {
  if (Predicate.isTagged(error, "SlugTaken") && error instanceof Error) return new Map([["slug", error.message]])
  const issues = Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues : []
  return problemsOf(issues.filter(isText))
}

/** Whether a failure is told at its fields, or by what follows from it, and need not be told again. */
export const isToldElsewhere = (error: unknown): boolean =>
  refusedFields(error).size > 0 || Predicate.isTagged(error, "VersionMismatch")
