import { Config, Effect, Result } from "effect"
import { parseAllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { isDemo } from "../DatabaseConfig.ts"
import { invalidSetting } from "../Settings.ts"

/** Hosts of the demo's receiver. */
const LOOPBACK = "localhost,127.0.0.1,[::1]"

const parseWith = (more: string) =>
  Config.String("WEBHOOK_ALLOW_HOSTS").pipe(
    Config.withDefault(""),
    Config.mapEffect((text) =>
      Effect.fromResult(
        Result.mapError(parseAllowedHosts(`${text},${more}`), ({ message }) =>
          invalidSetting("WEBHOOK_ALLOW_HOSTS", message)
        )
      )
    )
  )

/**
 * Hosts of `WEBHOOK_ALLOW_HOSTS`, for development: their addresses are not checked, and webhooks may use http.
 */
export const namedHosts = parseWith("")

/** The same hosts, and in the demo this machine. */
export const allowedHosts = Effect.flatMap(isDemo, (demo) => parseWith(demo ? LOOPBACK : ""))
