import { Predicate } from "effect"

/** Validation messages by field name. */
export type Problems = Readonly<Record<string, string>>

/** Lines `path: reason` of a validation error. Empty for other errors. */
const issuesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.filter(Predicate.isString) : []

/** First message of each field. The field of `redirectUris.0: must be …` is `redirectUris`. */
export const fieldProblemsOf = (error: unknown): Problems => {
  const problems: Record<string, string> = {}
  for (const line of issuesOf(error)) {
    const [, field = "", reason = ""] = /^([^.:]*)[^:]*: (.*)$/s.exec(line) ?? []
    problems[field] ??= reason
  }
  return problems
}
