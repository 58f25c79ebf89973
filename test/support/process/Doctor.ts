import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { partnerApi } from "../../../src/cli/Program.ts"
import { runInProcess } from "./Cli.ts"
import { temporaryFolder, type Variables } from "./Process.ts"

const Checks = Schema.fromJsonString(
  Schema.Struct({
    checks: Schema.Array(
      Schema.Struct({
        status: Schema.Literals(["ok", "warning", "problem"]),
        check: Schema.String,
        message: Schema.String
      })
    )
  })
)

/** Runs `doctor --json` with these settings. */
export const diagnose = Effect.fn(function* (settings: Variables, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* runInProcess(partnerApi(["doctor", "--json", ...args]), {
    DATA_DIR: yield* temporaryFolder,
    ...settings
  })
  const { checks } = Schema.decodeSync(Checks)(stdout)
  const problems = checks.filter(({ status }) => status === "problem")
  assert.strictEqual(code, problems.length === 0 ? 0 : 1)
  assert.match(stderr, problems.length === 0 ? /^$/ : /^partner-api: \d+ problems?\. Make the changes above[^\n]*\n$/)
  // A passing check has no line of advice, and all secrets of the tests contain this word.
  assert.notInclude(stdout + stderr, "hunter2")
  return checks
})

/** Results of the checks with this name, one a line. */
export const linesOf = (checks: Effect.Success<ReturnType<typeof diagnose>>, name: string) =>
  checks
    .filter(({ check }) => check === name)
    .map(({ message, status }) => `${status}: ${message}`)
    .join("\n")

/** The only result of a check. */
export const resultOf = (checks: Effect.Success<ReturnType<typeof diagnose>>, name: string) => {
  const found = checks.filter(({ check }) => check === name)
  assert.lengthOf(found, 1, `${name} in ${JSON.stringify(checks)}`)
  return `${found[0]?.status}: ${found[0]?.message}`
}
