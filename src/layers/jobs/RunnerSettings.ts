import { Config, Effect, Option } from "effect"
import { integer, invalidSetting, optionalString } from "../Settings.ts"

/** Default and maximum of `JOB_RUNNERS`. */
export const DEFAULT_JOB_RUNNERS = 1
export const MAX_JOB_RUNNERS = 16

const count = integer("JOB_RUNNERS").pipe(
  Config.mapEffect((value) =>
    value >= 0 && value <= MAX_JOB_RUNNERS
      ? Effect.succeed(value)
      : Effect.fail(
          invalidSetting("JOB_RUNNERS", `Expected 0 to ${MAX_JOB_RUNNERS} but received ${value}; 0 runs no jobs here`)
        )
  )
)

/** Number of jobs that the process runs at the same time. */
export const jobRunners = Config.flatMap(
  optionalString("JOB_RUNNERS"),
  Option.match({ onNone: () => Config.succeed(DEFAULT_JOB_RUNNERS), onSome: () => count })
)
