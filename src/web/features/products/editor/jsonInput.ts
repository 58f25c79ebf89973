import { Result } from "effect"
import { parseUntrusted } from "../../../../domain/json/UntrustedJson.ts"
import { dataTexts } from "../../../shared/sharedTexts.ts"

/** Parses JSON, whose numbers have a decimal point in every language. The error contains the position, if there is one. */
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
