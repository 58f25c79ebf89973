import { Config, Effect, Result } from "effect"
import { parseAllowedHosts } from "../../domain/webhooks/AllowedHosts.ts"
import { isDemo } from "../DatabaseConfig.ts"
import { invalidSetting } from "../Settings.ts"

/** Hosts of the demo's receiver. */
const LOOPBACK = "localhost,127.0.0.1,[::1]"

const parse = (text: string) =>
  Effect.fromResult(
    Result.mapError(parseAllowedHosts(text), ({ message }) => invalidSetting("WEBHOOK_ALLOW_HOSTS", message))
  )

const named = Config.String("WEBHOOK_ALLOW_HOSTS").pipe(Config.withDefault(""))

/**
 * Hosts of `WEBHOOK_ALLOW_HOSTS`, for development: their addresses are not checked, and webhooks may use http.
 */
export const namedHosts = named.pipe(Config.mapEffect(parse))

const ofDemo = Effect.map(isDemo, (demo) => (demo ? LOOPBACK : ""))

/** The same hosts, and in the demo this machine. */
export const allowedHosts = Effect.flatMap(Effect.all([named, ofDemo]), (hosts) => parse(hosts.join(",")))

/** Hosts that webhooks of developers' apps may reach at private addresses: in the demo this machine, otherwise none. */
export const developerHosts = Effect.flatMap(ofDemo, parse)
