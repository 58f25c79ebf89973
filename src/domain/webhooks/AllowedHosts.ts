import { Result, Schema } from "effect"
import { parseUrl } from "../Url.ts"
import { addressOf } from "./Address.ts"
import { isHostName } from "./HostName.ts"

/**
 * Hosts that the operator named for development (decisions, section 10): webhooks may go there by plain http, and to
 * addresses that are not public. Each as in a URL, `host` for every port of it or `host:port` for one.
 */
export type AllowedHosts = ReadonlySet<string>

/** For what no operator answers for: a webhook of a developer, the document of a client. */
export const NO_HOSTS: AllowedHosts = new Set()

export class AllowedHostInvalid extends Schema.TaggedError<AllowedHostInvalid>()("AllowedHostInvalid", {
  entry: Schema.String
}) {
  override get message() {
    return `"${this.entry}" is no host: name it as in localhost, localhost:3000, 127.0.0.1:3000 or [::1]:3000`
  }
}

/** Host and port. IPv6 stands in brackets, so that the colon before the port is the only other one. */
const ENTRY = /^(\[[^[\]]+\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/

const parseEntry = (entry: string): Result.Result<string, AllowedHostInvalid> => {
  const invalid = Result.fail(new AllowedHostInvalid({ entry }))
  const [, host = "", port] = ENTRY.exec(entry) ?? []
  // Nothing of a URL but a host may slip in: the parser would take `name/path` and `user@name`, and drop the rest.
  const url = /[\s/\\?#@]/.test(host) ? undefined : parseUrl(`http://${host}`)
  if (url === undefined || Number(port ?? 1) > 65_535) return invalid
  const name = hostOf(url)
  if (addressOf(name) === undefined && !isHostName(name)) return invalid
  return Result.succeed(port === undefined ? name : `${name}:${port}`)
}

/**
 * Reads `WEBHOOK_ALLOW_HOSTS`: names or addresses with or without a port, separated by commas. There are no patterns:
 * each host stands for itself alone. Fails on the first entry that is wrong.
 */
export const parseAllowedHosts = (text: string): Result.Result<AllowedHosts, AllowedHostInvalid> => {
  const entries = text.split(",").map((entry) => entry.trim())
  return Result.map(Result.all(entries.filter((entry) => entry !== "").map(parseEntry)), (hosts) => new Set(hosts))
}

/** The host of a URL without the dot that may end a name: with and without it is the same host. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "")

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" }

/** Whether the operator allowed the host of `url`, on its port. */
export const isAllowed = (url: URL, allowed: AllowedHosts): boolean => {
  const host = hostOf(url)
  return allowed.has(host) || allowed.has(`${host}:${url.port === "" ? DEFAULT_PORTS[url.protocol] : url.port}`)
}
