import { Config, Effect, Option } from "effect"
import { integer, invalidSetting, textIfAny } from "../Settings.ts"

/** Requests under way at once in one process: unless `WEBHOOK_WORKERS` says otherwise, and at most. */
export const DEFAULT_WORKERS = 256
export const MAX_WORKERS = 10_000

const count = integer("WEBHOOK_WORKERS").pipe(
  Config.mapEffect((value) =>
    value >= 0 && value <= MAX_WORKERS
      ? Effect.succeed(value)
      : Effect.fail(
          invalidSetting(
            "WEBHOOK_WORKERS",
            `Expected 0 to ${MAX_WORKERS} but received ${value}; 0 delivers nothing here`
          )
        )
  )
)

/** Requests that the server has under way at once. Empty is as good as not set: as a number it would deliver nothing. */
export const webhookWorkers = Config.flatMap(
  textIfAny("WEBHOOK_WORKERS"),
  Option.match({ onNone: () => Config.succeed(DEFAULT_WORKERS), onSome: () => count })
)
