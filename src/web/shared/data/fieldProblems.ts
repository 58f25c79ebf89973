import { Predicate } from "effect"
import { MAX_NUMBER, NOT_A_DOUBLE } from "../../../domain/json/Numbers.ts"
import { dataTexts } from "./dataTexts.ts"

/** Validation messages by field name. */
export type Problems = Readonly<Record<string, string>>

/** Messages for developers that forms word for merchants. */
const REWORDED: ReadonlyArray<readonly [message: RegExp, text: (...found: ReadonlyArray<string>) => string]> = [
  [/^must be text of at most ([\d,]+) characters$/, (_, most = "") => dataTexts.input.tooLong(most)],
  [/^must be text of 1 to ([\d,]+) characters$/, (_, most = "") => dataTexts.input.missing(most)],
  [new RegExp(`^must be a number from 0 to ${MAX_NUMBER}$`), () => dataTexts.input.notNegative],
  [
    /^must be an? (?:integer|number) from (-?\d+) to (\d+)$/,
    (_, least, most) => dataTexts.input.outOfRange(Number(least), Number(most))
  ]
]

/** Words the reason of a validation error for a form. */
export const problemText = (reason: string): string => {
  if (reason === NOT_A_DOUBLE) return dataTexts.input.tooManyDigits
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
