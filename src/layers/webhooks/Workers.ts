import { Config, ConfigError, Either } from "effect"

/** Requests under way at once in one process: unless `WEBHOOK_WORKERS` says otherwise, and at most. */
export const DEFAULT_WORKERS = 256
export const MAX_WORKERS = 10_000

const count = Config.integer("WEBHOOK_WORKERS").pipe(
  Config.mapOrFail((value) =>
    value >= 0 && value <= MAX_WORKERS
      ? Either.right(value)
      : Either.left(
          ConfigError.InvalidData([], `Expected 0 to ${MAX_WORKERS} but received ${value}; 0 delivers nothing here`)
        )
  )
)

/** Requests that the server has under way at once. Empty is as good as not set: as a number it would deliver nothing. */
export const webhookWorkers = Config.nonEmptyString("WEBHOOK_WORKERS").pipe(
  Config.zipWith(count, (_, value) => value),
  Config.withDefault(DEFAULT_WORKERS)
)
