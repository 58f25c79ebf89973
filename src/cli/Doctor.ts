import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { release } from "../domain/Release.ts"
import { type Check, checkNamed, problemOf } from "../layers/doctor/Check.ts"
import { formatFailure } from "../Startup.ts"
import { json, option, withHelp } from "./Options.ts"
import { printList } from "./Output.ts"

const url = option("url", Schema.String, "Webhook URL to reach, as deliveries do", "url").pipe(Flag.optional)

/** Imported when the command runs. */
const importChecks = Effect.promise(() =>
  Promise.all([
    import("../Service.ts"),
    import("../layers/doctor/DatabaseChecks.ts"),
    import("../layers/doctor/CellChecks.ts"),
    import("../layers/doctor/Surroundings.ts")
  ])
)

/** Reads each setting alone, so that all wrong ones are listed. */
const checkSettings = Effect.fnUntraced(function* (settings: ReadonlyArray<Effect.Effect<unknown, unknown>>) {
  const { ok, problem } = checkNamed("settings")
  const failures = yield* Effect.forEach(settings, (setting) => Effect.option(Effect.flip(setting)))
  const lines = new Set(failures.flatMap(Option.toArray).map(formatFailure))
  return lines.size === 0 ? [ok("All settings are valid")] : [...lines].map(problem)
})

export const doctor = Command.make(
  "doctor",
  { json, url },
  Effect.fnUntraced(function* ({ json, url }) {
    const [{ serverSettings }, { checkDatabase }, { checkCells }, surroundings] = yield* importChecks
    const version = checkNamed("version").ok(`Partner API ${release} on Node ${process.versions.node}`)
    const settings = yield* checkSettings(Object.values(serverSettings))
    const { checkDisk, checkPublicUrl, checkReceiver, checkStorage, checkTelemetry } = surroundings
    // The other checks need the settings.
    const others: ReadonlyArray<Check> = settings.some(({ status }) => status === "problem")
      ? []
      : [
          yield* problemOf("disk")(checkDisk),
          ...(yield* checkDatabase),
          ...(yield* checkCells),
          yield* problemOf("files")(checkStorage),
          yield* problemOf("public address")(checkPublicUrl),
          yield* problemOf("telemetry")(checkTelemetry),
          ...(Option.isSome(url) ? [yield* problemOf("receiver")(checkReceiver(url.value))] : [])
        ]
    const checks = [version, ...settings, ...others]
    yield* printList(
      json,
      "checks",
      checks.map(({ check, message, status }) => ({ status, check, message }))
    )
    const problems = checks.filter(({ status }) => status === "problem").length
    if (problems > 0) {
      return yield* Effect.fail({
        message: `${problems === 1 ? "1 problem" : `${problems} problems`}. Make the changes above and run it again`
      })
    }
  })
).pipe(
  withHelp({
    summary: "Check settings, databases, cells, storage and addresses of a server",
    details:
      "Run it with the environment of the server. Each line is ok, a warning or a problem, with what to change. The exit code is 1 with problems. Nothing stays changed: an object is written to S3 and deleted.",
    examples: ["", "--json", "--url https://app.example.com/hooks"]
  })
)
