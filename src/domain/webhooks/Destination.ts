import { Result, Schema } from "effect"
import { MAX_URL_LENGTH, parseUrl } from "../Url.ts"
import { notPublic } from "./Address.ts"
import { type AllowedHosts, hostOf, isAllowed } from "./AllowedHosts.ts"
import { WebhookUrlRefused } from "./Webhook.ts"

/** URL accepted by {@link checkUrl}, serialized by the URL Standard. */
export const WebhookUrl = Schema.String.pipe(Schema.brand("WebhookUrl"))
export type WebhookUrl = typeof WebhookUrl.Type

/** Destination of a webhook request. */
export interface Destination {
  readonly url: WebhookUrl
  /** Scheme, host, and the port if it is not the default. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** True if the operator allows the host, so that its addresses need not be public. */
  readonly isAllowed: boolean
}

const PUBLIC_ONLY =
  "webhooks go to public addresses only, and those of an operator's own apps to hosts in WEBHOOK_ALLOW_HOSTS"

const refuseHost = (host: string): string | undefined => {
  const reason = notPublic(host)
  return reason === undefined ? undefined : `${reason}: ${PUBLIC_ONLY}`
}

/** Returns the reason to reject `url`, as a phrase that follows "The webhook URL", or undefined. */
const refusal = (url: URL, isAllowed: boolean): string | undefined => {
  if (url.protocol !== "https:" && !(isAllowed && url.protocol === "http:")) return "must begin with https://"
  if (url.username !== "" || url.password !== "")
    return "must not contain a user name or password; requests are signed instead"
  if (url.href.includes("#")) return "must not have a fragment; leave out the # and what follows it"
  if (url.href.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  return isAllowed ? undefined : refuseHost(hostOf(url))
}

const refuse = (reason: string) => Result.fail(new WebhookUrlRefused({ reason }))

/**
 * Validates a webhook URL (docs/webhooks.md): an absolute https URL of at most {@link MAX_URL_LENGTH} characters
 * without credentials and fragment, whose host is not known to be non-public. Runs at registration and before each
 * request.
 * IP addresses are fully checked here in every spelling (the URL Standard accepts decimal, octal, hexadecimal and short
 * forms), because no lookup follows. For a name this is only a first check: `layers/webhooks/Lookup` checks its
 * addresses.
 */
export const checkUrl = (text: string, allowed: AllowedHosts): Result.Result<Destination, WebhookUrlRefused> => {
  if (text.length > MAX_URL_LENGTH) return refuse(`must have at most ${MAX_URL_LENGTH} characters`)
  const url = parseUrl(text)
  if (url === undefined) return refuse("must be an absolute URL, as in https://example.com/webhooks")
  const isNamed = isAllowed(url, allowed)
  const reason = refusal(url, isNamed)
  if (reason !== undefined) return refuse(reason)
  url.hostname = hostOf(url)
  const path = url.href.slice(url.origin.length)
  return Result.succeed({ url: WebhookUrl.make(url.href), origin: url.origin, path, isAllowed: isNamed })
}
