import { Config, Effect, Result } from "effect"
import { parseAllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { isDemo } from "../Database.ts"
import { invalidSetting } from "../Settings.ts"

/** Where the demo's receiver listens. */
const OWN_MACHINE = "localhost,127.0.0.1,[::1]"

const hostsWith = (more: string) =>
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
 * Hosts that the operator named, for development: requests go there whatever their address is, and webhooks without
 * https too.
 */
export const namedHosts = hostsWith("")

/** Hosts that webhooks may go to whatever their address is: those that the operator named, and with the demo this machine. */
export const allowedHosts = Effect.flatMap(isDemo, (demo) => hostsWith(demo ? OWN_MACHINE : ""))
