import { Result, Schema } from "effect"
import { parseUrl } from "../Url.ts"
import { addressOf } from "./Address.ts"
import { isHostName } from "./HostName.ts"

/**
 * Hosts that the operator allows for development (docs/webhooks.md): webhooks may use plain HTTP and non-public
 * addresses there. An entry is `host`, for all ports, or `host:port`.
 */
export type AllowedHosts = ReadonlySet<string>

/** Empty set, for URLs that are not under the operator's control: webhooks of developers and client documents. */
export const NO_HOSTS: AllowedHosts = new Set()

export class AllowedHostInvalid extends Schema.TaggedError<AllowedHostInvalid>()("AllowedHostInvalid", {
  entry: Schema.String
}) {
  override get message() {
    return `"${this.entry}" is not a valid host; use a form such as localhost, localhost:3000, 127.0.0.1:3000 or [::1]:3000`
  }
}

/** Host with optional port. IPv6 is in brackets, so that only the colon before the port is outside of them. */
const ENTRY = /^(\[[^[\]]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/

const parseEntry = (entry: string): Result.Result<string, AllowedHostInvalid> => {
  const invalid = Result.fail(new AllowedHostInvalid({ entry }))
  const [, host = "", port] = ENTRY.exec(entry) ?? []
  // Reject other parts of a URL: the parser would accept `name/path` and `user@name` and drop the rest.
  const url = /[\s/\\?#@]/.test(host) ? undefined : parseUrl(`http://${host}`)
  if (url === undefined || Number(port ?? 1) > 65_535) return invalid
  const name = hostOf(url)
  if (addressOf(name) === undefined && !isHostName(name)) return invalid
  return Result.succeed(port === undefined ? name : `${name}:${port}`)
}

/**
 * Parses `WEBHOOK_ALLOW_HOSTS`: names or addresses with optional ports, separated by commas. Patterns are not
 * supported. Fails on the first invalid entry.
 */
export const parseAllowedHosts = (text: string): Result.Result<AllowedHosts, AllowedHostInvalid> => {
  const entries = text.split(",").map((entry) => entry.trim())
  return Result.map(Result.all(entries.filter((entry) => entry !== "").map(parseEntry)), (hosts) => new Set(hosts))
}

/** Returns the host of a URL without a trailing dot, which does not change the host. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "")

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" }

/** Tests whether the operator allows the host of `url` on its port. */
export const isAllowed = (url: URL, allowed: AllowedHosts): boolean => {
  const host = hostOf(url)
  return allowed.has(host) || allowed.has(`${host}:${url.port === "" ? DEFAULT_PORTS[url.protocol] : url.port}`)
}
