import { Predicate } from "effect"

/** What is wrong with a form, by the field that it is wrong with: one sentence each. */
export type Problems = Readonly<Record<string, string>>

const isText = (line: unknown): line is string => typeof line === "string"

/** The lines of a refusal, `path: reason`, and nothing of any other failure. */
const issuesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(error, "issues") && Array.isArray(error.issues) ? error.issues.filter(isText) : []

/**
 * What the service refused, by field: of `app.redirectUris.0: must be …` the field is `redirectUris`, where `app` is what
 * the form stands for in the payload. The first line of a field is told.
 */
export const problemsOf = (error: unknown, form = ""): Problems => {
  const problems: Record<string, string> = {}
  for (const line of issuesOf(error)) {
    const [, path = "", reason = ""] = /^([^:]*): (.*)$/s.exec(line) ?? []
    const [field = ""] = (form !== "" && path.startsWith(`${form}.`) ? path.slice(form.length + 1) : path).split(".")
    problems[field] ??= reason
  }
  return problems
}
