import { Predicate } from "effect"

/** What is wrong with a form, by the field that it is wrong with: one sentence each. */
export type Problems = Readonly<Record<string, string>>

const isString = (line: unknown): line is string => typeof line === "string"

/** The lines of a refusal, `path: reason`, and nothing of any other failure. */
const issuesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.filter(isString) : []

/** What was refused, by field: of `redirectUris.0: must be …` the field is `redirectUris`, and its first line is told. */
export const fieldProblemsOf = (error: unknown): Problems => {
  const problems: Record<string, string> = {}
  for (const line of issuesOf(error)) {
    const [, field = "", reason = ""] = /^([^.:]*)[^:]*: (.*)$/s.exec(line) ?? []
    problems[field] ??= reason
  }
  return problems
}
