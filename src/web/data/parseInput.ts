import { Result } from "effect"
import { ExactNumber, type JsonNumber } from "../../domain/Json.ts"
import { parseUntrusted } from "../../domain/UntrustedJson.ts"

export const NOT_A_NUMBER = "must be a number with a decimal point, such as 1234.50"

/** Parses a number without loss of digits. */
export const parseNumber = (text: string): Result.Result<JsonNumber, string> => {
  const parsed = parseUntrusted(text.trim().replace(/^\+/, ""))
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure.issues[0] ?? NOT_A_NUMBER)
  return typeof parsed.success === "number" || parsed.success instanceof ExactNumber
    ? Result.succeed(parsed.success)
    : Result.fail(NOT_A_NUMBER)
}

/** Parses JSON. The error contains the position, if there is one. */
export const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.mapError(parseUntrusted(text), ({ issues }) => issues[0] ?? syntaxProblem(text))

const syntaxProblem = (text: string) => {
  try {
    JSON.parse(text)
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : "check its quotes, commas and brackets"}`
  }
  return "is not valid JSON"
}
