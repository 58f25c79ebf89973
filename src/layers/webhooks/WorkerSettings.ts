import { Config, Effect, Option } from "effect"
import { integer, invalidSetting, optionalString } from "../Settings.ts"

/** Default and maximum of `WEBHOOK_WORKERS`, the number of concurrent requests of one process. */
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

/** Concurrent requests of the server. An empty value means the default: as a number it would turn deliveries off. */
export const webhookWorkers = Config.flatMap(
  optionalString("WEBHOOK_WORKERS"),
  Option.match({ onNone: () => Config.succeed(DEFAULT_WORKERS), onSome: () => count })
)
