import { Config, ConfigError, Effect, Either } from "effect"
import { parseAllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { isDemo } from "../Database.ts"

/** Where the demo's receiver listens. */
const OWN_MACHINE = "localhost,127.0.0.1,[::1]"

/**
 * Hosts that webhooks may go to whatever their address is, without https too: those of `WEBHOOK_ALLOW_HOSTS`, which is
 * for development, and with the demo this machine.
 */
export const allowedHosts = Effect.flatMap(isDemo, (demo) =>
  Config.string("WEBHOOK_ALLOW_HOSTS").pipe(
    Config.withDefault(""),
    Config.mapOrFail((text) =>
      Either.mapLeft(parseAllowedHosts(demo ? `${text},${OWN_MACHINE}` : text), ({ message }) =>
        ConfigError.InvalidData(["WEBHOOK_ALLOW_HOSTS"], message)
      )
    )
  )
)
