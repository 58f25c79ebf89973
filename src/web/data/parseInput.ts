import { Result } from "effect"
import { ExactNumber, type JsonNumber } from "../../domain/json/Json.ts"
import { parseUntrusted } from "../../domain/json/UntrustedJson.ts"
import { dataTexts } from "./dataTexts.ts"

export const NOT_A_NUMBER = dataTexts.input.notANumber

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
    return dataTexts.input.invalidJsonBecause(
      error instanceof Error ? error.message : dataTexts.input.invalidJsonAdvice
    )
  }
  return dataTexts.input.invalidJson
}
