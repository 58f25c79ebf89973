import { Result, Schema } from "effect"
import { parseUrl } from "../Url.ts"
import { notPublic } from "./Address.ts"
import { type AllowedHosts, hostOf, isAllowed } from "./AllowedHosts.ts"
import { WebhookUrlRefused } from "./Webhook.ts"

/** Characters of a webhook URL at most, as it is given and as it is kept. */
export const MAX_URL_LENGTH = 2048

/** A URL that {@link checkUrl} let pass, written the one way that the URL Standard writes it. */
export const WebhookUrl = Schema.String.pipe(Schema.brand("WebhookUrl"))
export type WebhookUrl = typeof WebhookUrl.Type

/** Where a webhook request goes. */
export interface Target {
  readonly url: WebhookUrl
  /** Scheme, host, and the port if it is not the scheme's own. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Whether the operator allowed the host, so that its addresses need not be public. */
  readonly isAllowed: boolean
}

const PUBLIC_ONLY =
  "webhooks go to public addresses only, and those of an operator's own apps to hosts in WEBHOOK_ALLOW_HOSTS"

const refuseHost = (host: string): string | undefined => {
  const reason = notPublic(host)
  return reason === undefined ? undefined : `${reason}: ${PUBLIC_ONLY}`
}

/** Why no request may go to `url`, in words that follow "The webhook URL". */
const refusal = (url: URL, isAllowed: boolean): string | undefined => {
  if (url.protocol !== "https:" && !(isAllowed && url.protocol === "http:")) return "must begin with https://"
  if (url.username !== "" || url.password !== "")
    return "must not hold a user name or password; requests are signed instead"
  if (url.href.includes("#")) return "must not have a fragment; leave out the # and what follows it"
  if (url.href.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  return isAllowed ? undefined : refuseHost(hostOf(url))
}

const refuse = (reason: string) => Result.fail(new WebhookUrlRefused({ reason }))

/**
 * Whether webhook requests may go to the URL `text` (decisions, section 10): an absolute https URL of at most
 * {@link MAX_URL_LENGTH} characters without credentials and fragment, whose host is not known to be non-public. Asked
 * when the URL is registered and again before each request. An address is judged here however it is written (the URL
 * Standard knows decimal, octal, hexadecimal and short forms), since nothing looks it up later. For a name this is an
 * early word only: the addresses it stands for are judged where they are looked up (`layers/webhooks/Lookup`).
 */
export const checkUrl = (text: string, allowed: AllowedHosts): Result.Result<Target, WebhookUrlRefused> => {
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
